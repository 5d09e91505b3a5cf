"""Notices to members.

Stored once a cause, their texts, the feed, and what of them is pushed or mailed.
"""

"""Notices to members: stored once a cause, their texts, the feed, and what of them is pushed or
mailed.
"""

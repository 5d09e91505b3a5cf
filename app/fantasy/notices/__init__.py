"""Notices to members: stored once a cause, their texts, and the feed."""

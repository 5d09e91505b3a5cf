"""Notices to members: stored once per cause, listed, fed, pushed and mailed."""

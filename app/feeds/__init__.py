"""Feeds: follow a publisher's files, and enter what is new into Pressbox without anybody's help.

presets.py has the publishers, fetching.py brings their files here, kinds.py says what is done with
a file of each kind, and running.py runs a feed and records what it did. Play-by-play becomes the
official record by difference (play_by_play.py).
"""

TABLES = ("app.feeds.models",)

"""The numbers of PostgreSQL's advisory locks, in one place so that no two uses share one."""

from __future__ import annotations

from enum import IntEnum, unique


@unique
class Lock(IntEnum):
    """A lock's number, alone or before an id.

    For a lock on a text, the number is the seed of the text's hash.
    """

    GAMEWEEK = 7001  # with a gameweek's id: one refresh of it at a time
    RELAY = 7002  # one relay publishes the outbox
    STREAM_ARCHIVE = 7003  # one process writes the archive of the stream
    BOARD_ARCHIVE = 7006  # one process writes the archive of boards
    SCORE_ARCHIVE = 7014  # one process moves months of scores to the archive or back
    LEAGUE_SLUGS = 7005  # one league at a time is given its address

    LARGE_TABLES = 7012  # with a gameweek's id: one process writes its large tables to Redis

    SCORES = 7004  # seed, with a mode and a shard of its players: one writer at a time
    GAME = 7007  # seed, with a game's id: one batch of its messages at a time
    # seed, with an integrator's or a member's id: one thing at a time that a quota counts
    INTEGRATOR = 7010
    FEED = 7015  # with a feed's id: one run of it at a time
    PINS = 7013  # with a league's id: one post at a time is pinned
    WEBHOOKS = 7008  # seed, with an integrator's id: one webhook at a time is made

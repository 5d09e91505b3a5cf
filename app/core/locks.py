"""The numbers of PostgreSQL's advisory locks, in one place so that no two uses share one."""

from __future__ import annotations

from enum import IntEnum


class Lock(IntEnum):
    """The first four stand alone or before an id; SCORES is the seed of a hash of player and mode."""

    GAMEWEEK = 7001  # with a gameweek's id: one refresh of it at a time
    RELAY = 7002  # one relay publishes the outbox
    STREAM_ARCHIVE = 7003  # one process writes the archive of the stream
    BOARD_ARCHIVE = 7006  # one process writes the archive of boards
    SCORES = 7004  # one writer at a time for a player in a mode

"""How long a connection to PostgreSQL may wait, by what the connection is for.

Opening connections is in connections.py, the defaults in app/settings.py.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Use(StrEnum):
    """What a connection is for; part of `application_name`, as in `pressbox-web`."""

    WEB = "web"  # somebody waits for the answer
    # the record and scores on their way in: relay, bridge, ingestion, the consumer of scores
    INGEST = "ingest"
    REFRESH = "refresh"  # team sheets, tables and boards, for as many members as there are
    UPKEEP = "upkeep"  # by the clock or by hand: archive, webhooks, migrations, the command line


class Timeouts(NamedTuple):
    """Seconds of one statement, of waiting for one lock, and of an idle open transaction."""

    statement: float
    lock: float
    idle: float

    @classmethod
    def parse(cls, raw: str) -> Timeouts:
        """Parse `15,3,30`. Raises ValueError that says what to write."""
        try:
            timeouts = cls(*(float(part) for part in raw.split(",")))
        except (TypeError, ValueError):
            timeouts = cls(0, 0, 0)
        if not all(0 < seconds < float("inf") for seconds in timeouts):
            raise ValueError(
                "must be three numbers above 0: seconds of a statement, of a lock, of an idle "
                "transaction"
            )
        return timeouts

    def __str__(self) -> str:
        return ",".join(f"{seconds:g}" for seconds in self)


class Database(NamedTuple):
    """Where PostgreSQL is (as psycopg spells it), what a connection is for, how long it may wait.

    Attributes:
        url: The address.
        use: What the connection is for.
        timeouts: How long it may wait.
        is_pooled: Whether a pooler gives each transaction another session (PgBouncer in
            transaction mode).
    """

    url: str
    use: Use
    timeouts: Timeouts
    is_pooled: bool = False

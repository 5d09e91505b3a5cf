"""What became of attempts: how the consumer notifies those who wait, and how they wait (PostgreSQL's NOTIFY).

Sent inside the transaction that stores the outcome, so nobody hears of what is not there. Not here: what they
read in the end (submit.py reads it from the table).
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable
from types import TracebackType
from uuid import UUID

from sqlalchemy import text

from app.core.connections import connect
from app.core.db import db
from app.core.timeouts import Use
from app.settings import Settings

CHANNEL = "pressbox_score_outcomes"
IN_ONE = 200  # ids of one notice: PostgreSQL carries up to 8,000 bytes


def notify(events: Iterable[UUID]) -> None:
    """Notifies, once the open transaction commits, that these events are decided."""
    names = sorted({event.hex for event in events})
    for start in range(0, len(names), IN_ONE):
        payload = " ".join(names[start : start + IN_ONE])
        db.session.execute(text("SELECT pg_notify(:channel, :payload)"), {"channel": CHANNEL, "payload": payload})


class Listening:
    """Hears every outcome from its entry on; enter it before the score is sent. Raises psycopg.OperationalError."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def __enter__(self) -> Listening:
        self._connection = connect(self._settings.database(Use.WEB), autocommit=True)
        self._connection.execute(f"LISTEN {CHANNEL}")
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._connection.close()

    def until(self, events: Collection[UUID], seconds: float) -> bool:
        """Returns once all of them are decided, True, or after so many seconds, False."""
        waiting = {event.hex for event in events}
        deadline = time.monotonic() + seconds
        while waiting and (left := deadline - time.monotonic()) > 0:
            for notice in self._connection.notifies(timeout=left, stop_after=1):
                waiting -= set(notice.payload.split())
        return not waiting

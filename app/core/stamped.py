"""Connections to PostgreSQL that raise the stamps of what they write: hold them before each commit, release them after.

Triggers (migrations/versions/0054_stamps.py) say with each statement which stamps its rows raise, as a notice of
SQLSTATE `PB001` that holds their names as JSON; so no writer can forget one, whether it uses a model, SQL, COPY or a
cascade. The application's engine opens such connections (`listen`). Not here: what stamps are (stamps.py). Outside:
migrations, a restore, psql by hand: what was remembered before those stands for stamps.MEMORY_SECONDS at most.
"""

from __future__ import annotations

import json
from typing import Any

import psycopg
import redis
import structlog
from psycopg.errors import Diagnostic
from sqlalchemy import Engine, event

from app.core.errors import one_line
from app.core.stamps import EVERYTHING, Stamps

log = structlog.get_logger(__name__)

RAISED = "PB001"
MOST = 1000  # names in one commit; above, everything is raised
# Of these somebody's access depends: a commit whose stamps cannot be written does not happen. Others say what is on a
# page, which is then late by stamps.MEMORY_SECONDS at most, and plays go on being recorded without Redis.
ACCESS = ("session:", "member:", "league:")


class CannotRevokeError(Exception):
    """Somebody's access would change, and Redis, which may remember it, cannot be told: nothing was written."""


class StampedConnection(psycopg.Connection[Any]):
    """One that raises, in `stamps`, what its transaction has changed."""

    stamps: Stamps

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        raised: set[str] = set()

        def note(diagnostic: Diagnostic) -> None:
            if diagnostic.sqlstate == RAISED:
                raised.update(json.loads(diagnostic.message_primary or "[]"))

        self._raised = raised
        self.add_notice_handler(note)

    def commit(self) -> None:
        """Raises CannotRevokeError, having committed nothing, when Redis does not answer and access depends on it."""
        if not self._raised:
            super().commit()
            return
        names = sorted(self._raised) if len(self._raised) <= MOST else [EVERYTHING]
        holder = self._hold(names)
        super().commit()  # where it fails the server may still have done it: they stay held until the hold ends
        self._raised.clear()
        if holder:
            self._release(holder, names)

    def rollback(self) -> None:
        super().rollback()
        self._raised.clear()

    def _hold(self, names: list[str]) -> str:
        """Empty: Redis does not answer, and it may go without."""
        try:
            return self.stamps.hold(names)
        except redis.RedisError as error:
            log.warning("stamps_not_raised", reason=one_line(error), names=len(names))
            if any(name.startswith(ACCESS) for name in self._raised):
                raise CannotRevokeError from error
            return ""

    def _release(self, holder: str, names: list[str]) -> None:
        try:
            self.stamps.release(holder, names)
        except redis.RedisError as error:  # they stay held, and nothing is remembered of them, until the hold ends
            log.warning("stamps_not_released", reason=one_line(error), names=len(names))


def listen(engine: Engine, stamps: Stamps) -> None:
    """The connections that this engine opens from now on raise their stamps there."""

    @event.listens_for(engine, "do_connect")
    def open_stamped(_dialect: Any, _record: Any, arguments: Any, keywords: Any) -> StampedConnection:
        connection = StampedConnection.connect(*arguments, **keywords)
        connection.stamps = stamps
        return connection

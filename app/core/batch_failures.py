"""Isolate the failures of a batch: one item that fails does not stop the others.

Each failure is logged and counted. The first is raised after the last item, so that the job fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from sqlalchemy.exc import DBAPIError

from app.core.db import db

log = structlog.get_logger(__name__)


class Failures:
    """Collects the failures of a batch.

    Args:
        event: The name of the log line for each failure, such as `mode_not_deleted`.
        for_all: Errors of a store that every item needs. They are raised at once, and so is the
            error of an unavailable PostgreSQL.
    """

    def __init__(self, event: str, *for_all: type[Exception]) -> None:
        self._event = event
        self._for_all = for_all
        self._failed: list[Exception] = []

    @property
    def count(self) -> int:
        """How many items have failed."""
        return len(self._failed)

    @contextmanager
    def apart(self, name: object) -> Iterator[None]:
        """Run one item of the batch, called `name`. An error rolls back and is raised later."""
        try:
            yield
        except Exception as error:
            if isinstance(error, self._for_all) or (
                isinstance(error, DBAPIError) and error.connection_invalidated
            ):
                raise
            db.session.rollback()
            log.exception(self._event, name=str(name))
            self._failed.append(error)

    def raise_first(self) -> None:
        """Raise the first error, if any, with a note of how many there were."""
        if self._failed:
            first = self._failed[0]
            first.add_note(f"{self._event}: {self.count} in all")
            raise first

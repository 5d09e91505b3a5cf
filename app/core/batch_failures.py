"""What is done for many things in turn, each by itself: one that fails does not stop the others.

Each failure is logged and counted, and the first is raised when all others are done, so that the
job counts as failed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from sqlalchemy.exc import DBAPIError

from app.core.db import db

log = structlog.get_logger(__name__)


class Failures:
    """`event`: what the log says of each, as `mode_not_deleted`.

    `for_all`: errors of a store that all of them need, which are raised at once; so is that of a
    PostgreSQL that is away.
    """

    def __init__(self, event: str, *for_all: type[Exception]) -> None:
        self._event = event
        self._for_all = for_all
        self._failed: list[Exception] = []

    @property
    def count(self) -> int:
        return len(self._failed)

    @contextmanager
    def apart(self, name: object) -> Iterator[None]:
        """Inside is what is done for one of them, called `name`.

        Its error rolls back, and is raised later.
        """
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
        """Raises the first error, if there was one, with a note of how many there were."""
        if self._failed:
            first = self._failed[0]
            first.add_note(f"{self._event}: {self.count} in all")
            raise first

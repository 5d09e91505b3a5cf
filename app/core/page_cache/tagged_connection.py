"""PostgreSQL connections that raise the versions of cache tags with each commit.

Triggers (migrations 0054 and 0055) announce the tags of each changed row as a notice of SQLSTATE
`PB001` that holds their names as JSON, so models, raw SQL, COPY and cascades are all covered.
Migrations, restores and psql by hand are not; pages may be half a minute late after those.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import psycopg
import redis
import structlog
from psycopg.errors import Diagnostic
from sqlalchemy import Engine, event

from app.core.errors import CannotRevokeError, one_line
from app.core.page_cache.tags import EVERYTHING, TagStore

log = structlog.get_logger(__name__)

TAGS_CHANGED = "PB001"
MAX_TAGS = 1000  # of one commit; a larger one invalidates everything
# Access depends on tags with these prefixes: without Redis the commit fails. Other commits succeed,
# because plays must be recorded, and pages may then be out of date for ENTRY_SECONDS.
ACCESS_TAGS = ("session:", "member:", "league:", "family:", "sanctions:")


def _collect(changed_tags: set[str], diagnostic: Diagnostic) -> None:
    if diagnostic.sqlstate == TAGS_CHANGED:
        changed_tags.update(json.loads(diagnostic.message_primary or "[]"))


class TaggedConnection(psycopg.Connection[Any]):
    """A connection that raises, in `tag_store`, the tags of the rows that a transaction changed."""

    tag_store: TagStore

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._changed_tags: set[str] = set()
        self.add_notice_handler(partial(_collect, self._changed_tags))

    def commit(self) -> None:
        """Commit, and raise the tags.

        Raises:
            CannotRevokeError: nothing was committed; see ACCESS_TAGS.
        """
        if not self._changed_tags:
            super().commit()
            return
        tags = sorted(self._changed_tags) if len(self._changed_tags) <= MAX_TAGS else [EVERYTHING]
        writer = self._begin_write(tags)
        # If this fails, the server may still have committed: the tags stay pending for a while.
        super().commit()
        self._changed_tags.clear()
        if writer is None:
            return
        try:
            self.tag_store.end_write(writer, tags)
        # The tags stay pending, and nothing is cached under them, for PENDING_SECONDS.
        except redis.RedisError as error:
            log.warning("tags_not_released", reason=one_line(error), tags=len(tags))

    def rollback(self) -> None:
        """Roll back; no tags are raised."""
        super().rollback()
        self._changed_tags.clear()

    def _begin_write(self, tags: list[str]) -> str | None:
        try:
            return self.tag_store.begin_write(tags)
        except redis.RedisError as error:
            log.warning("tags_not_raised", reason=one_line(error), tags=len(tags))
            if any(tag.startswith(ACCESS_TAGS) for tag in self._changed_tags):
                raise CannotRevokeError from error
            return None


def init_engine(engine: Engine, tag_store: TagStore) -> None:
    """Make the engine open tagged connections from now on."""

    @event.listens_for(engine, "do_connect")
    def open_tagged(_dialect: Any, _record: Any, arguments: Any, keywords: Any) -> TaggedConnection:
        connection = TaggedConnection.connect(*arguments, **keywords)
        connection.tag_store = tag_store
        return connection

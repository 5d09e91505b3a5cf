"""What an act does to the stores, counted, so that a fault meets one exact effect.

The same each time.

Between two effects nothing outside of the process changes, so a death before the n-th effect stands
for a death at any line since the one before. Only the thread that armed the fault meets it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
import pytest
import redis
from flask import current_app
from kafka.errors import KafkaTimeoutError
from redis.connection import AbstractConnection
from sqlalchemy import event

from app.core.db import db
from app.core.redis.clients import boards_redis, jobs_redis
from app.settings import Settings
from tests.histories.schedule import (
    CUT,
    DIE,
    NOT_SENT,
    REDIS_AWAY,
    REDIS_UNHEARD,
    SENT_UNHEARD,
    UNHEARD,
    Fault,
)
from tests.killing import Killed

SQL, COMMIT, REDIS, KAFKA = "sql", "commit", "redis", "kafka"
AWAY_FOR = 5  # commands in a row: a client that tries again finds it away still


class Effects:
    """Counts, and lets the armed fault happen."""

    def __init__(self) -> None:
        self.fault: Fault | None = None
        self.count = 0
        self.happened = 0
        self._is_dead = False
        self._away = 0
        self._thread = threading.get_ident()

    @contextmanager
    def armed(self, fault: Fault | None) -> Iterator[None]:
        """What runs inside meets the fault, if it has so many effects.

        A death ends the block, quietly: `died`.
        """
        self.fault, self.count, self._is_dead, self._away = fault, 0, False, 0
        self.died = False
        try:
            yield
        except Killed:
            self.died = True
        finally:
            self.fault, self._is_dead, self._away = None, False, 0
            if self.died:
                _forget_connections()

    def meets(self, kind: str, *kinds: str) -> bool:
        """Whether the fault of one of these kinds happens now; notes it."""
        if threading.get_ident() != self._thread:
            return False
        if self._is_dead:
            raise Killed
        fault = self.fault
        if fault is None:
            return False
        self.count += 1
        if fault.kind == DIE and self.count >= fault.at:
            self._is_dead = True
            self.happened += 1
            raise Killed
        # One that needs an effect of another kind waits for the next of that kind.
        if fault.kind in kinds and self.count >= fault.at:
            self.fault = None
            self.happened += 1
            return True
        return False

    def before_redis(self) -> bool:
        """Whether Redis is away for this command."""
        if self._away and threading.get_ident() == self._thread:
            self._away -= 1
            return True
        if (
            self.fault is not None
            and self.fault.kind == REDIS_AWAY
            and self.meets(REDIS, REDIS_AWAY)
        ):
            self._away = AWAY_FOR - 1
            return True
        return False


def _forget_connections() -> None:
    """As the stores do with those of a process that is gone."""
    db.session.rollback()
    db.session.remove()
    for client in {jobs_redis(), boards_redis()}:
        client.connection_pool.disconnect()


@contextmanager
def watched() -> Iterator[Effects]:
    """The effects of this thread inside, in the current application."""
    effects, dialect = Effects(), db.engine.dialect
    settings: Settings = current_app.config["PRESSBOX"]

    def end(connection: Any) -> None:
        pid = connection.info.backend_pid
        with psycopg.connect(settings.owner_url, autocommit=True) as owner:
            owner.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))

    def before_statement(connection: Any, *_: Any) -> None:
        if effects.meets(SQL, CUT):
            end(connection.connection.driver_connection)

    commit = dialect.do_commit

    def do_commit(connection: Any) -> None:
        if effects.meets(COMMIT, CUT):
            end(connection.driver_connection)
        commit(connection)
        if effects.meets(COMMIT, UNHEARD):
            connection.driver_connection.close()
            raise psycopg.OperationalError("the connection ended just after the commit")

    send = AbstractConnection.send_packed_command

    def send_packed(self: Any, command: Any, check_health: bool = True) -> None:
        if effects.before_redis():
            self.disconnect()
            raise redis.ConnectionError("away")
        unheard = effects.meets(REDIS, REDIS_UNHEARD)
        send(self, command, check_health)
        if unheard:
            with suppress(redis.RedisError):
                self.read_response()
            self.disconnect()
            raise redis.ConnectionError("nothing was heard of it")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dialect, "do_commit", do_commit)
        patch.setattr(AbstractConnection, "send_packed_command", send_packed)
        patch.setattr("redis.retry.sleep", lambda seconds: None)
        event.listen(db.engine, "before_cursor_execute", before_statement)
        try:
            yield effects
        finally:
            event.remove(db.engine, "before_cursor_execute", before_statement)


def on_sending(effects: Effects, send: Callable[[], Any]) -> Any:
    """Sends a message to Kafka, or lets the fault happen."""
    if effects.meets(KAFKA, NOT_SENT):
        raise KafkaTimeoutError("away")
    sent = send()
    if effects.meets(KAFKA, SENT_UNHEARD):
        raise KafkaTimeoutError("nothing was heard of it")
    return sent

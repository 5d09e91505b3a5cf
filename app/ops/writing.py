"""Whether the stores take writes, asked by writing: a server that only reads answers all else."""

from __future__ import annotations

import redis
from psycopg.errors import ReadOnlySqlTransaction
from redis.exceptions import OutOfMemoryError, ReadOnlyError
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from app.core.db import db
from app.core.redis.clients import TakesNoWrites
from app.core.redis.connections import NotPersistedError

_KEY, _KEPT_SECONDS = "pressbox:health", 90
_WRITE = text("SELECT FROM outbox ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED")
# Why Redis takes no writes, and the next step.
_REASONS: tuple[tuple[type[redis.RedisError], str, str], ...] = (
    (
        ReadOnlyError,
        "it is a replica",
        "Point REDIS_URL to the primary, or make this server one: `REPLICAOF NO ONE`.",
    ),
    (
        OutOfMemoryError,
        "its memory is full",
        "Give it more memory (its `maxmemory`, or that of the machine); `valkey-cli --bigkeys` "
        "shows what fills it.",
    ),
    (
        NotPersistedError,
        "it cannot keep or copy them",
        "Its own log names the missing disk or replica.",
    ),
)


class NoWritesError(Exception):
    """A store answers, but takes no writes; the text says why. `remedy`: the next step."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(f"takes no writes: {reason}")
        self.remedy = remedy


def write_to_redis(client: redis.Redis) -> None:
    """Write a key that goes by itself.

    Raises:
        NoWritesError: The server takes no writes.
        redis.RedisError: It does not answer.
    """
    try:
        client.set(_KEY, 1, ex=_KEPT_SECONDS)
    except TakesNoWrites as error:
        reason, remedy = next(
            (reason, remedy) for kind, reason, remedy in _REASONS if isinstance(error, kind)
        )
        raise NoWritesError(reason, remedy) from error


def write_to_postgres() -> None:
    """Lock a row, which is a write without effect. The caller rolls back.

    Raises:
        NoWritesError: The server takes no writes.
        SQLAlchemyError: It does not answer.
    """
    try:
        db.session.execute(_WRITE)
    except OperationalError as error:
        if not isinstance(error.orig, ReadOnlySqlTransaction):
            raise
        raise NoWritesError(
            "it is read-only",
            "Let DATABASE_URL lead to the primary, or make this server one: `SELECT pg_promote()`. "
            "If it is the primary, reset its `default_transaction_read_only`.",
        ) from error

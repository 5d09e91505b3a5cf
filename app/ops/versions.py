"""The versions of the stores that Pressbox needs, and an error if one is too old."""

from __future__ import annotations

from typing import Any

import redis
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from app.core.db import db
from app.core.errors import UserError
from app.core.redis.clients import RedisAway, boards_redis, jobs_redis

# The oldest that PostgreSQL's developers support, and the newest; CI restores backups on both.
POSTGRES, POSTGRES_NEWEST = 14, 18
REDIS = (7, 0)  # functions


class TooOldError(UserError):
    """A store is too old; the text says which version was found and which is needed."""


def postgres_version() -> str:
    """Return the version, for example '15.18'; with a word if it is newer than what is tested.

    Raises:
        TooOldError: It is too old.
        SQLAlchemyError: PostgreSQL does not answer.
    """
    version = str(db.session.scalar(text("SHOW server_version"))).split()[0]
    major = int(version.split(".")[0].rstrip("abcdefghijklmnopqrstuvwxyz"))
    if major < POSTGRES:
        raise TooOldError(
            f"PostgreSQL {version} was found; Pressbox needs {POSTGRES} or newer: "
            "upgrade it, or set DATABASE_URL to another one."
        )
    if major > POSTGRES_NEWEST:
        return f"{version} (tested are {POSTGRES} to {POSTGRES_NEWEST})"
    return version


def is_pooled() -> bool:
    """Whether a pooler is in between, which gives PostgreSQL's processes other numbers."""
    connection = db.session.connection()
    driver: Any = connection.connection.driver_connection
    return bool(connection.scalar(text("SELECT pg_backend_pid()")) != driver.info.backend_pid)


def redis_version(client: redis.Redis, setting: str) -> str:
    """Return the version, for example 'Redis 7.0.15' or 'Valkey 9.1.2'; of a cluster the oldest.

    Raises:
        TooOldError: It is too old.
        redis.RedisError: Redis does not answer.
    """
    info = client.info("server")
    nodes = [info] if "redis_version" in info else list(info.values())
    oldest = min(nodes, key=lambda node: _numbers(node["redis_version"]))
    name, version = "Redis", str(oldest["redis_version"])
    if "valkey_version" in oldest:
        name, version = "Valkey", str(oldest["valkey_version"])
    if _numbers(oldest["redis_version"]) < REDIS:  # Valkey names a compatible Redis
        raise TooOldError(
            f"{name} {version} was found; Pressbox needs Redis {REDIS[0]}.{REDIS[1]} or newer, or "
            "Valkey: "
            f"upgrade it, or set {setting} to another one."
        )
    return f"{name} {version}"


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in str(version).split(".")[:2])


def check_versions() -> None:
    """Raise TooOldError for a store that is too old; a store that does not answer is skipped."""
    try:
        postgres_version()
    except SQLAlchemyError:
        pass  # it does not answer; those who need it report that
    finally:
        db.session.rollback()
    for client, setting in ((jobs_redis, "REDIS_URL"), (boards_redis, "BOARDS_REDIS_URL")):
        try:
            redis_version(client(), setting)
        except RedisAway:
            continue

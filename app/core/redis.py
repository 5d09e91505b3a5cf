"""Redis connections: one for jobs and caches, one for boards (the same server unless set otherwise).

Everything in Redis can be rebuilt; a reader that finds it away falls back to PostgreSQL.
"""

from __future__ import annotations

import redis
from flask import Flask, current_app

# What a reader catches to fall back: the server is away or too slow, not a wrong command.
RedisAway = (redis.ConnectionError, redis.TimeoutError)


def connect(url: str, *, socket_timeout: float | None = 5) -> redis.Redis:
    """A client with short timeouts: a page must not hang because Redis does."""
    return redis.Redis.from_url(
        url.replace("valkey://", "redis://", 1),
        socket_connect_timeout=1,
        socket_timeout=socket_timeout,
        health_check_interval=30,
    )


def init_app(app: Flask, redis_url: str, boards_url: str) -> None:
    app.extensions["redis"] = connect(redis_url)
    app.extensions["redis_boards"] = app.extensions["redis"] if boards_url == redis_url else connect(boards_url)


def jobs_redis() -> redis.Redis:
    client: redis.Redis = current_app.extensions["redis"]
    return client


def boards_redis() -> redis.Redis:
    client: redis.Redis = current_app.extensions["redis_boards"]
    return client

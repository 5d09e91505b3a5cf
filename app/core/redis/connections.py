"""Connections to one server of Redis, without Flask: the supervisor needs no more.

The application's clients are in clients.py.
"""

from __future__ import annotations

from typing import Any, cast

import redis
from redis.connection import DefaultParser
from redis.exceptions import ResponseError


class NotPersistedError(ResponseError):
    """The server takes no writes, because it could not keep or replicate them."""


class Parser(DefaultParser):  # type: ignore[valid-type,misc]
    """Names the refusals of a write for which redis-py has no class."""

    EXCEPTION_CLASSES = {  # noqa: RUF012 (the base class's own kind)
        **DefaultParser.EXCEPTION_CLASSES,
        "MISCONF": NotPersistedError,
        "NOREPLICAS": NotPersistedError,
    }


# For every client: a page must not hang because Redis does.
PATIENCE = {"socket_connect_timeout": 1, "socket_timeout": 5, "health_check_interval": 30}
TIMEOUTS = {**PATIENCE, "parser_class": Parser}


def connect(url: str) -> redis.Redis:
    """Return a client of one server."""
    return redis.Redis.from_url(
        url.replace("valkey://", "redis://", 1), **cast("dict[str, Any]", TIMEOUTS)
    )

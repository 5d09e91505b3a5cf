"""When somebody last used the site, in Redis, to a few seconds."""

from __future__ import annotations

import contextlib
import time

import redis
from flask import Flask, request

from app.core.redis import jobs_redis

LAST_USED = "pressbox:last_used"  # seconds since 1970
EVERY_SECONDS = 10.0
NOT_PEOPLE = frozenset({"ops.healthz", "static"})


def init_app(app: Flask) -> None:
    noted = 0.0

    @app.before_request
    def note_use() -> None:
        nonlocal noted
        now = time.time()
        if now - noted < EVERY_SECONDS or request.endpoint in NOT_PEOPLE:
            return
        noted = now
        with contextlib.suppress(redis.RedisError):  # a page must not fail because of this
            jobs_redis().set(LAST_USED, now)

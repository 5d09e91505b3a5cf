"""Jobs for the tests of stalls, run by real worker processes: they are named by this module."""

from __future__ import annotations

import os
import time

from sqlalchemy import text

from app.core.db import db
from app.core.redis.clients import jobs_redis
from tests.waiting import until
from workers.context import in_app

LOCK = 424_242  # no lock of Pressbox
WORD = "test:word"  # in Redis: `wait_for_word` ends once it is there


@in_app
def hold(seconds: float) -> None:
    """Takes a lock, then a statement goes on for so many seconds."""
    db.session.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
    db.session.execute(text("SELECT pg_sleep(:seconds)"), {"seconds": seconds})


@in_app
def spin(seconds: float) -> None:
    """Works for so many seconds, line by line, with no store."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        time.sleep(0.05)


@in_app
def wait_for_word() -> None:
    """Works until the test says the word."""
    until(lambda: bool(jobs_redis().exists(WORD)), "the test says the word", seconds=600)


@in_app
def process() -> int:
    """The worker's process id, after a statement of its own."""
    db.session.execute(text("SELECT 1"))
    return os.getpid()


def fail() -> None:
    raise RuntimeError("this job always fails")

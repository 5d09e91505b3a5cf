"""Waiting for something that other processes do."""

from __future__ import annotations

import time
from collections.abc import Callable

import psycopg
from flask import has_app_context

from app.core.db import db


def until(condition: Callable[[], bool], what: str, seconds: float = 120) -> None:
    """Returns once the condition holds; fails with `what` when it does not in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        if has_app_context():
            db.session.rollback()  # the next look sees what was committed meanwhile
        time.sleep(0.05)  # between two looks at another process; the condition decides, never the pause


def until_nobody_is_at_work(url: str) -> None:
    """Returns once no process of Pressbox is connected to the database.

    PostgreSQL notices some seconds later that a killed process is gone, and holds its locks until then.
    """
    others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    with psycopg.connect(url, autocommit=True) as connection:

        def alone() -> bool:
            return connection.execute(f"{others} AND application_name LIKE 'pressbox%'").fetchone() == (0,)

        until(alone, "the connections of other processes have ended")

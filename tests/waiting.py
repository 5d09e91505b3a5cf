"""Waiting for something that other processes do."""

from __future__ import annotations

import time
from collections.abc import Callable

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

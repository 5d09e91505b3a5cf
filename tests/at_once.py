"""Acts in threads that begin together."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from flask import Flask

from app.core.db import db
from tests.waiting import patience


def at_once(app: Flask, *acts: Callable[[], Any]) -> list[Any]:
    """All in threads of their own that begin together, each with its own connection.

    What each gave.
    """
    together = Barrier(len(acts))

    def run(act: Callable[[], Any]) -> Any:
        with app.app_context():
            together.wait(patience(60))
            try:
                return act()
            finally:
                db.session.remove()

    db.session.commit()
    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))

"""Counting what is asked of the database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlalchemy import event

from app.core.db import db


@contextmanager
def count_statements() -> Iterator[Callable[[], int]]:
    """Inside an application context: `with count_statements() as counted: ...`, then `counted()`."""
    begun = 0

    def note(*_: object) -> None:
        nonlocal begun
        begun += 1

    db.session.commit()
    db.session.expunge_all()  # nothing is known beforehand
    event.listen(db.engine, "before_cursor_execute", note)
    try:
        yield lambda: begun
    finally:
        event.remove(db.engine, "before_cursor_execute", note)

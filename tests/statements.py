"""Counting what is asked of the database and of Redis."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from redis.connection import AbstractConnection
from sqlalchemy import event, text

from app.core.db import db
from app.core.restore_epoch import epoch


@contextmanager
def count_statements() -> Iterator[Callable[[], int]]:
    """Count the statements of a block inside an application context.

    `with count_statements() as counted: ...`, then `counted()`.
    """
    begun = 0

    def note(*_: object) -> None:
        nonlocal begun
        begun += 1

    epoch()  # asked once per process
    db.session.commit()
    db.session.expunge_all()  # nothing is known beforehand
    event.listen(db.engine, "before_cursor_execute", note)
    try:
        yield lambda: begun
    finally:
        event.remove(db.engine, "before_cursor_execute", note)


@contextmanager
def redis_round_trips() -> Iterator[list[Any]]:
    """What was sent to Redis inside, one item a round trip: a pipeline is one."""
    sent: list[Any] = []
    send = AbstractConnection.send_packed_command

    def note(self: AbstractConnection, command: Any, check_health: bool = True) -> None:
        sent.append(command)
        send(self, command, check_health)

    with patch.object(AbstractConnection, "send_packed_command", note):
        yield sent


def repeat_subqueries() -> None:
    """Have the next statements of this transaction run a subquery anew for each row of a table.

    PostgreSQL chooses such a plan by what it knows of the tables, so that it comes up by chance.
    """
    for plan in ("hashjoin", "mergejoin", "hashagg", "sort", "material", "memoize"):
        db.session.execute(text(f"SET LOCAL enable_{plan} = off"))

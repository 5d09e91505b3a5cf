"""The stores of a target's process.

An application on empty ones, and whether anything was written to PostgreSQL.
"""

from __future__ import annotations

import logging
from contextlib import ExitStack
from typing import Any

import structlog
from flask import Flask
from sqlalchemy import event, text
from sqlalchemy.engine import Engine

from app import create_app
from app.core.db import db, migrations
from app.setting_reading import settings_from_env
from tests.conftest import Client, emptied
from tests.owner import let_truncate

_wrote: list[str] = []
_entered = ExitStack()  # for as long as the process lives


def application() -> Flask:
    """On the stores that the environment names, which are empty now; its context stays entered."""
    settings = settings_from_env()
    app = create_app(settings)
    app.testing = True
    app.test_client_class = Client
    with app.app_context():
        migrations.upgrade()
    let_truncate(settings.owner_url)
    _entered.enter_context(emptied(app))
    event.listen(Engine, "before_cursor_execute", _note)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    logging.disable(logging.CRITICAL)
    return app


def _note(connection: Any, cursor: Any, statement: str, *_: Any) -> None:
    if any(word in statement for word in ("INSERT", "UPDATE", "DELETE")):
        _wrote.append(statement)


def forget_writes() -> None:
    """Asked before an input: `has_written` begins anew."""
    _wrote.clear()


def has_written() -> bool:
    """Whether a statement that writes was sent, committed or not."""
    return bool(_wrote)


# What a process counts is written every few seconds, whatever the input was.
COUNTED_BY_THE_CLOCK = {"measure_counts"}


def committed() -> dict[str, tuple[int, int]]:
    """What is in the tables, by name.

    How many rows, and the transaction that wrote the newest of them.
    """
    looks = (
        f"SELECT '{name}', count(*), coalesce(max(xmin::text::bigint), 0) FROM \"{name}\""
        for name in sorted(db.metadata.tables.keys() - COUNTED_BY_THE_CLOCK)
    )
    with db.engine.connect() as connection:
        rows = connection.execute(text(" UNION ALL ".join(looks))).all()
    return {name: (count, newest) for name, count, newest in rows}


def differ(before: dict[str, tuple[int, int]]) -> list[str]:
    """The tables that are not as they were."""
    now = committed()
    return [name for name in now if now[name] != before[name]]

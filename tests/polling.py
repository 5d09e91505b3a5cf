"""Polls of fragments, what they cost, and on which tables their answers rest."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from flask.testing import FlaskClient
from sqlalchemy import event, text
from werkzeug.test import TestResponse

from app.core.db import db
from tests.statements import count_statements, redis_round_trips


def poll(client: FlaskClient, url: str, shows: str | None = None) -> TestResponse:
    """Asks for the fragment, as the page does."""
    return client.get(
        url, headers={"HX-Request": "true"} | ({"If-None-Match": shows} if shows else {})
    )


def remembered(client: FlaskClient, url: str) -> str:
    """The tag of the fragment, whose next poll is answered from memory."""
    tag = poll(client, url).headers["ETag"]
    assert poll(client, url, tag).status_code == 304
    assert is_fast(client, url, tag)
    return tag


def is_fast(client: FlaskClient, url: str, tag: str) -> bool:
    """Whether this poll is answered with 304 without a statement and in one round trip.

    Otherwise it was asked for.
    """
    with count_statements() as counted, redis_round_trips() as trips:
        answer = poll(client, url, tag)
    if counted():
        return False
    return answer.status_code == 304 and not answer.data and len(trips) == 1


def tables_read(client: FlaskClient, url: str) -> set[str]:
    """The tables that PostgreSQL asks for an unchanged poll that is not remembered yet."""
    tag = poll(client, url).headers["ETag"]
    forget_parts(client)
    return _tables_asked_by(lambda: poll(client, url, tag), 304)


def tables_of_page(client: FlaskClient, url: str) -> set[str]:
    """The tables that PostgreSQL asks for a whole page of which nothing is remembered."""
    forget_parts(client)
    return _tables_asked_by(lambda: client.get(url), 200)


def tagged_tables() -> set[str]:
    """The tables of which something raises a stamp when it is written."""
    return set(
        db.session.scalars(
            text("""
                SELECT DISTINCT CAST(CAST(tgrelid AS regclass) AS text) FROM pg_trigger
                  JOIN pg_proc p ON p.oid = tgfoid
                WHERE p.prosrc LIKE '%raise_stamps%'
            """)
        )
    )


def _tables_asked_by(ask: Callable[[], TestResponse], status: int) -> set[str]:
    asked: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        asked.append((statement, parameters))

    event.listen(db.engine, "before_cursor_execute", note)
    try:
        assert ask().status_code == status
    finally:
        event.remove(db.engine, "before_cursor_execute", note)
    assert asked
    read: set[str] = set()
    with db.engine.connect() as connection:
        for statement, parameters in asked:
            if statement.lstrip().upper().startswith(("SELECT", "WITH")):
                plan = connection.exec_driver_sql(
                    f"EXPLAIN (FORMAT JSON) {statement}", parameters
                ).scalar_one()
                read |= set(_relations(plan))
    return read


def forget_pages(client: FlaskClient) -> None:
    """Rendered pages have to be rendered again, from the values that are known."""
    store = client.application.extensions["tag_store"]._client
    for key in store.scan_iter("polls:entry:page:*"):
        store.delete(key)


def forget_parts(client: FlaskClient) -> None:
    """What is rendered or known for everybody (app/core/page_cache) has to be asked for again."""
    store = client.application.extensions["tag_store"]._client
    for key in store.scan_iter("polls:entry:*:*"):
        store.delete(key)


def _relations(plan: Any) -> Iterator[str]:
    if isinstance(plan, dict) and "Relation Name" in plan:
        # a partition is its table
        yield re.sub(r"^(ledger|score_attempts)_(default|[\d_]+)$", r"\1", plan["Relation Name"])
    inside = plan.values() if isinstance(plan, dict) else plan if isinstance(plan, list) else ()
    for header in inside:
        yield from _relations(header)

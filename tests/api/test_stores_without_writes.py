"""Redis and PostgreSQL that answer and take no writes.

A replica after a failover, a full memory, a disk that is full, a read-only database. Nobody is
refused what needs no write, nothing is lost, and the cause is named.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.core import clock
from app.core.db import db
from app.core.redis.clients import jobs_redis
from app.ops.health import check_all
from app.scores.processing import reconcile
from tests.read_only import REDIS_WITHOUT_WRITES, postgres_without_writes
from tests.worlds.callers import Callers, got
from tests.worlds.score_log import Log, all_clean, score_event
from tests.worlds.team_sheets import World

PAGES = ("/", "/games", "/leagues", "/notices", "/tournaments", "/account")
PASSWORD = "correct horse battery"
# What the operator reads, by what Redis is.
WAYS = {
    "a replica": "it is a replica",
    "full": "its memory is full",
    "without copies": "it cannot keep or copy them",
}


@contextmanager
def redis_without_writes(state: str) -> Iterator[str]:
    """While it lasts, Redis answers and takes no writes; gives what the operator reads."""
    begin, end = REDIS_WITHOUT_WRITES[state]
    jobs_redis().execute_command(*begin)
    try:
        yield WAYS[state]
    finally:
        jobs_redis().execute_command(*end)


def put(callers: Callers, log: Log, *scores: int) -> None:
    log.put(*(score_event(callers.mode, callers.player_id, score, clock.now()) for score in scores))
    log.consume(judge=all_clean)


def board(callers: Callers, limit: int = 10) -> tuple[list[int], str]:
    """The scores, and the store that they are from. Each `limit` is a page of its own."""
    db.session.expire_all()  # the test's own session would remember the board
    page = got(callers.app.test_client(), f"{callers.board}?limit={limit}")
    return [entry["score"] for entry in page["entries"]], page["source"]


def down(app: Flask) -> dict[str, str]:
    return {
        part.name: part.because_of or part.detail
        for part in check_all(app.config["PRESSBOX"])
        if not part.up
    }


@pytest.mark.fault(15)
@pytest.mark.parametrize("state", WAYS)
def test_members_sign_in_and_read_while_redis_takes_no_writes(
    as_ann: FlaskClient, app: Flask, world: World, state: str
) -> None:
    with redis_without_writes(state):
        fresh = app.test_client()
        signed_in = fresh.post("/sign-in", data={"username": "ann", "password": PASSWORD})
        assert (signed_in.status_code, signed_in.location) == (303, "/")
        for client in (as_ann, fresh):
            for path in PAGES:
                page = client.get(path)
                assert page.status_code == 200, path
                assert "A part of Pressbox is down" not in page.text


@pytest.mark.fault(15)
@pytest.mark.parametrize("state", WAYS)
def test_boards_are_read_and_scores_count_while_redis_takes_no_writes(
    callers: Callers, state: str
) -> None:
    log = Log()
    put(callers, log, 70)
    assert board(callers) == ([70], "redis")
    with redis_without_writes(state):
        assert board(callers, 11)[0] == [70]
        put(callers, log, 90)
        assert board(callers, 12) == ([90], "postgresql")
    reconcile.reconcile(clock.now())
    assert board(callers, 13) == ([90], "redis")


@pytest.mark.fault(15)
@pytest.mark.parametrize("state", WAYS)
def test_the_operator_reads_why_redis_takes_no_writes(app: Flask, state: str) -> None:
    """And no process is called dead whose sign of life could not be written."""
    with redis_without_writes(state) as words:
        parts = down(app)
    assert parts.pop("redis") == f"takes no writes: {words}"
    assert set(parts.values()) == {f"Redis takes no writes: {words}"}
    assert "redis" not in down(app)


@pytest.mark.fault(17)
def test_a_read_only_database_is_read_and_what_writes_may_be_tried_again(
    as_ann: FlaskClient, app: Flask, world: World
) -> None:
    with postgres_without_writes(app.config["PRESSBOX"]):
        db.session.rollback()
        for path in PAGES:
            assert as_ann.get(path).status_code == 200, path
        saved = as_ann.post("/notices/calendar")
        assert (saved.status_code, saved.headers["Retry-After"]) == (503, "30")
        assert "Nothing you saved is lost" in saved.text
        db.session.rollback()  # as at the end of a request
        refused = app.test_client().post("/sign-in", data={"username": "ann", "password": PASSWORD})
        assert refused.status_code == 503
        db.session.rollback()
        assert down(app)["postgres"] == "takes no writes: it is read-only"
    db.session.rollback()
    assert as_ann.post("/notices/calendar").status_code == 303

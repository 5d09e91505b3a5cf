"""The operators' area.

Every page has its figures, says so when a store is away, and every act is audited.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from kafka.errors import KafkaTimeoutError
from sqlalchemy import select, text

from app.audit.acts import Act
from app.audit.models import AuditEntry
from app.boards.catalogue import queries as catalogue
from app.boards.layouts.board import open_board
from app.boards.models import BoardRecord
from app.boards.verification import services as verification
from app.core import clock, jobs
from app.core.db import db
from app.core.redis.clients import jobs_redis
from app.dead_letters import letters
from app.dead_letters.models import DeadJob
from app.ops import figures, health, lag, operations
from app.ops.models import DONE, FAILED, WAITING, Operation
from app.record.rebuild import begun_games
from app.scores.jobs import TRIM_FEED
from tests.boards.test_verification import HELD, make_board
from tests.dead_letters.conftest import kill as kill
from tests.dead_letters.conftest import work as work
from tests.dead_letters.failing_jobs import FAIL, MENDED
from tests.waiting import join, patience, until
from tests.worlds.boards import redis_at
from tests.worlds.score_games import make_score_game
from workers.rq_worker import KINDS, make_worker
from workers.schedule import SCHEDULE, Clock

PAGES = ("", "/stream", "/work", "/boards", "/settlements", "/dead-letters", "/drills")
Kill = Callable[..., None]


@pytest.fixture
def operator(sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    return sign_in("operator")


@pytest.fixture
def upkeep(app: Flask) -> Callable[[], None]:
    """The worker of operations in this process, until its queue is empty."""

    def run() -> None:
        db.session.rollback()
        make_worker(KINDS["operations"], app.config["PRESSBOX"]).work(
            burst=True, logging_level="CRITICAL"
        )
        db.session.rollback()

    return run


def audited(act: Act) -> list[tuple[str, str]]:
    """Subject and reason of the entries of this act."""
    db.session.rollback()
    query = (
        select(AuditEntry.subject, AuditEntry.reason)
        .where(AuditEntry.act == act.value)
        .order_by(AuditEntry.id)
    )
    return [tuple(row) for row in db.session.execute(query).all()]


def only() -> Operation:
    db.session.rollback()
    (operation,) = db.session.scalars(select(Operation).execution_options(populate_existing=True))
    return operation


@pytest.mark.parametrize("page", PAGES)
def test_every_page_is_there_when_nothing_has_happened(operator: FlaskClient, page: str) -> None:
    answer = operator.get(f"/ops{page}")
    assert answer.status_code == 200, answer.text
    assert 'aria-current="page"' in answer.text


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("role", ["member", "scorer", "moderator"])
def test_nobody_else_learns_that_it_exists(
    sign_in: Callable[..., FlaskClient], page: str, role: str
) -> None:
    assert sign_in(role).get(f"/ops{page}").status_code == 404


def test_a_store_that_is_away_leaves_its_own_table_empty_alone(
    operator: FlaskClient, app: Flask
) -> None:
    with redis_at(app, app.config["PRESSBOX"].redis_url):
        app.config["PRESSBOX"], before = (
            replace(app.config["PRESSBOX"], kafka="127.0.0.1:1"),
            app.config["PRESSBOX"],
        )
        try:
            page = operator.get("/ops/stream").text
        finally:
            app.config["PRESSBOX"] = before
    assert "Kafka does not answer." in page
    assert "0 events waiting in the outbox" in page


def test_a_broker_that_never_answers_holds_no_page(
    operator: FlaskClient, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten pages go without it while the four clients that ask it still wait."""
    clients: list[str] = []
    is_given_up = threading.Event()

    def mute_client(**_config: object) -> None:
        clients.append("waits")
        is_given_up.wait(patience(300))
        clients.remove("waits")
        raise KafkaTimeoutError

    monkeypatch.setattr(lag, "TolerantConsumer", mute_client)
    monkeypatch.setattr(health, "KafkaAdminClient", mute_client)
    settings = replace(app.config["PRESSBOX"], kafka="127.0.0.1:2", kafka_page_seconds=0.05)
    monkeypatch.setitem(app.config, "PRESSBOX", settings)
    try:
        for _ in range(5):
            assert "Kafka does not answer." in operator.get("/ops/stream").text
            assert "does not answer<small" in operator.get("/ops").text
        assert clients == ["waits"] * 4
    finally:
        is_given_up.set()
    until(lambda: not clients, "all of them have given up", seconds=10)


def test_queues_workers_schedule_and_blocked_statements_are_shown(operator: FlaskClient) -> None:
    jobs.send(TRIM_FEED)
    Clock().send_due(jobs_redis(), 1.0)
    name = figures.short_name(SCHEDULE[0].name)
    with db.engine.connect() as holder, db.engine.connect() as waiter:
        holder.execute(text("SELECT pg_advisory_xact_lock(99)"))
        waiter.connection.dbapi_connection.execute("SELECT 1")  # type: ignore[union-attr]
        waiter.rollback()
        waiting = waiter.connection.dbapi_connection  # type: ignore[assignment]
        thread = threading.Thread(
            target=lambda: waiting.execute("SELECT pg_advisory_xact_lock(99)")
        )  # type: ignore[union-attr]
        thread.start()
        try:
            statements = _until_blocked()
            page = operator.get("/ops/work").text
        finally:
            holder.rollback()
            join(thread)
            waiter.rollback()
    assert statements.waits_for
    assert "SELECT pg_advisory_xact_lock(99)" in page
    for words in ("trim_feed", name, "Schedule"):
        assert words in page


def test_queues_with_trouble_come_first_and_the_quiet_ones_are_folded(
    operator: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def queue(name: str, *, waiting: int = 0, failed: int = 0) -> figures.QueueFigures:
        return figures.QueueFigures(name, waiting, 0.0, 0, 1, [], 5, failed)

    queues = [queue("ingest"), queue("boards", waiting=3), queue("notices", failed=2)]
    monkeypatch.setattr(figures, "queues", lambda: queues)
    page = operator.get("/ops/work").text
    assert "2 of 3 need attention" in page
    troubled, _, quiet = page.partition('<details id="quiet-queues">')
    assert re.findall(r'<th scope="row">(\w+)', troubled) == ["notices", "boards"]
    assert re.findall(r'<th scope="row">(\w+)', quiet) == ["ingest"]


def _until_blocked() -> figures.Statement:
    statements: list[figures.Statement] = []

    def is_blocked() -> bool:
        statements[:] = [statement for statement in figures.statements() if statement.waits_for]
        return bool(statements)

    until(is_blocked, "a statement waits")
    return statements[0]


def test_a_board_says_when_it_was_verified_and_is_rebuilt_on_demand(
    operator: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = make_score_game()
    mode, record = make_board(game)
    verifier = verification.Verifier()
    verified_at = clock.now()
    verifier.step(verified_at)
    with monkeypatch.context() as seven_seconds_later:
        seven_seconds_later.setattr(clock, "now", lambda: verified_at + timedelta(seconds=7))
        page = operator.get("/ops/boards").text
    assert "verified 7 s ago" in page
    assert f'data-label="Players">{len(HELD)}</td>' in page
    before = db.session.get_one(BoardRecord, record.id).generation
    assert (
        operator.post(f"/ops/boards/{record.id}/rebuild", data={"reason": "a drill"}).status_code
        == 303
    )
    assert audited(Act.BOARD_REBUILT) == [(f"board:{record.id}", "a drill")]
    assert '<span class="chip chip-warn">PostgreSQL</span>' in operator.get("/ops/boards").text
    assert verification.mend(clock.now()) == 1
    db.session.expire_all()
    record = db.session.get_one(BoardRecord, record.id)
    assert (record.generation, record.stale_since) == (before + 1, None)
    assert open_board(catalogue.spec_of(game, mode, record)).count() == len(HELD)


def test_a_dead_letter_is_found_read_and_sent_again(
    operator: FlaskClient, kill: Kill, work: Callable[[], None], upkeep: Callable[[], None]
) -> None:
    kill((FAIL, 7))
    (letter,) = letters.waiting()
    page = operator.get("/ops/dead-letters").text
    assert "RuntimeError" in page
    page = operator.get(f"/ops/dead-letters?kind={letter.kind}&cause=RuntimeError").text
    assert letter.id in page
    page = operator.get(f"/ops/dead-letters/{letter.id}").text
    assert "the cause of number 7" in page
    assert "&#34;arguments&#34;: [7]" in page
    asked = {"id": letter.id, "reason": "the cause is fixed"}
    assert "Give a reason" in operator.post("/ops/dead-letters/replay", data={"id": letter.id}).text
    answer = operator.post("/ops/dead-letters/replay", data=asked | {"how": "dry-run"})
    assert answer.status_code == 303
    upkeep()
    assert only().outcome.startswith("1 of 1 would be sent again")
    assert letters.waiting()[0].replays == 0
    db.session.execute(text("DELETE FROM operations"))
    db.session.commit()
    jobs_redis().set(MENDED, 1)
    operator.post("/ops/dead-letters/replay", data=asked)
    upkeep()
    work()
    assert (only().state, only().outcome) == (DONE, "1 of 1 sent again.")
    assert letters.waiting() == []
    assert [reason for _, reason in audited(Act.DEAD_LETTERS_REPLAYED)] == ["the cause is fixed"]


def test_all_of_a_cause_are_given_up_with_a_reason(operator: FlaskClient, kill: Kill) -> None:
    for number in range(3):
        kill((FAIL, number))
    kind = letters.waiting()[0].kind
    chosen = {"scope": "cause", "kind": kind, "cause": "RuntimeError"}
    assert operator.post("/ops/dead-letters/drop", data=chosen).status_code == 422
    assert len(letters.waiting()) == 3
    assert (
        operator.post("/ops/dead-letters/drop", data=chosen | {"reason": "a test"}).status_code
        == 303
    )
    assert letters.waiting() == []
    assert [reason for _, reason in audited(Act.DEAD_LETTERS_DROPPED)] == ["a test"] * 3
    assert set(db.session.scalars(select(DeadJob.dropped_because))) == {"a test"}


def test_nothing_is_chosen_by_an_empty_form(operator: FlaskClient, kill: Kill) -> None:
    kill((FAIL, 1))
    for act in ("replay", "drop"):
        answer = operator.post(f"/ops/dead-letters/{act}", data={"reason": "x"})
        assert (answer.status_code, "Choose at least one" in answer.text) == (422, True)
    assert len(letters.waiting()) == 1


@pytest.mark.parametrize("kind", ["record", "boards", "caches", "stream", "backup"])
def test_each_drill_has_a_dry_run_and_says_what_came_of_it(
    operator: FlaskClient, upkeep: Callable[[], None], kind: str
) -> None:
    answer = operator.post("/ops/drills", data={"kind": kind, "how": "dry-run"})
    assert answer.status_code == 303, answer.text
    assert "Waiting for a worker." in operator.get(answer.location).text
    upkeep()
    assert (only().state, audited(Act.DRILL)) == (DONE, [])
    progress = operator.get(answer.location, headers={"HX-Request": "true"})
    assert (progress.status_code, "<html" in progress.text) == (286, False)
    db.session.execute(text("DELETE FROM operations"))
    db.session.commit()
    assert operator.post("/ops/drills", data={"kind": kind, "how": "run"}).status_code == 422
    operator.post("/ops/drills", data={"kind": kind, "how": "run", "reason": "every quarter"})
    upkeep()
    assert (only().state, only().outcome != "") == (DONE, True), only().outcome
    assert audited(Act.DRILL) == [(f"operation:{only().id}", "every quarter")]


def test_an_operation_runs_once_and_a_dead_one_is_given_up(
    operator: FlaskClient, app: Flask
) -> None:
    operator.post("/ops/drills", data={"kind": "boards", "how": "dry-run"})
    operation = only()
    operations.execute(operation.id)
    ended = only().ended_at
    operations.execute(operation.id)
    assert only().ended_at == ended
    db.session.execute(
        text(
            "UPDATE operations SET state = 'running', ended_at = NULL, created_at = now() - '1 "
            "day'::interval"
        )
    )
    db.session.commit()
    assert operations.give_up(clock.now()) == 1
    assert only().state == FAILED
    assert WAITING != FAILED
    assert begun_games() == []


def test_progress_is_drawn_where_it_is_counted(operator: FlaskClient) -> None:
    operator.post("/ops/drills", data={"kind": "boards", "how": "dry-run"})
    operation = only()
    for progress, steps in (
        ("Board 3 of 40, kicks", (3, 40)),
        ("Waiting for 1 of 2 sent first", (1, 2)),
        ("Reads", None),
    ):
        operation.progress = progress
        db.session.commit()
        assert only().steps == steps
        page = operator.get(f"/ops/operations/{operation.id}").text
        assert progress in page
        assert ("<progress" in page) == (steps is not None)


def test_an_unknown_drill_is_refused(operator: FlaskClient) -> None:
    answer = operator.post("/ops/drills", data={"kind": "rm", "how": "dry-run"})
    assert (answer.status_code, "Choose one of" in answer.text) == (422, True)

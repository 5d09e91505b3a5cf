"""A correction before its original waits, is retried, and ends as a dead letter (A10)."""

from __future__ import annotations

import pytest
from flask import Flask
from rq import Retry
from sqlalchemy import event, select

from app.core import jobs
from app.core.db import db
from app.record import events as ev
from app.record.jobs import APPLY_CORRECTION
from app.record.models import RecordedEvent
from app.settings import Settings
from app.stream.messages import Message
from app.stream.models import DeadLetter
from tests.worlds.games import ingest, make_game, messages, touchdown_drive
from workers.jobs import apply_correction, ingest_events

pytestmark = pytest.mark.fault(5)

SETTINGS = Settings()


@pytest.fixture(autouse=True)
def _game(app: Flask) -> None:
    make_game()


@pytest.fixture
def batch() -> list[Message]:
    """The drive, and as the last message a nullify of its first run."""
    return messages([*touchdown_drive(), ev.Nullify(events=(6,))])


def test_an_original_that_comes_during_the_wait_is_corrected(batch: list[Message]) -> None:
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 2:
            ingest(batch[:-1])

    outcome = ingest_events.ingest([batch[-1]], SETTINGS, wait)
    assert (outcome.corrected, outcome.deferred) == (1, [])
    assert waits == [0.05, 0.05]
    run = db.session.get_one(RecordedEvent, ("g1", 6, 0))
    assert not run.valid


def test_an_original_that_never_comes_is_looked_for_as_often_as_set(batch: list[Message]) -> None:
    waits: list[float] = []
    outcome = ingest_events.ingest(
        [batch[-1]], Settings(correction_looks=2, correction_wait_ms=20), waits.append
    )
    assert (outcome.deferred, waits) == ([batch[-1]], [0.02, 0.02])


def test_what_is_still_missing_becomes_a_job_with_retries(batch: list[Message]) -> None:
    ingest_events.run([batch[-1].to_json()])
    queued = jobs.queue(jobs.INGEST_QUEUE).jobs
    assert [(job.func_name, job.retries_left, job.retry_intervals) for job in queued] == [
        (APPLY_CORRECTION.name, 3, [30, 60, 120])
    ]
    with pytest.raises(apply_correction.StillMissingError):
        run_as(queued[0].retries_left, batch[-1])
    assert db.session.scalars(select(DeadLetter)).all() == []


def run_as(retries_left: int | None, message: Message) -> None:
    """Runs the job as RQ would with so many retries left."""
    job = jobs.queue("scratch").enqueue(
        APPLY_CORRECTION.name,
        message.to_json(),
        retry=Retry(max=retries_left) if retries_left else None,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(apply_correction, "get_current_job", lambda: job)
        apply_correction.run(message.to_json())


def test_after_the_last_retry_it_is_a_dead_letter_with_payload_and_reason(
    batch: list[Message],
) -> None:
    run_as(0, batch[-1])
    letter = db.session.scalars(select(DeadLetter)).one()
    assert letter.payload == batch[-1].value
    assert "never came" in letter.reason
    run_as(0, batch[-1])
    assert len(db.session.scalars(select(DeadLetter)).all()) == 1


def test_a_retry_that_finds_the_original_applies_it_once(batch: list[Message]) -> None:
    ingest(batch[:-1])
    for _ in range(2):
        run_as(1, batch[-1])
    assert not db.session.get_one(RecordedEvent, ("g1", 6, 0)).valid
    assert db.session.scalars(select(DeadLetter)).all() == []


def test_ordinary_events_are_inserted_before_anything_of_the_record_is_read(
    batch: list[Message],
) -> None:
    statements: list[str] = []

    def note(_conn: object, _cursor: object, statement: str, *_: object) -> None:
        statements.append(" ".join(statement.split()).upper())

    event.listen(db.engine, "before_cursor_execute", note)
    try:
        ingest(batch[:-1])
    finally:
        event.remove(db.engine, "before_cursor_execute", note)
    first_insert = next(i for i, s in enumerate(statements) if s.startswith("INSERT INTO EVENTS"))
    # The lock on the registered games and the look for final scores come first; no row of an
    # ordinary event is read.
    assert first_insert == 2
    assert "PG_ADVISORY_XACT_LOCK" in statements[0]
    assert "EVENTS.TYPE = " in statements[1]
    assert "GROUP BY EVENTS.GAME_ID" in statements[1]
    assert "FROM GAMES" in statements[0]
    assert not any("FROM CORRECTIONS" in statement for statement in statements)

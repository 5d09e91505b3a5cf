"""Waiting for what becomes of a score.

One connection hears for everybody, and nobody waits for one that is lost.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from flask import Flask
from sqlalchemy import text

from app.core.db import db
from app.core.postgres.connections import connect
from app.scores.submission import outcomes, submit
from app.scores.submission.claims import Unavailable
from app.scores.submission.outcomes import Listener
from app.settings import Settings
from tests.scores.test_submit import MakeMode, Players
from tests.waiting import patience, until
from tests.worlds.claims import claim, send

PATIENCE = patience(60)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[psycopg.Connection[Any]]:
    """The connections that listeners open."""
    connections: list[psycopg.Connection[Any]] = []

    def noting(*arguments: Any, **more: Any) -> psycopg.Connection[Any]:
        connections.append(connect(*arguments, **more))
        return connections[-1]

    monkeypatch.setattr(outcomes, "connect", noting)
    return connections


@pytest.fixture
def settings(app: Flask) -> Settings:
    settings_now: Settings = app.config["PRESSBOX"]
    return settings_now


def decide(*events: UUID) -> None:
    outcomes.notify(events)
    db.session.commit()


def test_everybody_hears_of_their_own_by_one_connection(
    settings: Settings, opened: list[psycopg.Connection[Any]]
) -> None:
    hearing = Listener(settings)
    events = [uuid4() for _ in range(12)]
    ready = threading.Barrier(len(events) + 1)

    def wait(event: UUID) -> bool:
        with hearing.waiting([event]) as waiting:
            ready.wait(PATIENCE)
            return waiting.until([event], PATIENCE)

    with ThreadPoolExecutor(len(events)) as pool:
        answers = [pool.submit(wait, event) for event in events]
        ready.wait(PATIENCE)
        decide(*events[:5])
        decide(*events[5:])
        assert all(answer.result(PATIENCE) for answer in answers)
    assert len(opened) == 1


def test_one_is_not_taken_for_another_and_what_was_not_sent_is_not_awaited(
    settings: Settings,
) -> None:
    mine, others, unsent = uuid4(), uuid4(), uuid4()
    with Listener(settings).waiting([mine, unsent]) as waiting:
        decide(others)
        assert not waiting.until([mine], 0)
        decide(mine)
        assert waiting.until([mine], PATIENCE)
        assert not waiting.until([mine, unsent], 0)


def test_a_lost_connection_is_told_at_once_and_the_next_one_hears_again(
    settings: Settings, opened: list[psycopg.Connection[Any]]
) -> None:
    hearing = Listener(settings)
    event = uuid4()
    with hearing.waiting([event]) as waiting:
        db.session.execute(
            text("SELECT pg_terminate_backend(:pid)"), {"pid": opened[0].info.backend_pid}
        )
        db.session.commit()
        assert not waiting.until([event], PATIENCE)
        assert waiting.lost
    with hearing.waiting([event]) as waiting:
        decide(event)
        assert waiting.until([event], PATIENCE)
    assert len(opened) == 2


def test_nobody_who_waits_leaves_no_connection_behind(
    settings: Settings, opened: list[psycopg.Connection[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outcomes, "LOOK_SECONDS", 0.05)
    hearing = Listener(settings)
    for _ in range(2):  # the second finds it ended, or still there: it hears either way
        event = uuid4()
        with hearing.waiting([event]) as waiting:
            decide(event)
            assert waiting.until([event], PATIENCE)
    until(lambda: all(connection.closed for connection in opened), "closed")


def test_a_score_that_nobody_could_hear_of_is_not_sent(
    app: Flask,
    settings: Settings,
    make_mode: MakeMode,
    players: Players,
    nobody_listens: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    away = replace(settings, database_url=f"postgresql://127.0.0.1:{nobody_listens}/none")
    monkeypatch.setitem(app.extensions, "score_outcomes", Listener(away))
    sent: list[Any] = []
    monkeypatch.setattr(submit.sending, "send", lambda *arguments: sent.append(arguments))
    (ann,) = players(1)
    (outcome,) = send(claim(make_mode(), ann, 5))
    assert isinstance(outcome, Unavailable)
    assert outcome.retry_after > 0
    assert sent == []

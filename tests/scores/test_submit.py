"""Scores sent in: refused with every reason, and answered once and for all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
import structlog
from flask import Flask

from app.accounts.models import Player
from app.boards.models import Mode
from app.core import clock
from app.core.db import db
from app.core.redis.clients import jobs_redis
from app.scores import events
from app.scores.review import corrections
from app.scores.submission import submit
from app.scores.submission.claims import Refused, Submitted, Unavailable
from tests.worlds.claims import claim, codes, send
from tests.worlds.score_log import Log, score_event

MakeMode = Callable[..., Mode]
Players = Callable[[int], list[UUID]]


def test_without_a_consumer_a_waiting_call_says_send_again(
    make_mode: MakeMode, players: Players, monkeypatch: pytest.MonkeyPatch, app: Flask
) -> None:
    # Sent to a mode that the consumer of other tests could decide too: so nobody waits long here.
    monkeypatch.setattr(submit, "WAIT_SECONDS", 0.0)
    mode = make_mode()
    (ann,) = players(1)
    (outcome,) = send(claim(mode, ann, 5))
    assert isinstance(outcome, Unavailable)
    assert outcome.retry_after > 0


def test_a_broker_in_memory_is_never_trusted_with_a_mere_accepted(
    app: Flask, make_mode: MakeMode, players: Players, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        app.config, "PRESSBOX", replace(app.config["PRESSBOX"], kafka_in_memory=True)
    )
    monkeypatch.setattr(submit, "WAIT_SECONDS", 0.0)
    (ann,) = players(1)
    (outcome,) = send(claim(make_mode(), ann, 5), wait=False)
    assert isinstance(outcome, Unavailable)


def test_with_kafka_away_nothing_is_lost_and_nothing_is_claimed(
    app: Flask,
    make_mode: MakeMode,
    players: Players,
    nobody_listens: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mode = make_mode()
    (ann,) = players(1)
    mine = claim(mode, ann, 5)
    app.extensions.pop("score_producer", None)
    away = replace(
        app.config["PRESSBOX"], kafka=f"127.0.0.1:{nobody_listens}", kafka_in_memory=False
    )
    with monkeypatch.context() as patched:
        patched.setitem(app.config, "PRESSBOX", away)
        (outcome,) = send(mine, wait=False)
    assert isinstance(outcome, Unavailable)
    assert "again" in outcome.text
    monkeypatch.setitem(
        app.config, "PRESSBOX", replace(app.config["PRESSBOX"], kafka_in_memory=False)
    )
    (again,) = send(mine, wait=False)
    assert isinstance(again, Submitted)
    assert again.status == "accepted"


@pytest.mark.parametrize(
    ("changes", "origin", "expected"),
    [
        ({"token": "x"}, {}, ["bad_signature"]),
        ({"score": 10_001, "cap": 20_000}, {}, ["out_of_bounds"]),
        ({"score": -10_001}, {}, ["out_of_bounds"]),
        ({"attempt_id": uuid4()}, {}, ["another_attempt"]),
        ({"idempotency_key": "k" * 201}, {}, ["key_too_long"]),
        ({}, {"client_meta": {"a": 1.5}}, ["bad_meta"]),
        ({}, {"client_meta": {"a": "\0"}}, ["bad_meta"]),
        ({}, {"client_meta": {"a": 1 << 53}}, ["bad_meta"]),
        ({}, {"client_meta": {str(n): n for n in range(21)}}, ["bad_meta"]),
        ({}, {"replay": "A" * 64}, ["bad_replay"]),
    ],
)
def test_a_refusal_names_what_to_change(
    make_mode: MakeMode,
    players: Players,
    changes: dict[str, Any],
    origin: dict[str, Any],
    expected: list[str],
) -> None:
    mode = make_mode()
    (ann,) = players(1)
    score = changes.pop("score", 5)
    (outcome,) = send(claim(mode, ann, score, **changes), **origin)
    assert codes(outcome) == expected


def test_strangers_and_the_banned_are_refused(make_mode: MakeMode, players: Players) -> None:
    mode = make_mode()
    (ann,) = players(1)
    assert codes(send(claim(mode, uuid4(), 5))[0]) == ["unknown_player"]
    db.session.get_one(Player, ann).banned_until = clock.now() + timedelta(days=1)
    db.session.commit()
    assert codes(send(claim(mode, ann, 5))[0]) == ["banned"]
    db.session.get_one(Player, ann).banned_until = clock.now() - timedelta(seconds=1)
    db.session.commit()


@pytest.mark.usefixtures("lasting")
def test_an_attempt_that_was_sent_is_known_in_redis_for_a_day(
    make_mode: MakeMode, players: Players
) -> None:
    """Seed 003, section 4.1: idemp:{player_id}:{attempt_id}, for 86,400 seconds."""
    (ann,) = players(1)
    sent = claim(make_mode(), ann, 5)
    assert isinstance(send(sent, wait=False)[0], Submitted)
    (key,) = jobs_redis().scan_iter(f"idemp:{ann}:{sent.attempt_id}*")
    assert 86_400 - 60 < jobs_redis().ttl(key) <= 86_400


@pytest.mark.usefixtures("lasting")
def test_a_key_used_for_another_body_is_refused(make_mode: MakeMode, players: Players) -> None:
    mode = make_mode()
    ann, bob = players(2)
    first, two = claim(mode, ann, 5, idempotency_key="k"), claim(mode, ann, 5, idempotency_key="k")
    assert isinstance(send(first, wait=False)[0], Submitted)
    assert isinstance(send(first, wait=False)[0], Submitted)
    assert codes(send(two, wait=False)[0]) == ["idempotency_key_reused"]
    assert codes(send(replace(first, score=6), wait=False)[0]) == [
        "attempt_reused",
        "idempotency_key_reused",
    ]
    assert codes(send(replace(first, score=6, idempotency_key="other"), wait=False)[0]) == [
        "attempt_reused"
    ]
    assert isinstance(send(claim(mode, bob, 5, idempotency_key="k"), wait=False)[0], Submitted)


@pytest.mark.usefixtures("lasting")
def test_an_attempt_that_is_not_decided_yet_says_that_it_was_used_and_not_a_key_that_nobody_sent(
    make_mode: MakeMode, players: Players
) -> None:
    first = claim(make_mode(), players(1)[0], 5)
    assert isinstance(send(first, wait=False)[0], Submitted)
    for key in ("", str(first.attempt_id)):
        refused = send(replace(first, score=6, idempotency_key=key), wait=False)[0]
        assert codes(refused) == ["attempt_reused"]
        assert isinstance(refused, Refused)
        assert refused.reasons[0].field == "attempt_id"


def test_a_decided_attempt_answers_as_it_was_decided(make_mode: MakeMode, players: Players) -> None:
    mode = make_mode(aggregation="sum")
    (ann,) = players(1)
    mine = claim(mode, ann, 5)
    log = Log()
    log.put(score_event(mode, ann, 5, clock.now(), attempt_id=mine.attempt_id))
    log.consume()
    (committed,) = send(mine)
    assert isinstance(committed, Submitted)
    assert committed.repeated
    assert codes(send(replace(mine, score=6))[0]) == ["attempt_reused"]
    event = events.event_id(ann, mine.attempt_id)
    corrections.roll_back(event, by=None, reason="test", now=clock.now())
    assert codes(send(mine)[0]) == ["rolled_back"]


def test_nothing_secret_is_logged_or_sent(
    make_mode: MakeMode, players: Players, lasting: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    mode = make_mode()
    (ann,) = players(1)
    sent: dict[int, events.ScoreEvent] = {}
    monkeypatch.setattr(submit.sending, "send", lambda _, scores: sent.update(scores) or [])
    mine = claim(mode, ann, 5)
    with structlog.testing.capture_logs() as logs:
        send(mine, wait=False, device="my phone", address="192.0.2.7")
        send(replace(mine, token=mine.token + "x"), wait=False)
    (message,) = [events.encode(event).decode() for event in sent.values()]
    for secret in (mine.token, "my phone", "192.0.2.7"):
        assert secret not in message
        assert secret not in str(logs)


def test_more_than_a_thousand_at_once_are_refused(make_mode: MakeMode) -> None:
    with pytest.raises(ValueError, match="send 1 to 1000"):
        send()

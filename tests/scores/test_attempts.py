"""Attempt tokens: good for one player, one mode, up to a cap and an hour.

Nobody else can make one.
"""

from __future__ import annotations

import base64
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from flask import Flask
from itsdangerous import URLSafeSerializer

from app.boards.models import Mode
from app.scores.submission import attempts
from app.scores.submission.attempts import AttemptRequest
from app.scores.submission.claims import Claim

NOW = datetime(2026, 4, 5, 12, 0, tzinfo=UTC)
PLAYER, MODE = uuid4(), uuid4()


def codes(token: str, grant: attempts.Grant, **changes: object) -> list[str]:
    now = changes.pop("now", NOW)
    mode = Mode(id=changes.pop("mode_id", MODE), order="highest")
    claim = replace(Claim(mode, PLAYER, grant.attempt_id, token, 100), **changes)  # type: ignore[arg-type]
    return [reason.code for reason in attempts.check(attempts.read(token), claim, now)]  # type: ignore[arg-type]


@pytest.fixture
def issued(app: Flask) -> tuple[attempts.Grant, str]:
    return attempts.issue(AttemptRequest(MODE, PLAYER, 100, timedelta(hours=1)), NOW)


def test_a_token_is_good_up_to_its_cap_and_until_its_end(
    issued: tuple[attempts.Grant, str],
) -> None:
    grant, token = issued
    assert attempts.read(token) == grant
    assert codes(token, grant) == []
    assert codes(token, grant, score=-5) == []
    assert codes(token, grant, now=NOW + timedelta(minutes=59, seconds=59)) == []


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"now": NOW + timedelta(hours=1)}, "expired"),
        ({"player_id": uuid4()}, "another_player"),
        ({"mode_id": uuid4()}, "another_mode"),
        ({"attempt_id": uuid4()}, "another_attempt"),
        ({"score": 101}, "above_cap"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_reason_has_a_value(
    issued: tuple[attempts.Grant, str], changes: dict[str, object], code: str
) -> None:
    grant, token = issued
    assert codes(token, grant, **changes) == [code]


def test_every_reason_is_given_at_once(issued: tuple[attempts.Grant, str]) -> None:
    grant, token = issued
    reasons = codes(
        token, grant, player_id=uuid4(), mode_id=uuid4(), score=101, now=NOW + timedelta(days=1)
    )
    assert reasons == ["another_player", "another_mode", "expired", "above_cap"]


def test_a_token_that_was_changed_or_made_elsewhere_is_refused(
    app: Flask, issued: tuple[attempts.Grant, str]
) -> None:
    grant, token = issued
    body, signature = token.rsplit(".", 1)
    richer = base64.urlsafe_b64encode(
        base64.urlsafe_b64decode(body + "==").replace(b"100", b"999")
    ).rstrip(b"=")
    assert richer.decode() != body
    others = URLSafeSerializer(app.config["SECRET_KEY"], salt="session").dumps(
        [grant.attempt_id.hex]
    )
    for wrong in (f"{richer.decode()}.{signature}", token[:-1], "", "x", "é.é", others):
        assert codes(wrong, grant) == ["bad_signature"], wrong


def test_a_lifetime_is_kept_within_a_week(app: Flask) -> None:
    long, _ = attempts.issue(AttemptRequest(MODE, PLAYER, 1, timedelta(days=400)), NOW)
    short, _ = attempts.issue(AttemptRequest(MODE, PLAYER, 1, timedelta(0)), NOW)
    assert (long.expires, short.expires) == (NOW + timedelta(days=7), NOW + timedelta(seconds=1))


def test_a_game_server_may_name_the_attempt(app: Flask) -> None:
    mine = UUID("7c9e6679-7425-40de-944b-e07fc1f90ae7")
    grant, token = attempts.issue(AttemptRequest(MODE, PLAYER, 1, timedelta(hours=1), mine), NOW)
    read = attempts.read(token)
    assert read is not None
    assert grant.attempt_id == read.attempt_id == mine


@pytest.mark.parametrize("key_id", [None, 7])
def test_a_token_carries_the_session_it_was_issued_for(app: Flask, key_id: int | None) -> None:
    """Seed 003, F1: a score is sent for a game, a mode and a session."""
    request = AttemptRequest(
        MODE, PLAYER, 100, timedelta(hours=1), key_id=key_id, session_id="arena-7"
    )
    grant, token = attempts.issue(request, NOW)
    assert attempts.read(token) == grant
    assert (grant.session_id, grant.key_id) == ("arena-7", key_id)
    assert codes(token, grant) == []
    assert codes(token, grant, session_id="arena-7") == []
    assert codes(token, grant, session_id="arena-8") == ["another_session"]


def test_a_session_that_the_server_did_not_name_is_refused(
    issued: tuple[attempts.Grant, str],
) -> None:
    grant, token = issued
    assert codes(token, grant, session_id="arena-7") == ["another_session"]

from __future__ import annotations

from datetime import timedelta

import jwt
import pytest
from flask import Flask
from sqlalchemy import select

from app.accounts import tokens
from app.accounts.models import RefreshToken
from app.core.clock import now
from app.core.db import db
from tests.worlds.callers import Callers


def test_an_access_token_says_who_it_is_until_it_ends(callers: Callers) -> None:
    moment = now()
    access = tokens.issue(callers.player_id, moment).access
    caller = tokens.read(access, moment + timedelta(minutes=14, seconds=58))
    assert caller is not None
    assert caller.player_id == callers.player_id
    assert tokens.read(access, moment + timedelta(minutes=15)) is None


@pytest.mark.parametrize(
    "change",
    [
        {"aud": "somebody-else"},
        {"iss": "somebody-else"},
        {"exp": None},
        {"sub": None},
        {"jti": None},
    ],
)
def test_a_token_for_another_use_is_not_taken(
    callers: Callers, change: dict[str, str | None]
) -> None:
    claims = jwt.decode(callers.token, options={"verify_signature": False}) | change
    remaining = {name: value for name, value in claims.items() if value is not None}
    assert tokens.read(jwt.encode(remaining, tokens._key(), "HS256"), now()) is None


def test_only_our_own_signature_is_taken(callers: Callers) -> None:
    claims = jwt.decode(callers.token, options={"verify_signature": False})
    unsigned = jwt.encode(claims, None, "none")
    with pytest.warns(jwt.InsecureKeyLengthWarning):  # our key is as long as HS256 asks for
        other_algorithm = jwt.encode(claims, tokens._key(), "HS512")
    other_key = jwt.encode(claims, b"x" * 32, "HS256")
    for token in (unsigned, other_algorithm, other_key):
        assert tokens.read(token, now()) is None


def test_the_session_key_itself_signs_no_token(app: Flask, callers: Callers) -> None:
    claims = jwt.decode(callers.token, options={"verify_signature": False})
    assert tokens.read(jwt.encode(claims, app.config["SECRET_KEY"], "HS256"), now()) is None


def test_a_refresh_token_is_good_once_and_its_second_use_ends_the_family(callers: Callers) -> None:
    first = tokens.issue(callers.player_id, now())
    other = tokens.issue(callers.player_id, now())
    renewed = tokens.refresh(first.refresh, now())
    assert renewed is not None
    assert renewed[0] == callers.player_id
    again = tokens.refresh(renewed[1].refresh, now())
    assert again is not None
    assert tokens.refresh(first.refresh, now()) is None
    assert tokens.refresh(again[1].refresh, now()) is None, "the thief's or the player's: both end"
    assert tokens.refresh(other.refresh, now()) is not None, "another sign-in goes on"


def test_a_refresh_token_ends_and_is_taken_away_later(callers: Callers) -> None:
    moment = now()
    pair = tokens.issue(callers.player_id, moment)
    later = moment + tokens.REFRESH_LIFETIME
    assert tokens.refresh(pair.refresh, later) is None
    tokens.issue(callers.player_id, later)
    assert all(row.expires_at > later for row in db.session.scalars(select(RefreshToken)))


def test_no_token_is_kept_as_it_is(callers: Callers) -> None:
    pair = tokens.issue(callers.player_id, now())
    for row in db.session.scalars(select(RefreshToken)):
        assert pair.refresh not in (row.digest, row.family)
        assert len(row.digest) == 64

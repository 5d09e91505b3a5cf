"""What an integrator makes has a quota; with a key that has ended nothing is made."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select

from app.accounts import api_keys, quotas, tokens
from app.accounts.models import ApiKey, Integrator, RefreshToken
from app.core.clock import now
from app.core.db import db
from tests.worlds.callers import Callers, new_key


def test_tokens_asked_for_with_a_key_that_has_just_ended_are_not_made(callers: Callers) -> None:
    """The request was let in with the key; before its tokens were made somebody revoked it."""
    key = db.session.scalars(select(ApiKey)).one()
    before = db.session.query(RefreshToken).count()
    api_keys.revoke(callers.integrator, key.id, now())
    with pytest.raises(tokens.TokenExpiredError):
        tokens.issue(callers.player_id, now(), key_id=key.id)
    assert db.session.query(RefreshToken).count() == before


def test_a_member_may_have_so_many_integrators(
    app: Flask, sign_in: Callable[..., FlaskClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quotas, "MOST_INTEGRATORS", 2)
    client = sign_in()
    for number in range(2):
        assert client.post("/integrators", data={"name": f"Studio {number}"}).status_code == 303
    refused = client.post("/integrators", data={"name": "Studio 3"})
    assert refused.status_code == 422
    assert "There are already 2 integrators on your account, and the limit is 2." in refused.text
    assert db.session.query(Integrator).count() == 2
    assert (
        sign_in(username="bob").post("/integrators", data={"name": "Studio 3"}).status_code == 303
    )


def test_an_integrator_may_have_so_many_keys_and_revoked_ones_do_not_count(
    callers: Callers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quotas, "MOST_KEYS", 2)
    new_key(callers.integrator, callers.owner, "feed:read")
    refused = api_keys.create_key(callers.integrator, "one more", ["feed:read"], callers.owner)
    assert isinstance(refused, dict)
    assert "There are 2 valid keys" in refused["name"]
    key = db.session.scalars(select(ApiKey).order_by(ApiKey.id)).first()
    assert key is not None
    api_keys.revoke(callers.integrator, key.id, now())
    assert isinstance(
        api_keys.create_key(callers.integrator, "x", ["feed:read"], callers.owner), api_keys.NewKey
    )


def test_an_integrator_may_have_so_many_games_modes_and_shards(
    callers: Callers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quotas, "MOST_GAMES", 2)
    monkeypatch.setattr(quotas, "MOST_MODES", 3)
    monkeypatch.setattr(quotas, "MOST_SHARDS", 10)
    server = callers.game_server

    def mode(game: str, shards: int = 1) -> tuple[int, str]:
        answer = server.post(
            f"/v1/games/{game}/modes",
            json={"slug": uuid4().hex[:9], "title": "M", "shards": shards},
        )
        return answer.status_code, answer.text

    assert server.post("/v1/games", json={"slug": "second", "title": "Second"}).status_code == 201
    refused = server.post("/v1/games", json={"slug": "third", "title": "Third"})
    assert refused.status_code == 403
    assert "There are already 2 games of this integrator, and the limit is 2." in refused.text
    status, text = mode("second", 10)
    assert status == 403
    assert "There are already 1 shards of this integrator, and the limit is 10." in text
    assert [mode("second", 3)[0] for _ in range(3)] == [201] * 3
    status, text = mode("second")
    assert status == 403
    assert "There are already 3 modes of this game, and the limit is 3." in text
    assert "There are already 10 shards of this integrator, and the limit is 10." in text

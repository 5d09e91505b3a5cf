"""The pages on which an integrator finds, removes and erases its players on request (D15)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.accounts.models import Member, Player
from app.core.db import db
from app.moderation import own_player_views
from tests.worlds.callers import Callers, make_callers

SignIn = Callable[..., FlaskClient]


@pytest.fixture
def studio(app: Flask, member: Callable[..., Member]) -> Callers:
    return make_callers(app, member("owner"))


def page(studio: Callers, suffix: str = "") -> str:
    return f"/integrators/{studio.integrator.id}/players{suffix}"


def test_players_are_listed_by_id_from_any_id_on_a_page_at_a_time(
    studio: Callers, sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(2, 5):
        studio.register(f"p-{number}", f"Zed {number}")
    monkeypatch.setattr(own_player_views, "PAGE_ROWS", 2)
    owner = sign_in(username="owner")
    first = owner.get(page(studio)).text
    assert [f"p-{number}" in first for number in (1, 2, 4)] == [True, True, False]
    assert "from=p-3" in first
    last = owner.get(page(studio, "?from=p-3")).text
    assert [f">p-{number}<" in last for number in (2, 3, 4)] == [False, True, True]
    assert "More players" not in last
    assert "No players with this ID or a later one" in owner.get(page(studio, "?from=q")).text


def test_a_player_is_erased_once_and_only_after_the_id_was_typed(
    studio: Callers, sign_in: SignIn
) -> None:
    owner, nova = sign_in(username="owner"), page(studio, f"/{studio.player_id}")
    assert owner.post(f"{nova}/data.json").json["players"][0]["display_name"] == "Nova"
    assert owner.post(f"{nova}/erasure", data={"confirm": "p-2"}).status_code == 422
    assert owner.post(f"{nova}/erasure", data={"confirm": "p-1"}).status_code == 303
    player = db.session.get_one(Player, studio.player_id, populate_existing=True)
    assert (player.erased_at is not None, player.display_name) == (True, "Erased player")
    assert owner.get(nova).status_code == 404
    assert owner.post(f"{nova}/erasure", data={"confirm": "p-1"}).status_code == 404
    assert "Nova" not in owner.get(page(studio)).text


def test_another_integrators_players_are_not_there(
    app: Flask, studio: Callers, member: Callable[..., Member], sign_in: SignIn
) -> None:
    other = make_callers(app, member("eve"), "Card House", "cards")
    eve = sign_in(username="eve")
    assert eve.get(page(studio)).status_code == 404
    for callers in (studio, other):
        nova = page(callers, f"/{studio.player_id}")
        assert eve.get(nova).status_code == 404
        assert eve.post(f"{nova}/data.json").status_code == 404
        assert eve.post(f"{nova}/erasure", data={"confirm": "p-1"}).status_code == 404

"""Pages of trades: an offer, its answer, the review, and who sees what."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from app.core.db import db
from app.draft_leagues.trades.models import Trade
from app.fantasy.rosters.queries import names_of, rosters_of
from tests.worlds.draft_leagues import DraftWorld


@pytest.fixture
def ann(drafted: DraftWorld, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    return sign_in(username="ann")


def address(world: DraftWorld, path: str = "") -> str:
    return f"/leagues/{world.league.slug}/trades{path}"


def offered(client: FlaskClient, world: DraftWorld) -> tuple[int, str, str]:
    """The trade that ann offers bob: the first of each roster for the other."""
    rosters = rosters_of(world.league.id)
    give, get = next(iter(rosters.of(1))), next(iter(rosters.of(2)))
    form = {"give": give, "get": get, "token": "once", "message": "Fair?"}
    for _ in range(2):  # a submission that is sent again counts once
        answer = client.post(address(world, "/new/2"), data=form)
        assert answer.status_code == 303
    return db.session.scalars(select(Trade.id)).one(), give, get


def test_an_offer_is_private_until_it_is_accepted_and_takes_effect_when_approved(
    ann: FlaskClient, drafted: DraftWorld, sign_in: Callable[..., FlaskClient]
) -> None:
    trade_id, give, get = offered(ann, drafted)
    page = ann.get(address(drafted, f"/{trade_id}")).text
    assert "Withdraw" in page
    assert "Projected points of the rest of the season:" in page
    cat = sign_in(username="cat")
    assert cat.get(address(drafted, f"/{trade_id}")).status_code == 404
    bob = sign_in(username="bob")
    page = bob.get(address(drafted, f"/{trade_id}")).text
    assert names_of([give])[give] in page
    assert "Answer with another offer" in page
    assert bob.post(address(drafted, f"/{trade_id}/accept")).status_code == 303
    assert cat.get(address(drafted, f"/{trade_id}")).status_code == 200
    assert rosters_of(drafted.league.id).places[give].franchise == 1
    refused = ann.post(address(drafted, f"/{trade_id}/stop"), data={"reason": ""})
    assert (refused.status_code, "Say why" in refused.text) == (422, True)
    assert ann.post(address(drafted, f"/{trade_id}/approve")).status_code == 303
    places = rosters_of(drafted.league.id).places
    assert (places[give].franchise, places[get].franchise) == (2, 1)
    assert "Executed" in cat.get(address(drafted)).text


def test_an_offer_is_answered_with_another_one(
    ann: FlaskClient, drafted: DraftWorld, sign_in: Callable[..., FlaskClient]
) -> None:
    trade_id, give, get = offered(ann, drafted)
    bob = sign_in(username="bob")
    form = bob.get(address(drafted, f"/new/1?counter_to={trade_id}")).text
    assert f'name="counter_to" value="{trade_id}"' in " ".join(form.split())
    second = [*rosters_of(drafted.league.id).of(1)][1]
    data = {"give": get, "get": [give, second], "token": "two", "counter_to": str(trade_id)}
    assert bob.post(address(drafted, "/new/1"), data=data).status_code == 303
    assert db.session.get_one(Trade, trade_id).status == "countered"


def test_an_impossible_offer_says_why_and_strangers_see_nothing(
    ann: FlaskClient,
    drafted: DraftWorld,
    member: Callable[..., object],
    sign_in: Callable[..., FlaskClient],
) -> None:
    answer = ann.post(address(drafted, "/new/2"), data={"token": "none"})
    assert answer.status_code == 422
    assert "Choose what each team gives." in answer.text
    assert ann.get(address(drafted, "/new/1")).status_code == 404
    member("eve")
    eve = sign_in(username="eve")
    for path in ("", "/new/2", "/1"):
        assert eve.get(address(drafted, path)).status_code == 404

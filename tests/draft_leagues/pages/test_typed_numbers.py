"""Numbers that members type into a draft league's forms: never replaced, never misread."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from flask import Flask
from flask.testing import FlaskClient
from msgspec import inspect
from sqlalchemy import delete, select
from werkzeug.test import TestResponse

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.draft_leagues.roster_acts import services as roster_acts
from app.draft_leagues.setting_reading import read_part
from app.draft_leagues.settings import PRESETS, WaiverSettings
from app.draft_leagues.trades.models import Trade
from app.draft_leagues.waivers.models import WaiverClaim
from app.fantasy.rosters.queries import rosters_of
from tests.worlds.draft_leagues import SETTINGS, DraftWorld, make_drafted_league

Claim = Callable[[str], TestResponse]
# As phone keyboards and habits write 15.
FIFTEEN = ["15", "15 ", "\N{NO-BREAK SPACE}15", "$15", "+15", "$ 15", "\uff11\uff15"]
NO_NUMBER = ["abc", "", "3.5", "15.0", "1e3", "-1", "²", "1,5", "9" * 30]


@pytest.fixture
def bidding(app: Flask, member: Callable[..., Member]) -> DraftWorld:
    """A league with blind bids, of which each franchise has 100."""
    return make_drafted_league(
        member, msgspec.structs.replace(SETTINGS, waivers=WaiverSettings("blind_bids"))
    )


@pytest.fixture
def ann(bidding: DraftWorld, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    return sign_in(username="ann")


@pytest.fixture
def claim(bidding: DraftWorld, ann: FlaskClient) -> Claim:
    """Claims somebody who was dropped with a bid, and returns the answer."""
    dropped = [*rosters_of(bidding.league.id).of(4)][-1]
    assert roster_acts.drop(bidding.league.id, bidding.members[3], dropped, clock.now()) == []
    address = f"/leagues/{bidding.league.slug}/waivers/claim/{dropped}"
    return lambda bid: ann.post(address, data={"claim": "1", "bid": bid})


def test_a_bid_is_what_was_typed_or_refused_at_its_field(
    claim: Claim,
) -> None:
    for typed in FIFTEEN:
        assert claim(typed).status_code == 303, typed
        assert db.session.scalars(select(WaiverClaim.bid)).all() == [15], typed
        db.session.execute(delete(WaiverClaim))
        db.session.commit()
    for typed in NO_NUMBER:
        answer = claim(typed)
        assert answer.status_code == 422, typed
        assert 'id="bid-fault">Enter your bid as a whole number, such as 12.' in answer.text, typed
        assert db.session.scalars(select(WaiverClaim.id)).all() == [], typed


def test_a_claim_moves_only_to_a_place_that_is_a_number(
    claim: Claim, bidding: DraftWorld, ann: FlaskClient
) -> None:
    claim("1")
    row = db.session.scalars(select(WaiverClaim)).one()
    move = f"/leagues/{bidding.league.slug}/waivers/{row.id}/move"
    for typed in ("two", "", "0", "-1"):
        answer = ann.post(move, data={"place": typed})
        assert answer.status_code == 422
        assert "Enter the place as a whole number, such as 1." in answer.text


def test_waiver_budget_in_a_trade_is_what_was_typed_or_refused_at_its_field(
    bidding: DraftWorld, ann: FlaskClient
) -> None:
    address = f"/leagues/{bidding.league.slug}/trades/new"
    give = next(iter(rosters_of(bidding.league.id).of(1)))
    form = {"team": "2", "gift": f"1:2:player:{give}", "act": "send"}
    for number, typed in enumerate(FIFTEEN):
        data = form | {"budget-1-2": typed, "token": f"t{number}"}
        assert ann.post(address, data=data).status_code == 303, typed
        trade = db.session.scalars(select(Trade).order_by(Trade.id.desc())).first()
        assert trade is not None
        assert [gift["amount"] for gift in trade.terms["budgets"]] == [15], typed
    for typed in set(NO_NUMBER) - {""}:
        for act in ("send", "preview"):
            answer = ann.post(address, data=form | {"budget-1-2": typed, "token": "x", "act": act})
            assert answer.status_code == 422, typed
            assert 'id="budget-1-2-fault">Enter the waiver budget as a whole number' in answer.text
            assert f'value="{typed}"' in answer.text, "what was typed stays"
    assert len(db.session.scalars(select(Trade.id)).all()) == len(FIFTEEN)


def test_every_whole_number_of_the_settings_is_read_or_refused() -> None:
    parts = ("", "roster", "draft", "waivers", "trades", "season", "keepers")
    read = 0
    for part in parts:
        settings = getattr(PRESETS["redraft"], part) if part else PRESETS["redraft"]
        declared = inspect.type_info(type(settings))
        assert isinstance(declared, inspect.StructType)
        for each in declared.fields:
            union = each.type.types if isinstance(each.type, inspect.UnionType) else (each.type,)
            if not any(isinstance(member_type, inspect.IntType) for member_type in union):
                continue
            read += 1
            for typed in set(NO_NUMBER) - {""}:
                assert isinstance(read_part(settings, {each.name: typed}), list), (each.name, typed)
            for typed in ("1 ", "+1", "$1", "\N{FULLWIDTH DIGIT ONE}"):
                answer = read_part(settings, {each.name: typed})
                if not isinstance(answer, list):  # some begin at 2 or more
                    assert getattr(answer, each.name) == 1
    assert read > 20

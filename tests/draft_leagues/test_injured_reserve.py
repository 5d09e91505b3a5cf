"""Injured reserve: whoever is fit again has to leave it, before the team gets somebody else.

Sleeper, ESPN and Yahoo refuse adds, claims and trades until then.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask
from msgspec.structs import replace
from sqlalchemy import select

from app.accounts.models import Member
from app.core.db import db
from app.draft_leagues import league_clock
from app.draft_leagues.roster_acts import services as roster_acts
from app.draft_leagues.settings import RosterSettings, StarterCount, WaiverSettings
from app.draft_leagues.trades import services as trades
from app.draft_leagues.trades.desk import Actor
from app.draft_leagues.trades.services import NewOffer
from app.draft_leagues.trades.terms import FootballerGift, Terms
from app.draft_leagues.waivers import services as waivers
from app.draft_leagues.waivers.models import WaiverClaim
from app.draft_leagues.waivers.queries import availability
from app.draft_leagues.waivers.services import Wish
from app.fantasy.market.models import FootballerSeason
from app.fantasy.rosters.queries import rosters_of
from tests.worlds.draft_leagues import DRAFTED, SETTINGS, DraftWorld, make_drafted_league

QB, RB1, RB2, WR1, WR2, TE = range(6)
STARTERS = (
    StarterCount("QB", 1),
    StarterCount("RB", 2),
    StarterCount("WR", 2),
    StarterCount("TE", 1),
)


@pytest.fixture
def world(app: Flask, member: Callable[..., Member]) -> DraftWorld:
    """Rosters of six with six places; Ann's quarterback is injured, and on injured reserve."""
    world = make_drafted_league(
        member,
        replace(
            SETTINGS,
            roster=RosterSettings(STARTERS, bench=0, reserve=1),
            waivers=WaiverSettings("blind_bids"),
        ),
    )
    set_status(world, ann_of(world)[QB], "injured")
    assert (
        roster_acts.move(world.league.id, world.members[0], ann_of(world)[QB], "reserve", DRAFTED)
        == []
    )
    return world


def ann_of(world: DraftWorld) -> list[str]:
    return [*rosters_of(world.league.id).of(1)]


def set_status(world: DraftWorld, footballer_id: str, status: str) -> None:
    season_id = world.league.season_id
    db.session.get_one(FootballerSeason, (season_id, footballer_id)).status = status
    db.session.commit()


def on_reserve(world: DraftWorld) -> str:
    places = rosters_of(world.league.id).of(1)
    return next(each for each, place in places.items() if place.spot == "reserve")


def dropped(world: DraftWorld) -> str:
    """Whom Dan has just dropped, who is on waivers."""
    footballer = [*rosters_of(world.league.id).of(4)][-1]
    assert roster_acts.drop(world.league.id, world.members[3], footballer, DRAFTED) == []
    return footballer


def codes(refusals: object) -> list[str]:
    assert isinstance(refusals, list | tuple)
    return [refusal.code for refusal in refusals]


def test_a_team_with_somebody_fit_on_injured_reserve_gets_nobody(world: DraftWorld) -> None:
    league_id, (ann, bob, *_) = world.league.id, world.members
    free, fit, claimed = world.free("TE")[0], on_reserve(world), dropped(world)
    set_status(world, fit, "available")
    [refused] = waivers.add(league_id, ann, Wish(free), DRAFTED)
    assert refused.code == "reserve"
    assert refused.text.endswith(
        "is healthy again. Move them off injured reserve or drop them first."
    )
    assert codes(waivers.claim(league_id, ann, Wish(claimed, bid=1), DRAFTED)) == ["reserve"]
    mine = next(each for each in ann_of(world) if each != fit)
    terms = Terms((FootballerGift(mine, 1, 2),))
    offered = trades.offer(league_id, Actor(ann), NewOffer(terms, "a"), DRAFTED)
    assert codes(offered.refusals) == ["reserve"]
    terms = Terms((FootballerGift([*rosters_of(league_id).of(2)][QB], 2, 1),))
    their_offer = trades.offer(league_id, Actor(bob), NewOffer(terms, "a"), DRAFTED)
    assert their_offer.trade_id is not None
    refusals = trades.accept(league_id, their_offer.trade_id, Actor(ann), (), DRAFTED)
    assert codes(refusals) == ["reserve"]
    # Both remedies help: dropping them with the same act, and moving them back.
    assert waivers.add(league_id, ann, Wish(free, drop_id=fit), DRAFTED) == []
    full = waivers.add(league_id, ann, Wish(world.free("TE")[0]), DRAFTED)
    assert codes(full) == ["active_full"]  # only places count by now


def test_a_claim_of_such_a_team_does_not_win(world: DraftWorld) -> None:
    league_id, ann = world.league.id, world.members[0]
    claimed, fit = dropped(world), on_reserve(world)
    assert waivers.claim(league_id, ann, Wish(claimed, bid=1), DRAFTED) == []
    set_status(world, fit, "doubtful")  # who may play is no longer sure to be out
    run_at = availability(world.league, world.settings, [claimed], DRAFTED)[claimed].clears_at
    assert run_at is not None
    league_clock.settle(league_id, run_at)
    row = db.session.scalars(select(WaiverClaim)).one()
    assert row.result == "impossible"
    assert row.reason.endswith("was healthy but still on your injured reserve.")


def test_a_claim_whose_drop_makes_no_room_is_refused_at_once(world: DraftWorld) -> None:
    league_id, ann = world.league.id, world.members[0]
    injured = on_reserve(world)
    assert waivers.add(league_id, ann, Wish(world.free("TE")[0]), DRAFTED) == []  # six of six
    claimed = dropped(world)
    [refused] = waivers.claim(league_id, ann, Wish(claimed, drop_id=injured, bid=9), DRAFTED)
    assert refused.code == "active_full"
    assert refused.text == ("Ann FC would have 7 active players. The limit is 6: drop 1 first.")

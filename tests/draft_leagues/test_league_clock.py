"""What the clock decides for a league holds at its moment, though the worker has stopped.

Decision 88: whoever acts first settles what the clock has decided, and then acts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from msgspec.structs import replace
from sqlalchemy import select

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.core.refusals import Refusal
from app.draft_leagues import league_clock
from app.draft_leagues.commissioner import lineups
from app.draft_leagues.commissioner import services as commissioner
from app.draft_leagues.commissioner.act_notices import By
from app.draft_leagues.pages import wizard_views
from app.draft_leagues.roster_acts import services as roster_acts
from app.draft_leagues.settings import TradeSettings, WaiverSettings
from app.draft_leagues.setup import mid_season
from app.draft_leagues.trades import block, services
from app.draft_leagues.trades.desk import Actor
from app.draft_leagues.trades.models import Trade
from app.draft_leagues.trades.services import NewOffer
from app.draft_leagues.trades.terms import FootballerGift, Terms
from app.draft_leagues.waivers import services as waivers
from app.draft_leagues.waivers.models import WaiverClaim
from app.draft_leagues.waivers.queries import due_runs
from app.draft_leagues.waivers.services import Wish
from app.fantasy.rosters.queries import rosters_of
from app.fantasy.rosters.rules import Move
from tests.worlds.draft_leagues import DRAFTED, SETTINGS, DraftWorld, make_drafted_league
from workers.jobs import run_waivers, settle_trades

ANN, BOB, CAT, DAN = 1, 2, 3, 4
SECOND = timedelta(seconds=1)
REVIEW_ENDS = DRAFTED + timedelta(hours=24)
OFFER_ENDS = DRAFTED + timedelta(hours=48)
RUN = DRAFTED + timedelta(days=6)  # no game has begun by the clock of this league's games


@dataclass
class Scene:
    """Ann's and Bob's quarterbacks are traded, their review ends at REVIEW_ENDS.

    Dan has offered Cat another trade, which stands until OFFER_ENDS. Bob has claimed, with 40 of
    his budget, whom Dan dropped.
    """

    world: DraftWorld
    given: str
    claimed: str
    claim_id: int
    offer_id: int
    run_at: datetime

    def member(self, franchise: int) -> int:
        return self.world.members[franchise - 1]

    def owner(self, footballer_id: str) -> int | None:
        place = rosters_of(self.world.league.id).places.get(footballer_id)
        return place.franchise if place is not None else None


def roster(world: DraftWorld, franchise: int) -> list[str]:
    return [*rosters_of(world.league.id).of(franchise)]


@pytest.fixture
def scene(app: Flask, member: Callable[..., Member]) -> Scene:
    world = make_drafted_league(
        member,
        replace(
            SETTINGS,
            waivers=WaiverSettings("blind_bids", days=("SAT",), hours_after_drop=1),
            trades=TradeSettings(review_hours=24, offer_hours=48, deadline_week=None),
        ),
    )
    league_id, members = world.league.id, world.members
    gift, return_gift = roster(world, ANN)[0], roster(world, BOB)[0]
    terms = Terms((FootballerGift(gift, ANN, BOB), FootballerGift(return_gift, BOB, ANN)))
    swap = services.offer(league_id, Actor(members[0]), NewOffer(terms, "a"), DRAFTED)
    assert swap.trade_id is not None, swap.refusals
    assert services.accept(league_id, swap.trade_id, Actor(members[1]), (), DRAFTED) == []
    terms = Terms((FootballerGift(roster(world, DAN)[0], DAN, CAT),))
    other = services.offer(league_id, Actor(members[3]), NewOffer(terms, "d"), DRAFTED)
    assert other.trade_id is not None, other.refusals
    claimed = roster(world, DAN)[-1]
    assert roster_acts.drop(league_id, members[3], claimed, DRAFTED) == []
    assert waivers.claim(league_id, members[1], Wish(claimed, bid=40), DRAFTED) == []
    claim_id = db.session.scalars(select(WaiverClaim.id)).one()
    [run_at] = due_runs(league_id, world.settings, DRAFTED + timedelta(days=4))
    return Scene(world, gift, claimed, claim_id, other.trade_id, run_at)


Act = Callable[[Scene, datetime], object]


def refusals(outcome: object) -> list[Refusal]:
    if isinstance(outcome, list):
        return outcome
    return [*getattr(outcome, "refusals", ())]


def add_claimed(scene: Scene, now: datetime) -> object:
    return waivers.add(scene.world.league.id, scene.member(CAT), Wish(scene.claimed), now)


def claim_claimed(scene: Scene, now: datetime) -> object:
    wish = Wish(scene.claimed, bid=50)
    return waivers.claim(scene.world.league.id, scene.member(CAT), wish, now)


def cancel_claim(scene: Scene, now: datetime) -> object:
    return waivers.cancel(scene.world.league.id, scene.member(BOB), scene.claim_id, now)


def move_claim(scene: Scene, now: datetime) -> object:
    return waivers.reorder(scene.world.league.id, scene.member(BOB), scene.claim_id, 1, now)


def commission_claimed(scene: Scene, now: datetime) -> object:
    moves = [Move(scene.claimed, None, CAT)]
    return commissioner.act(
        scene.world.league.id, moves, by_member_id=scene.member(ANN), reason="Why not", now=now
    )


def change_runs(scene: Scene, now: datetime) -> object:
    settings = replace(scene.world.settings, waivers=WaiverSettings("blind_bids", days=("WED",)))
    return mid_season.change(scene.world.league.id, settings, scene.member(ANN), now)


def drop_given(scene: Scene, now: datetime) -> object:
    return roster_acts.drop(scene.world.league.id, scene.member(ANN), scene.given, now)


def offer_given(scene: Scene, now: datetime) -> object:
    terms = Terms((FootballerGift(scene.given, ANN, CAT),))
    return services.offer(
        scene.world.league.id, Actor(scene.member(ANN)), NewOffer(terms, "b"), now
    )


def list_given(scene: Scene, now: datetime) -> object:
    return block.put(scene.world.league.id, Actor(scene.member(ANN)), scene.given, "", now)


def stop_trade(scene: Scene, now: datetime) -> object:
    trade_id = db.session.scalars(select(Trade.id).where(Trade.franchise == ANN)).one()
    return services.stop(scene.world.league.id, trade_id, scene.member(ANN), "Unfair", now)


def lock_team(scene: Scene, now: datetime) -> object:
    by = By(scene.member(ANN), "He cheats.")
    return commissioner.set_locked(scene.world.league.id, BOB, by, now, is_locked=True)


def take_team(scene: Scene, now: datetime) -> object:
    by = By(scene.member(ANN), "He has left us.")
    return commissioner.open_franchise(scene.world.league.id, BOB, by, now)


def name_co_commissioner(scene: Scene, now: datetime) -> object:
    by = By(scene.member(ANN), "I am away.")
    members = [scene.member(CAT)]
    return commissioner.set_co_commissioners(scene.world.league.id, members, by, now)


def set_lineup(scene: Scene, now: datetime) -> object:
    stored = lineups.stored_lineup(scene.world.league, CAT, 1, now)
    assert isinstance(stored, lineups.StoredLineup)
    starters = ("", *stored.stored[1 : len(stored.team_format.starters)])
    act = lineups.Act(scene.member(ANN), "She is ill.", stored.version)
    return lineups.correct(scene.world.league, lineups.Correction(CAT, 1, starters), act, now)


def accept_offer(scene: Scene, now: datetime) -> object:
    actor = Actor(scene.member(CAT))
    return services.accept(scene.world.league.id, scene.offer_id, actor, (), now)


def withdraw_offer(scene: Scene, now: datetime) -> object:
    actor = Actor(scene.member(DAN))
    return services.withdraw(scene.world.league.id, scene.offer_id, actor, now)


# The codes of refusals a second before the moment, and from the moment on.
AT_RUN: tuple[tuple[Act, set[str], set[str]], ...] = (
    (add_claimed, {"waivers"}, {"owned"}),
    (claim_claimed, set(), {"owned"}),
    (cancel_claim, set(), {"claim"}),
    (move_claim, set(), {"claim"}),
    (commission_claimed, set(), {"moved"}),
    (change_runs, set(), set()),
    (lock_team, set(), set()),
    (take_team, set(), set()),
)
AT_REVIEW: tuple[tuple[Act, set[str], set[str]], ...] = (
    (drop_given, set(), {"footballer"}),
    (offer_given, set(), {"moved"}),
    (list_given, set(), {"footballer"}),
    (stop_trade, set(), {"review"}),
    (lock_team, set(), set()),
    (take_team, set(), set()),
    (name_co_commissioner, set(), set()),
    (set_lineup, set(), set()),
)
AT_EXPIRY: tuple[tuple[Act, set[str], set[str]], ...] = (
    (accept_offer, set(), {"closed"}),
    (withdraw_offer, set(), {"closed"}),
)


def codes(act: Act, scene: Scene, now: datetime) -> set[str]:
    return {refusal.code for refusal in refusals(act(scene, now))}


@pytest.mark.parametrize(("act", "before", "after"), AT_RUN)
@pytest.mark.parametrize("seconds", [-1, 0, 1])
def test_a_run_precedes_whoever_acts_from_its_hour_on(
    scene: Scene, act: Act, before: set[str], after: set[str], seconds: int
) -> None:
    now = scene.run_at + seconds * SECOND
    assert codes(act, scene, now) == (before if seconds < 0 else after)
    assert scene.owner(scene.claimed) == (
        BOB if seconds >= 0 else CAT if act is commission_claimed else None
    )


@pytest.mark.parametrize(("act", "before", "after"), AT_REVIEW)
@pytest.mark.parametrize("seconds", [-1, 0, 1])
def test_a_trade_takes_effect_before_whoever_acts_after_its_review(
    scene: Scene, act: Act, before: set[str], after: set[str], seconds: int
) -> None:
    now = REVIEW_ENDS + seconds * SECOND
    assert codes(act, scene, now) == (before if seconds < 0 else after)
    assert (scene.owner(scene.given) == BOB) == (seconds >= 0)


@pytest.mark.parametrize(("act", "before", "after"), AT_EXPIRY)
@pytest.mark.parametrize("seconds", [-1, 0, 1])
def test_an_offer_has_expired_for_whoever_answers_later(
    scene: Scene, act: Act, before: set[str], after: set[str], seconds: int
) -> None:
    now = OFFER_ENDS + seconds * SECOND
    assert codes(act, scene, now) == (before if seconds < 0 else after)
    status = db.session.scalars(select(Trade.status).where(Trade.id == scene.offer_id)).one()
    assert (status == "expired") == (seconds >= 0)


@pytest.mark.parametrize("page", ["players", "setup"])
@pytest.mark.parametrize("seconds", [-1, 0, 1])
def test_whoever_looks_sees_the_run_and_the_trade(
    scene: Scene,
    sign_in: Callable[..., FlaskClient],
    monkeypatch: pytest.MonkeyPatch,
    page: str,
    seconds: int,
) -> None:
    now = scene.run_at + seconds * SECOND
    monkeypatch.setattr(clock, "now", lambda: now)
    monkeypatch.setattr(wizard_views, "now", lambda: now)
    cat = sign_in(username="cat")
    assert cat.get(f"/leagues/{scene.world.league.slug}/{page}").status_code == 200
    assert scene.owner(scene.given) == BOB  # its review is over for days
    assert scene.owner(scene.claimed) == (BOB if seconds >= 0 else None)


def test_everything_is_settled_in_the_order_of_its_moments(scene: Scene) -> None:
    """The trade is two days older than the run in which Ann claims with its proceeds."""
    league_id = scene.world.league.id
    return_gift = roster(scene.world, BOB)[0]
    wish = Wish(scene.claimed, drop_id=return_gift, bid=90)
    # Ann names whom she gets by the trade only once it has taken effect.
    assert {each.code for each in waivers.claim(league_id, scene.member(ANN), wish, DRAFTED)} == {
        "drop"
    }
    later = REVIEW_ENDS + SECOND
    assert waivers.claim(league_id, scene.member(ANN), wish, later) == []
    assert codes(add_claimed, scene, scene.run_at + timedelta(hours=1)) == {"owned"}
    assert (scene.owner(scene.claimed), scene.owner(return_gift)) == (ANN, None)


def test_the_jobs_leave_a_simulated_season_to_its_own_clock(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now", lambda: scene.run_at + timedelta(days=400))
    run_waivers.run()
    settle_trades.run()
    assert (scene.owner(scene.given), scene.owner(scene.claimed)) == (ANN, None)
    league_clock.settle(scene.world.league.id, scene.run_at)
    assert (scene.owner(scene.given), scene.owner(scene.claimed)) == (BOB, BOB)

"""When trades are made: picks before the draft, everything in the season, and between seasons."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from msgspec.structs import replace
from sqlalchemy import select

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.draft_leagues import draft_planning, league_clock
from app.draft_leagues.commissioner import services as commissioner
from app.draft_leagues.draft_planning import DraftDate
from app.draft_leagues.drafts import services as drafts
from app.draft_leagues.drafts import updates
from app.draft_leagues.drafts.queries import load_room, load_snapshot
from app.draft_leagues.models import DRAFTING, FINISHED, DraftLeague
from app.draft_leagues.settings import DraftSettings, KeeperSettings, TradeSettings
from app.draft_leagues.setup import services as setup
from app.draft_leagues.trades import services, window
from app.draft_leagues.trades.desk import Actor
from app.draft_leagues.trades.models import Trade
from app.draft_leagues.trades.services import NewOffer
from app.draft_leagues.trades.terms import FootballerGift, Terms
from app.fantasy.rosters.models import PickOwner
from app.fantasy.rosters.queries import rosters_of, transactions_of
from app.fantasy.rosters.rules import PickMove
from tests.worlds.draft_leagues import (
    DRAFTED,
    FOUNDED,
    SETTINGS,
    DraftWorld,
    make_draft_league,
    make_drafted_league,
)

SETTINGS_HERE = replace(SETTINGS, trades=TradeSettings(review="none", deadline_week=2))
YEAR = 2026
STARTS = DRAFTED


def pick(round_number: int, giver: int, getter: int, season: int = YEAR) -> PickMove:
    return PickMove(season, round_number, giver, from_franchise=giver, to_franchise=getter)


def agreed(world: DraftWorld, terms: Terms, now: datetime = FOUNDED, key: str = "a") -> list[str]:
    """The codes of refusals of a trade of the first two teams that both want."""
    league_id, (ann, bob, *_) = world.league.id, world.members
    offered = services.offer(league_id, Actor(ann), NewOffer(terms, key), now)
    if offered.trade_id is None:
        return [refusal.code for refusal in offered.refusals]
    refused = services.accept(league_id, offered.trade_id, Actor(bob), (), now)
    return [refusal.code for refusal in refused]


def set_phase(world: DraftWorld, phase: str) -> None:
    db.session.get_one(DraftLeague, world.league.id).phase = phase
    db.session.commit()


@pytest.fixture
def before(app: Flask, member: Callable[..., Member]) -> DraftWorld:
    """A league before its draft, whose trades take effect at once."""
    return make_draft_league(member, SETTINGS_HERE)


def test_picks_of_the_coming_draft_are_traded_and_used_by_their_new_owner(
    before: DraftWorld,
) -> None:
    league_id, ann = before.league.id, before.members[0]
    assert agreed(before, Terms(picks=(pick(1, 2, 1), pick(3, 1, 2)))) == []
    date = DraftDate(STARTS, (1, 2, 3, 4))
    assert draft_planning.schedule(league_id, date, ann, FOUNDED) == []
    # A trade after the draft was planned counts too, though nobody opens its room again.
    assert agreed(before, Terms(picks=(pick(2, 2, 1), pick(4, 1, 2))), key="b") == []
    drafts.advance_due(STARTS)
    row = draft_planning.draft_of(league_id)
    assert row is not None
    slots = load_snapshot(row.id).draft.slots
    owners = {(slot.round, slot.owner) for slot in slots}
    assert [slot.owner for slot in slots if slot.round == 1] == [1, 1, 3, 4]
    assert {(3, 2), (4, 2)} <= owners
    assert sum(slot.owner == 1 for slot in slots if slot.round == 2) == 2


def test_before_the_draft_only_picks_are_traded(before: DraftWorld) -> None:
    terms = Terms((FootballerGift(before.free("QB")[0], 1, 2),))
    assert "phase" in agreed(before, terms)


def test_traded_picks_stay_when_settings_change(before: DraftWorld) -> None:
    league_id = before.league.id
    assert agreed(before, Terms(picks=(pick(1, 2, 1),))) == []
    other = replace(before.settings, scoring="ppr")
    assert setup.change_settings(league_id, other, FOUNDED) == []
    owner = db.session.scalars(select(PickOwner.franchise)).one()
    assert owner == 1
    more = replace(before.settings, franchises=6)
    assert setup.change_settings(league_id, more, FOUNDED) == [setup.HAVE_TRADED]


def test_a_trade_of_a_pick_that_is_reviewed_beyond_the_draft_fails(
    app: Flask, member: Callable[..., Member]
) -> None:
    world = make_draft_league(member, replace(SETTINGS_HERE, trades=TradeSettings(review_hours=24)))
    assert agreed(world, Terms(picks=(pick(1, 2, 1),))) == []
    set_phase(world, DRAFTING)
    league_clock.settle(world.league.id, FOUNDED + timedelta(hours=24))
    trade = db.session.scalars(select(Trade)).one()
    assert trade.status == "failed"


@pytest.mark.parametrize(
    ("keepers", "expected"), [(KeeperSettings(keeps_all=True), []), (KeeperSettings(), ["phase"])]
)
def test_between_the_seasons_a_league_with_keepers_trades(
    app: Flask, member: Callable[..., Member], keepers: KeeperSettings, expected: list[str]
) -> None:
    world = make_drafted_league(member, replace(SETTINGS_HERE, keepers=keepers))
    set_phase(world, FINISHED)
    later = DRAFTED + timedelta(days=60)  # long after the trade deadline
    gift = next(iter(rosters_of(world.league.id).of(1)))
    terms = Terms((FootballerGift(gift, 1, 2),), (pick(1, 2, 1, YEAR + 1),))
    assert agreed(world, terms, later) == expected
    assert (rosters_of(world.league.id).places[gift].franchise == 2) == (not expected)


def begin(world: DraftWorld) -> int:
    """Begin the draft of the four teams, in the order of their numbers; returns its id."""
    date = DraftDate(STARTS, (1, 2, 3, 4))
    ann = world.members[0]
    assert draft_planning.schedule(world.league.id, date, ann, FOUNDED) == []
    drafts.advance_due(STARTS)
    row = draft_planning.draft_of(world.league.id)
    assert row is not None
    return row.id


NOW = STARTS + timedelta(seconds=10)  # the clock of the first pick runs


def test_while_the_draft_is_on_picks_are_traded_until_they_are_used(before: DraftWorld) -> None:
    draft_id = begin(before)
    first = load_snapshot(draft_id)
    assert agreed(before, Terms(picks=(pick(2, 2, 1), pick(3, 1, 2))), NOW) == []
    after = load_snapshot(draft_id)
    owners = {(slot.round, slot.original): slot.owner for slot in after.draft.slots}
    assert (owners[2, 2], owners[3, 1]) == (1, 2)
    assert after.draft.version > first.draft.version  # so that every open room shows it at once
    update = updates.update_between(first, after, NOW)
    assert sorted(update.cells) == ["1-3", "2-2"]
    assert update.say == "Trade: Ann FC gets pick 2.03. Trade: Bob FC gets pick 3.01."
    assert agreed(before, Terms(picks=(pick(1, 1, 2),)), NOW, "b") == ["pick_used"]  # on the clock

    room = load_room(draft_id, before.members[0])
    assert room is not None
    best = after.pool.footballers[0].id
    assert isinstance(drafts.pick(room, best, drafts.Submission(NOW)), drafts.Done)
    assert agreed(before, Terms(picks=(pick(1, 1, 2),)), NOW, "c") == ["pick_used"]  # it was made
    gift = Terms((FootballerGift(best, 1, 2),))
    assert "phase" in agreed(before, gift, NOW, "d")


def test_a_trade_during_the_draft_needs_no_review_and_can_be_reversed(
    app: Flask, member: Callable[..., Member]
) -> None:
    world = make_draft_league(member, replace(SETTINGS_HERE, trades=TradeSettings(review_hours=24)))
    draft_id = begin(world)
    assert agreed(world, Terms(picks=(pick(2, 2, 1),)), NOW) == []
    number = len(transactions_of(world.league.id))
    ann = world.members[0]
    undone = commissioner.reverse(
        world.league.id, number, by_member_id=ann, reason="Mistake", now=NOW
    )
    assert undone == number + 1
    slots = load_snapshot(draft_id).draft.slots
    assert all(slot.owner == slot.original for slot in slots)


def test_the_form_offers_the_picks_that_are_left(
    before: DraftWorld, sign_in: Callable[..., FlaskClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(before)
    monkeypatch.setattr(clock, "now", lambda: NOW)
    page = sign_in(username="ann").get(f"/leagues/{before.league.slug}/trades/new?team=2").text
    assert "1:2:pick:2026.2.1" in page
    assert "1:2:pick:2026.1.1" not in page  # it is on the clock


@pytest.mark.parametrize("phase", [DRAFTING, FINISHED])
def test_the_form_says_at_once_that_nothing_is_traded(
    app: Flask,
    member: Callable[..., Member],
    sign_in: Callable[..., FlaskClient],
    monkeypatch: pytest.MonkeyPatch,
    phase: str,
) -> None:
    auction = replace(SETTINGS_HERE, draft=DraftSettings(kind="auction"))
    world = make_drafted_league(member, auction)
    set_phase(world, phase)
    monkeypatch.setattr(clock, "now", lambda: DRAFTED)
    page = sign_in(username="ann").get(f"/leagues/{world.league.slug}/trades/new?team=2").text
    sentence = (window.DRAFT_IS_ON if phase == DRAFTING else window.SEASON_OVER).text
    assert sentence in page
    assert 'name="gift"' not in page

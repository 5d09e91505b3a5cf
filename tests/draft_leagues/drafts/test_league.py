"""A league's draft from its plan to the rosters and the season."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from flask import Flask
from msgspec.structs import replace as with_changes
from sqlalchemy import select

from app.accounts.models import Member
from app.core.db import db
from app.draft_leagues import draft_planning
from app.draft_leagues.commissioner import services as commissioner
from app.draft_leagues.commissioner.act_notices import By
from app.draft_leagues.draft_planning import DraftDate
from app.draft_leagues.drafts import queries, services
from app.draft_leagues.drafts.models import DraftQueue
from app.draft_leagues.models import DRAFTING, SEASON, DraftLeague
from app.draft_leagues.settings import (
    DraftLeagueSettings,
    DraftSettings,
    RosterSettings,
    StarterCount,
)
from app.draft_leagues.setup import services as setup
from app.draft_leagues.setup.services import NewDraftLeague
from app.fantasy.leagues import services as leagues
from app.fantasy.rosters.models import Franchise, PickOwner, RosterSpot, RosterTransaction
from app.fantasy.standings.models import League
from tests.draft_leagues.drafts.plans import START, seconds
from tests.worlds.draft_market import make_market

SETTINGS = DraftLeagueSettings(
    franchises=3,
    scoring="half_ppr_idp",
    time_zone="UTC",
    roster=RosterSettings((StarterCount("RB", 1), StarterCount("WR", 1)), bench=0, taxi=1),
    draft=DraftSettings(seconds_per_pick=60),
)


@pytest.fixture
def league(app: Flask, member: Callable[..., Member]) -> League:
    """Ann's league of three franchises, of which two are free, with a draft at START."""
    season = make_market(is_simulated=True)
    ann = member("ann")
    league = setup.found(ann.id, NewDraftLeague("The Yard", "Ann FC", season.id, SETTINGS), START)
    assert isinstance(league, League)
    before = START - seconds(60)
    assert draft_planning.schedule(league.id, DraftDate(START, (2, 1, 3)), ann.id, before) == []
    return league


def draft_id(league: League) -> int:
    row = draft_planning.draft_of(league.id)
    assert row is not None
    return row.id


def phase(league: League) -> str:
    db.session.rollback()
    return db.session.get_one(DraftLeague, league.id, populate_existing=True).phase


def test_a_draft_begins_at_its_time_and_its_picks_become_rosters(league: League) -> None:
    services.advance_due(START)
    assert phase(league) == DRAFTING
    for second in range(240):
        services.advance_due(START + seconds(second))
    assert phase(league) == SEASON
    spots = db.session.scalars(select(RosterSpot).where(RosterSpot.league_id == league.id)).all()
    assert Counter((spot.franchise, spot.spot) for spot in spots) == {
        (franchise, spot): count
        for franchise in (1, 2, 3)
        for spot, count in (("active", 2), ("taxi", 1))
    }
    log = db.session.scalars(
        select(RosterTransaction)
        .where(RosterTransaction.league_id == league.id)
        .order_by(RosterTransaction.number)
    ).all()
    assert [entry.kind for entry in log] == ["drafted"] * 9
    assert (log[0].franchises, log[0].reason) == ([2], "Round 1, pick 1")


def test_whoever_drafts_last_claims_first(league: League) -> None:
    """Yahoo: "Waiver priority is initially set in reverse draft order"; Sleeper and ESPN too."""
    for second in range(240):
        services.advance_due(START + seconds(second))
    priorities = db.session.execute(
        select(Franchise.waiver_priority, Franchise.number)
        .where(Franchise.league_id == league.id)
        .order_by(Franchise.waiver_priority)
    ).all()
    assert [tuple(row) for row in priorities] == [(1, 3), (2, 1), (3, 2)]  # drafted 2, 1, 3


def test_a_finished_draft_is_not_recorded_again(league: League) -> None:
    for second in range(240):
        services.advance_due(START + seconds(second))
    services.advance(draft_id(league), START + seconds(900))
    count = db.session.query(RosterTransaction).filter_by(league_id=league.id).count()
    assert count == 9


def test_the_plan_follows_the_league_and_queues_stay(league: League) -> None:
    ann = queries.load_room(draft_id(league), _commissioner(league))
    assert ann
    assert (ann.franchise, ann.runs) == (1, True)
    services.enqueue(ann, "RB3", START - seconds(30))
    changed = with_changes(SETTINGS, draft=DraftSettings(kind="linear"))
    assert setup.change_settings(league.id, changed, START - seconds(20)) == []
    draft_planning.follow(league.id, START - seconds(20))
    snapshot = queries.load_snapshot(draft_id(league))
    assert (snapshot.draft.plan.kind, snapshot.draft.plan.order) == ("linear", (2, 1, 3))
    assert db.session.query(DraftQueue).one().footballer_ids == ["RB3"]


def test_a_traded_pick_is_used_by_its_owner(league: League) -> None:
    db.session.add(
        PickOwner(league_id=league.id, season=2026, round=1, original_franchise=2, franchise=1)
    )
    db.session.commit()
    draft_planning.follow(league.id, START - seconds(20))
    services.advance(draft_id(league), START)
    assert queries.load_snapshot(draft_id(league)).draft.on_turn == 1


def test_a_new_owner_takes_over_during_the_draft(
    league: League, member: Callable[..., Member]
) -> None:
    services.advance(draft_id(league), START)
    eve = member("eve").id
    assert leagues.join(eve, league.id, "Eve FC", START) is None
    room = queries.load_room(draft_id(league), eve)
    assert room
    assert room.franchise == 2
    outcome = services.pick(room, "RB2", services.Submission(START + seconds(0.5)))
    assert isinstance(outcome, services.Done)


def test_only_members_of_the_league_see_its_draft(
    league: League, member: Callable[..., Member]
) -> None:
    assert queries.load_room(draft_id(league), member("eve").id) is None


def _commissioner(league: League) -> int:
    assert league.commissioner_id is not None
    return league.commissioner_id


def test_a_draft_is_for_nobody_who_is_not_in_its_league(
    league: League, member: Callable[..., Member]
) -> None:
    """A co-commissioner who is removed in the middle of a draft sees and does nothing any more."""
    bob = member("bob").id
    assert leagues.join(bob, league.id, "Bob FC", START) is None
    assert commissioner.set_co_commissioners(league.id, [bob], By(1, "I am away."), START) == []
    draft = draft_id(league)
    entered = queries.load_room(draft, bob)
    assert entered is not None
    assert entered.runs
    assert leagues.remove(league.id, bob, START) is None
    assert queries.load_room(draft, bob) is None
    assert leagues.let_back(league.id, bob) is None
    assert leagues.join(bob, league.id, "Bob FC", START) is None
    entered = queries.load_room(draft, bob)
    assert entered is not None
    assert not entered.runs

"""What founding a draft league writes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from msgspec.structs import replace
from sqlalchemy import text

from app.accounts.models import Member
from app.core.db import db
from app.draft_leagues.models import DraftLeague
from app.draft_leagues.season.queries import load_season
from app.draft_leagues.setup import services as setup
from app.draft_leagues.transactions.services import settings_of
from app.fantasy.leagues import rule_changes
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.scoring.rules import PRESETS
from app.fantasy.standings.models import League
from tests.worlds.draft_leagues import (
    FIRST,
    FOUNDED,
    SETTINGS,
    Days,
    DraftWorld,
    make_drafted_league,
)

_DEADLINES = text("""
    SELECT gameweek_id, locks_at, xmin::text AS written_by FROM sheet_deadlines
    WHERE team_rules_id = :team_rules_id ORDER BY gameweek_id
""")


def deadlines(league: League) -> list[tuple[object, ...]]:
    """The gameweeks of a league's line-ups, when they lock, and which transaction wrote that."""
    rows = db.session.execute(_DEADLINES, {"team_rules_id": league.team_rules_id})
    return [tuple(row) for row in rows]


def test_a_new_league_writes_its_own_deadlines_and_nobody_elses(drafted: DraftWorld) -> None:
    before = deadlines(drafted.league)
    new = setup.NewDraftLeague("Second Row", "Ann FC", drafted.season.season_id, SETTINGS)
    founded = setup.found(drafted.members[0], new, FOUNDED)
    assert isinstance(founded, League), founded
    assert [row[:2] for row in deadlines(founded)] == [row[:2] for row in before]
    assert len(before) == 4  # gameweeks
    assert deadlines(drafted.league) == before


def test_own_scoring_outlives_a_change_of_other_settings(drafted: DraftWorld) -> None:
    """The settings have their scoring from the league: it is chosen on two pages."""
    new = setup.NewDraftLeague("Second Row", "Ann FC", drafted.season.season_id, SETTINGS)
    league = setup.found(drafted.members[0], new, FOUNDED)
    assert isinstance(league, League), league
    before = settings_of(db.session.get_one(DraftLeague, league.id))
    points = PRESETS[SETTINGS.scoring].milli_points | {"passing_tds": 6_123}
    scoring = rule_changes.NewScoring(PRESETS[SETTINGS.scoring].title, points)
    assert rule_changes.set_scoring(league, scoring, FOUNDED) == []
    db.session.commit()
    named = settings_of(db.session.get_one(DraftLeague, league.id))
    assert named.scoring == league.rules != SETTINGS.scoring
    shorter = replace(named.trades, offer_hours=24)
    stale = replace(before, trades=shorter)
    assert setup.change_settings(league.id, stale, FOUNDED, expected=before) == [setup.CHANGED]
    changed = replace(named, trades=shorter)
    assert setup.change_settings(league.id, changed, FOUNDED, expected=named) == []
    assert settings_of(db.session.get_one(DraftLeague, league.id)) == changed
    assert rules_named(db.session.get_one(League, league.id).rules).milli_points == points


@pytest.mark.parametrize(("named", "first"), [(None, 3), (1, 1)])
def test_a_season_begins_with_the_first_gameweek_after_the_draft(
    member: Callable[..., Member], named: int | None, first: int
) -> None:
    """Unless the settings name the first one. What is left is fitted to the gameweeks left."""
    season = replace(SETTINGS.season, first_week=named, regular_weeks=5)
    late = Days(drafted=FIRST + timedelta(days=8))
    world = make_drafted_league(member, replace(SETTINGS, season=season), weeks=6, days=late)
    league = db.session.get_one(League, world.league.id)
    assert league.first_week == first
    assert [number for number, *_ in deadlines(league)] == [
        gameweek.id for gameweek in world.season.gameweeks[first - 1 :]
    ]
    view = load_season(league.id)
    assert [gameweek.week for gameweek in view.regular] == list(range(first, 6))
    assert [gameweek.week for gameweek in view.playoff_weeks] == [6]
    if named is None:
        assert settings_of(db.session.get_one(DraftLeague, league.id)).season.regular_weeks == 3

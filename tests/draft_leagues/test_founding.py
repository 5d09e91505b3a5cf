"""What founding a draft league writes."""

from __future__ import annotations

from msgspec.structs import replace
from sqlalchemy import text

from app.core.db import db
from app.draft_leagues.models import DraftLeague
from app.draft_leagues.setup import services as setup
from app.draft_leagues.transactions.services import settings_of
from app.fantasy.leagues import rule_changes
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.scoring.rules import PRESETS
from app.fantasy.standings.models import League
from tests.worlds.draft_leagues import FOUNDED, SETTINGS, DraftWorld

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

"""What founding a draft league writes."""

from __future__ import annotations

from sqlalchemy import text

from app.core.db import db
from app.draft_leagues.setup import services as setup
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

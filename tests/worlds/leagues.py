"""Made-up seasons for tests: one season with its gameweek, team rules, leagues and team sheets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from app.core.db import db
from app.fantasy.market.choice import TeamRulesChoice
from app.fantasy.market.formats import FORMATS
from app.fantasy.market.models import Gameweek, Season, TeamRules
from app.fantasy.market.seasons import (
    NewSeason,
    ensure_gameweek,
    ensure_season,
    ensure_team_rules,
    set_deadlines,
)
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.standings.models import League, LeagueMember
from tests.worlds.games import KICKOFF


def make_season(weeks: int = 1, *, competition: str = "nfl", simulated: bool = True) -> Season:
    """The season 2026 with gameweeks that all lock at KICKOFF.

    Simulated, so that sheets may carry any time.
    """
    season = ensure_season(
        NewSeason(
            competition,
            2026,
            "REG",
            name="2026",
            time_zone="UTC",
            rules="standard",
            is_simulated=simulated,
        )
    )
    for week in range(1, weeks + 1):
        ensure_gameweek(season, week, KICKOFF)
    return season


def make_league(
    commissioner: int,
    members: Mapping[int, str],
    *,
    slug: str = "row",
    rules: str = "standard",
    weeks: int = 1,
    team_format: str = "nfl-classic",
) -> League:
    """A league of the season; `members`: team name by member id."""
    season = make_season(weeks)
    team_rules = ensure_team_rules(season.id, TeamRulesChoice.of(team_format, "UTC"))
    set_deadlines(season.id)
    league = League(
        season_id=season.id,
        team_rules_id=team_rules.id,
        slug=slug,
        name=slug.title(),
        invite_code=slug.upper(),
        rules=rules,
        commissioner_id=commissioner,
    )
    db.session.add(league)
    db.session.flush()
    for member, team_name in members.items():
        db.session.add(LeagueMember(league_id=league.id, member_id=member, team_name=team_name))
    db.session.flush()
    return league


def make_sheet(
    member_id: int,
    league: League,
    picks: Sequence[str],
    *,
    captain: str | None = None,
    vice: str | None = None,
    week: int = 1,
    saved_at: datetime | None = None,
) -> TeamSheet:
    """A sheet with these footballers in its first places; the others stay empty."""
    gameweek = db.session.scalars(
        db.select(Gameweek).where(Gameweek.season_id == league.season_id, Gameweek.week == week)
    ).one()
    places = len(FORMATS[db.session.get_one(TeamRules, league.team_rules_id).format].places)
    whole = [*picks, *[""] * (places - len(picks))]
    first = whole.index(captain) + 1 if captain else places
    sheet = TeamSheet(
        member_id=member_id,
        team_rules_id=league.team_rules_id,
        gameweek_id=gameweek.id,
        picks=whole,
        captain=first,
        vice_captain=whole.index(vice) + 1 if vice else places - 1,
        purchase_prices=[0] * places,
        bank=0,
        free_transfers=None,
        saved_at=saved_at or KICKOFF.replace(hour=KICKOFF.hour - 1),
    )
    db.session.add(sheet)
    db.session.flush()
    return sheet

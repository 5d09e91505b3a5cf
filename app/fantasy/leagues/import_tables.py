"""Writes an imported league into the tables.

Not here: reading and checking the document (importing.py).
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.dialects.postgresql import insert

from app.accounts.countries import COUNTRIES
from app.accounts.models import Member
from app.accounts.names import normalised
from app.core.db import db, upsert
from app.core.errors import UserError
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues.addresses import new_code
from app.fantasy.leagues.document import Document
from app.fantasy.leagues.models import LeagueBan, RuleChange, ScoreAdjustment
from app.fantasy.market.models import Gameweek, Season, SheetDeadline, TeamRules
from app.fantasy.scoring import rulebook
from app.fantasy.scoring.models import SheetPoints
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.standings.models import League, LeagueMember, LeagueScore, Matchup
from app.record.models import Club, Footballer

NO_PASSWORD = "!"  # noqa: S105  (no password's hash)
OPEN = datetime(9999, 1, 1, tzinfo=UTC)  # later than any sheet was saved


class BadLeagueError(UserError):
    """The document cannot be taken in; the text names the place and what to do."""


def write(found: Document, slug: str) -> League:
    """Everything that the document says, under this address.

    The caller commits. Raises BadLeagueError.
    """
    _write_scoring(found)
    season = Season(
        competition=f"{found.season.competition}{leagues.APART}{slug}",
        season=found.season.season,
        season_type=found.season.season_type,
        name=found.season.name,
        time_zone=found.season.time_zone,
        rules=found.season.rules,
        is_simulated=True,
    )
    db.session.add(season)
    db.session.flush()
    weeks = _write_weeks(found, season)
    team_rules = TeamRules(season_id=season.id, **vars(found.team_rules))
    db.session.add(team_rules)
    db.session.flush()
    people = _write_people(found)
    league = League(
        season_id=season.id,
        team_rules_id=team_rules.id,
        slug=slug,
        name=found.league.name,
        invite_code=new_code(),
        is_public=found.league.is_public,
        is_overall=found.league.is_overall,
        rules=found.league.rules,
        mode=found.league.mode,
        ties=found.league.ties,
        first_week=found.league.first_week,
        commissioner_id=people.get(found.league.commissioner or ""),
        created_at=found.league.created_at,
    )
    db.session.add(league)
    db.session.flush()
    _write_league(found, league, people, weeks)
    _write_games_and_acts(found, league, people, weeks)
    _write_footballers(found)
    _write_deadlines(found, team_rules, weeks, at=OPEN)
    _write_sheets(found, league, people, weeks)
    _write_deadlines(found, team_rules, weeks)
    return league


def _insert(table: Any, rows: list[dict[str, Any]]) -> None:
    if rows:
        db.session.execute(insert(table), rows)


def _write_deadlines(
    found: Document, team_rules: TeamRules, weeks: dict[int, int], at: datetime | None = None
) -> None:
    """`at`: all of them at that time instead of their own."""
    rows = [
        {
            "team_rules_id": team_rules.id,
            "gameweek_id": weeks[one.week],
            "locks_at": at or one.locks_at,
        }
        for one in found.deadlines
    ]
    upsert(SheetDeadline, ("team_rules_id", "gameweek_id"), rows)


def _write_scoring(found: Document) -> None:
    for one in found.scoring:
        if rulebook.custom_rules(one.milli_points, one.title) != one.name:
            db.session.rollback()
            raise BadLeagueError(
                f"scoring: the numbers of {one.name!r} are not those that its name stands for."
            )


def _write_weeks(found: Document, season: Season) -> dict[int, int]:
    _insert(
        Gameweek,
        [
            {
                "season_id": season.id,
                "competition": season.competition,
                "season": season.season,
                "season_type": season.season_type,
                "week": one.week,
                "name": one.name,
                "deadline": one.deadline,
                "locked_at": one.locked_at,
                "settled_at": one.settled_at,
            }
            for one in found.gameweeks
        ],
    )
    query = select(Gameweek.week, Gameweek.id).where(Gameweek.season_id == season.id)
    return dict(db.session.execute(query).all())


def _write_people(found: Document) -> dict[str, int]:
    """Ids by username, as it is written in the document."""
    lower = {one.username.lower(): one.username for one in found.people}
    known = set(
        db.session.scalars(
            select(func.lower(Member.username)).where(func.lower(Member.username).in_(lower))
        )
    )
    _insert(
        Member,
        [
            {
                "username": one.username,
                "display_name": normalised(one.display_name),
                "country": one.country if one.country in COUNTRIES else None,
                "password_hash": NO_PASSWORD,
            }
            for one in found.people
            if one.username.lower() not in known
        ],
    )
    query = select(func.lower(Member.username), Member.id).where(
        func.lower(Member.username).in_(lower)
    )
    return {lower[name]: member for name, member in db.session.execute(query)}


def _write_league(
    found: Document, league: League, people: dict[str, int], weeks: dict[int, int]
) -> None:
    here = {"league_id": league.id}
    _insert(
        LeagueMember,
        [
            {
                **here,
                "member_id": people[one.username],
                "team_name": one.team_name,
                "joined_at": one.joined_at,
                "total_points": one.total_points or 0,
                "standing": one.standing or [0],
            }
            for one in found.people
            if one.team_name is not None
        ],
    )
    _insert(
        LeagueBan,
        [{**here, "member_id": people[one.username]} for one in found.people if one.is_banned],
    )
    _insert(
        LeagueScore,
        [
            {
                **here,
                "member_id": people[one.member],
                "gameweek_id": weeks[one.week],
                "team_name": one.team_name,
                "points": one.points,
                "held": one.held,
                "transfers": one.transfers,
                "match_points": one.match_points,
                "total": one.total,
                "rank": one.rank,
            }
            for one in found.scores
        ],
    )


def _write_games_and_acts(
    found: Document, league: League, people: dict[str, int], weeks: dict[int, int]
) -> None:
    here = {"league_id": league.id}
    _insert(
        Matchup,
        [
            {
                **here,
                "gameweek_id": weeks[one.week],
                "home_id": people[one.home],
                "away_id": people[one.away] if one.away else None,
            }
            for one in found.matchups
        ],
    )
    _insert(
        ScoreAdjustment,
        [
            {
                **here,
                "member_id": people[one.member],
                "gameweek_id": weeks[one.week],
                "points": one.points,
                "reason": one.reason,
                "by_id": people[one.by],
                "created_at": one.created_at,
            }
            for one in found.adjustments
        ],
    )
    _insert(
        RuleChange,
        [
            {
                **here,
                "old_rules": one.old_rules,
                "new_rules": one.new_rules,
                "reason": one.reason,
                "by_id": people[one.by],
                "created_at": one.created_at,
            }
            for one in found.rule_changes
        ],
    )


def _write_footballers(found: Document) -> None:
    """Those who are not here yet; nobody who is here is changed."""
    clubs = sorted({one.club for one in found.footballers if one.club})
    colour = {"nickname": "", "colour": "#224466"}
    new_clubs = [{"id": club, "name": club} | colour for club in clubs]
    if new_clubs:
        db.session.execute(insert(Club).on_conflict_do_nothing(), new_clubs)
    rows = [
        {"id": one.id, "name": one.name, "position": one.position, "club_id": one.club}
        for one in found.footballers
    ]
    if rows:
        db.session.execute(insert(Footballer).on_conflict_do_nothing(), rows)


def _write_sheets(
    found: Document, league: League, people: dict[str, int], weeks: dict[int, int]
) -> None:
    """Each as it came.

    A deadline may have moved to before a sheet was saved, and the sheet that a carried one repeats
    may have changed since, or be missing in documents of older versions. So all of them are written
    as saved ones before any deadline, and those that were carried over are marked afterwards.
    """
    ordered = sorted(found.sheets, key=lambda sheet: sheet.week)
    _insert(
        TeamSheet,
        [
            {
                "member_id": people[one.member],
                "team_rules_id": league.team_rules_id,
                "gameweek_id": weeks[one.week],
                "picks": one.picks,
                "captain": one.captain,
                "vice_captain": one.vice_captain,
                "purchase_prices": one.purchase_prices,
                "bank": one.bank,
                "free_transfers": one.free_transfers,
                "transfers": one.transfers,
                "transfer_cost": one.transfer_cost,
                "version": one.version,
                "is_carried": False,
                "saved_at": one.saved_at,
            }
            for one in ordered
        ],
    )
    query = select(TeamSheet.member_id, TeamSheet.gameweek_id, TeamSheet.id).where(
        TeamSheet.team_rules_id == league.team_rules_id
    )
    ids = {(member, gameweek): sheet for member, gameweek, sheet in db.session.execute(query)}
    carried = [ids[people[one.member], weeks[one.week]] for one in ordered if one.is_carried]
    db.session.execute(update(TeamSheet).where(TeamSheet.id.in_(carried)).values(is_carried=True))
    _insert(
        SheetPoints,
        [
            {
                "team_sheet_id": ids[people[one.member], weeks[one.week]],
                "rules": league.rules,
                "points": one.points,
                "held": one.held or 0,
                "multipliers": one.multipliers,
            }
            for one in ordered
            if one.points is not None
        ],
    )

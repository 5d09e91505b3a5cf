"""Writes an imported league into the tables; importing.py reads and checks the document."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.dialects.postgresql import insert

from app.accounts.countries import COUNTRIES
from app.accounts.models import Member
from app.accounts.names import normalised
from app.accounts.staff import NO_PASSWORD
from app.core.db import db, upsert
from app.core.errors import UserError
from app.fantasy.leagues import exported_rosters
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

OPEN = datetime(9999, 1, 1, tzinfo=UTC)  # later than any sheet was saved


class BadLeagueError(UserError):
    """The document cannot be imported; the text names the place and what to do."""


def write(document: Document, slug: str) -> League:
    """Write everything in the document, with this address. The caller commits.

    Raises:
        BadLeagueError: The document does not fit this installation.
    """
    _write_scoring(document)
    season = Season(
        competition=f"{document.season.competition}{leagues.APART}{slug}",
        season=document.season.season,
        season_type=document.season.season_type,
        name=document.season.name,
        time_zone=document.season.time_zone,
        rules=document.season.rules,
        is_simulated=True,
    )
    db.session.add(season)
    db.session.flush()
    weeks = _write_weeks(document, season)
    team_rules = TeamRules(season_id=season.id, **vars(document.team_rules))
    db.session.add(team_rules)
    db.session.flush()
    people = _write_people(document)
    league = League(
        season_id=season.id,
        team_rules_id=team_rules.id,
        slug=slug,
        name=document.league.name,
        invite_code=new_code(),
        is_public=document.league.is_public,
        is_overall=document.league.is_overall,
        rules=document.league.rules,
        mode=document.league.mode,
        ties=document.league.ties,
        first_week=document.league.first_week,
        commissioner_id=people.get(document.league.commissioner or ""),
        created_at=document.league.created_at,
    )
    db.session.add(league)
    db.session.flush()
    _write_league(document, league, people, weeks)
    _write_games_and_acts(document, league, people, weeks)
    _write_footballers(document)
    exported_rosters.write(document, league, people)
    _write_deadlines(document, team_rules, weeks, at=OPEN)
    _write_sheets(document, league, people, weeks)
    _write_deadlines(document, team_rules, weeks)
    return league


def _insert(table: Any, rows: list[dict[str, Any]]) -> None:
    if rows:
        db.session.execute(insert(table), rows)


def _write_deadlines(
    document: Document, team_rules: TeamRules, weeks: dict[int, int], at: datetime | None = None
) -> None:
    """Write the deadlines. `at`: one time for all instead of their own."""
    rows = [
        {
            "team_rules_id": team_rules.id,
            "gameweek_id": weeks[deadline.week],
            "locks_at": at or deadline.locks_at,
        }
        for deadline in document.deadlines
    ]
    upsert(SheetDeadline, ("team_rules_id", "gameweek_id"), rows)


def _write_scoring(document: Document) -> None:
    for scoring in document.scoring:
        if rulebook.custom_rules(scoring.milli_points, scoring.title) != scoring.name:
            db.session.rollback()
            raise BadLeagueError(f"scoring: the values of {scoring.name!r} do not match its name.")


def _write_weeks(document: Document, season: Season) -> dict[int, int]:
    _insert(
        Gameweek,
        [
            {
                "season_id": season.id,
                "competition": season.competition,
                "season": season.season,
                "season_type": season.season_type,
                "week": gameweek.week,
                "name": gameweek.name,
                "deadline": gameweek.deadline,
                "locked_at": gameweek.locked_at,
                "settled_at": gameweek.settled_at,
            }
            for gameweek in document.gameweeks
        ],
    )
    query = select(Gameweek.week, Gameweek.id).where(Gameweek.season_id == season.id)
    return dict(db.session.execute(query).all())


def _write_people(document: Document) -> dict[str, int]:
    """Write the people, and return their ids by username as in the document."""
    lower = {person.username.lower(): person.username for person in document.people}
    known = set(
        db.session.scalars(
            select(func.lower(Member.username)).where(func.lower(Member.username).in_(lower))
        )
    )
    _insert(
        Member,
        [
            {
                "username": person.username,
                "display_name": normalised(person.display_name),
                "country": person.country if person.country in COUNTRIES else None,
                "password_hash": NO_PASSWORD,
            }
            for person in document.people
            if person.username.lower() not in known
        ],
    )
    query = select(func.lower(Member.username), Member.id).where(
        func.lower(Member.username).in_(lower)
    )
    return {lower[name]: member for name, member in db.session.execute(query)}


def _write_league(
    document: Document, league: League, people: dict[str, int], weeks: dict[int, int]
) -> None:
    here = {"league_id": league.id}
    _insert(
        LeagueMember,
        [
            {
                **here,
                "member_id": people[person.username],
                "team_name": person.team_name,
                "joined_at": person.joined_at,
                "total_points": person.total_points or 0,
                "standing": person.standing or [0],
            }
            for person in document.people
            if person.team_name is not None
        ],
    )
    _insert(
        LeagueBan,
        [
            {**here, "member_id": people[person.username]}
            for person in document.people
            if person.is_banned
        ],
    )
    _insert(
        LeagueScore,
        [
            {
                **here,
                "member_id": people[score.member],
                "gameweek_id": weeks[score.week],
                "team_name": score.team_name,
                "points": score.points,
                "held": score.held_points,
                "transfers": score.transfers,
                "match_points": score.match_points,
                "total": score.total,
                "rank": score.rank,
            }
            for score in document.scores
        ],
    )


def _write_games_and_acts(
    document: Document, league: League, people: dict[str, int], weeks: dict[int, int]
) -> None:
    here = {"league_id": league.id}
    _insert(
        Matchup,
        [
            {
                **here,
                "gameweek_id": weeks[matchup.week],
                "home_id": people[matchup.home],
                "away_id": people[matchup.away] if matchup.away else None,
            }
            for matchup in document.matchups
        ],
    )
    _insert(
        ScoreAdjustment,
        [
            {
                **here,
                "member_id": people[adjustment.member],
                "gameweek_id": weeks[adjustment.week],
                "points": adjustment.points,
                "reason": adjustment.reason,
                "by_id": people[adjustment.by],
                "created_at": adjustment.created_at,
            }
            for adjustment in document.adjustments
        ],
    )
    _insert(
        RuleChange,
        [
            {
                **here,
                "old_rules": change.old_rules,
                "new_rules": change.new_rules,
                "reason": change.reason,
                "by_id": people[change.by],
                "created_at": change.created_at,
            }
            for change in document.rule_changes
        ],
    )


def _write_footballers(document: Document) -> None:
    """Write footballers who do not exist yet; existing ones do not change."""
    clubs = sorted({footballer.club for footballer in document.footballers if footballer.club})
    colour = {"nickname": "", "colour": "#224466"}
    new_clubs = [{"id": club, "name": club} | colour for club in clubs]
    if new_clubs:
        db.session.execute(insert(Club).on_conflict_do_nothing(), new_clubs)
    rows = [
        {
            "id": footballer.id,
            "name": footballer.name,
            "position": footballer.position,
            "club_id": footballer.club,
        }
        for footballer in document.footballers
    ]
    if rows:
        db.session.execute(insert(Footballer).on_conflict_do_nothing(), rows)


def _write_sheets(
    document: Document, league: League, people: dict[str, int], weeks: dict[int, int]
) -> None:
    """Write the sheets as they are in the document, whatever the triggers would say.

    A deadline may have moved to before a sheet was saved, and the sheet that a carried one repeats
    may have changed since, or be missing in documents of older versions. So all are written as
    saved before any deadline, and those that were carried over are marked afterwards.
    """
    ordered = sorted(document.sheets, key=lambda sheet: sheet.week)
    _insert(
        TeamSheet,
        [
            {
                "member_id": people[sheet.member],
                "team_rules_id": league.team_rules_id,
                "gameweek_id": weeks[sheet.week],
                "picks": sheet.picks,
                "captain": sheet.captain,
                "vice_captain": sheet.vice_captain,
                "purchase_prices": sheet.purchase_prices,
                "bank": sheet.bank,
                "free_transfers": sheet.free_transfers,
                "transfers": sheet.transfers,
                "transfer_cost": sheet.transfer_cost,
                "version": sheet.version,
                "is_carried": False,
                "saved_at": sheet.saved_at,
            }
            for sheet in ordered
        ],
    )
    query = select(TeamSheet.member_id, TeamSheet.gameweek_id, TeamSheet.id).where(
        TeamSheet.team_rules_id == league.team_rules_id
    )
    ids = {(member, gameweek): sheet for member, gameweek, sheet in db.session.execute(query)}
    carried = [
        ids[people[sheet.member], weeks[sheet.week]] for sheet in ordered if sheet.is_carried
    ]
    db.session.execute(update(TeamSheet).where(TeamSheet.id.in_(carried)).values(is_carried=True))
    _insert(
        SheetPoints,
        [
            {
                "team_sheet_id": ids[people[sheet.member], weeks[sheet.week]],
                "rules": league.rules,
                "points": sheet.points,
                "held": sheet.held_points or 0,
                "multipliers": sheet.multipliers,
            }
            for sheet in ordered
            if sheet.points is not None
        ],
    )

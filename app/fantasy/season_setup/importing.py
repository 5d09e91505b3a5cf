"""Stores what the parsers read: each function one import, in one transaction, whole or not at all.

Doing an import again changes nothing; a newer file brings the same rows up to date. Nothing that was played, priced or
locked is taken back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import func, select, tuple_, update

from app.core.db import db, transaction, upsert
from app.core.errors import UserError
from app.fantasy.market.choice import CLASSIC
from app.fantasy.market.models import FootballerSeason, Gameweek, Season
from app.fantasy.market.seasons import ensure_gameweek, ensure_season, first_kickoff, set_deadlines
from app.fantasy.season_setup.rosters import Roster
from app.fantasy.season_setup.schedule import Fixture, Schedule, SeasonSchedule
from app.fantasy.season_setup.start import OnMarket, ensure_overall_league, put_on_market
from app.record.events import Declared
from app.record.models import Club, Footballer, Game, GameState
from app.record.rules.clubs import same_club
from app.record.rules.team_defence import POSITION
from app.record.script import Club as ClubFacts
from app.record.services import store_defences

NFL = "nfl"
ZONE = "America/New_York"
RULES = "half_ppr_idp"


class Refused(UserError):
    """The import does not fit what is there."""


@dataclass(frozen=True)
class RosterImported:
    """`new` of the `on_market`; `gone`: who was on the market, and is no longer on the rosters of their club."""

    footballers: int
    on_market: int
    new: int
    gone: int


@dataclass(frozen=True)
class ScheduleImported:
    """Of one season. `new`: games that were not there. `kept`: ids of games that the operator moved, and that the file
    still has where they were; `declared`: what the file says of games that their record does not say yet, by id."""

    name: str
    gameweeks: int
    games: int
    new: int
    kept: tuple[str, ...] = ()
    declared: tuple[tuple[str, Declared], ...] = ()


def import_roster(roster: Roster, competition: str = NFL) -> RosterImported:
    """Clubs, footballers and the market of the season, with prices for who is new on it; each club's D/ST is on it too.

    An older season's roster adds footballers, and moves nobody from the club where a later one has them.
    """
    with transaction():
        clubs = store_clubs(roster.clubs, competition)
        season = _season(competition, roster.season, "REG")
        is_latest = not db.session.scalar(
            select(Season.id).where(Season.competition == competition, Season.season > roster.season).limit(1)
        )
        rows = [
            {
                "id": entry.id,
                "name": entry.name,
                "club_id": clubs[entry.club] if entry.club else None,
                "position": entry.position,
                "number": entry.number,
            }
            for entry in roster.entries
        ]
        upsert(Footballer, ["id"], rows, changes=is_latest)
        defences = store_defences(set(clubs.values()))
        gone = _gone(season, {*defences, *(entry.id for entry in roster.entries)}, set(clubs.values()))
        entries = [OnMarket(e.id, e.market, e.status, e.news) for e in roster.entries if e.market]
        entries += [OnMarket(defence, POSITION) for defence in defences]
        new = put_on_market(season, entries)
    return RosterImported(len(rows), len(entries), new, gone)


def _gone(season: Season, listed: set[str], clubs: set[str]) -> int:
    """Marks as left those of the market who belong to these clubs and are not listed."""
    left = (
        update(FootballerSeason)
        .where(
            FootballerSeason.season_id == season.id,
            FootballerSeason.status != "left",
            FootballerSeason.footballer_id.in_(select(Footballer.id).where(Footballer.club_id.in_(clubs))),
            FootballerSeason.footballer_id.not_in(listed),
        )
        .values(status="left", news="Not on the roster")
        .returning(FootballerSeason.footballer_id)
    )
    return len(db.session.scalars(left).all())


def import_schedule(
    schedule: Schedule, competition: str = NFL, before: timedelta = timedelta()
) -> list[ScheduleImported]:
    """Seasons, gameweeks and games. A gameweek's deadline is so long before its first kickoff.

    A game that is there already, also under its other id or by its clubs and week, gets its new kickoff; one that the
    operator moved keeps it while the file has the old one. What the file says of games that are not played is not
    stored here: it belongs to their record, and the caller enters it.
    """
    with transaction():
        clubs = store_clubs(schedule.clubs, competition)
        return [_store_season(found, clubs, competition, before) for found in schedule.seasons]


def _store_season(
    schedule: SeasonSchedule, clubs: Mapping[str, str], competition: str, before: timedelta
) -> ScheduleImported:
    season = _season(competition, schedule.season, schedule.season_type)
    fixtures = [fixture for week in schedule.weeks for fixture in week.fixtures]
    stored = store_games(fixtures, clubs, competition)
    for week in schedule.weeks:
        made = ensure_gameweek(season, week.number, week.deadline(before))
        first = first_kickoff(made)
        if stored.kept and first is not None and made.locked_at is None:
            made.deadline = first - before
    db.session.flush()
    set_deadlines(season.id)
    ensure_overall_league(season, CLASSIC)
    return ScheduleImported(
        season.name, len(schedule.weeks), len(fixtures), stored.new, stored.kept, _undeclared(fixtures, stored.ids)
    )


def _undeclared(fixtures: Sequence[Fixture], ids: Mapping[str, str]) -> tuple[tuple[str, Declared], ...]:
    """What the file says of games, where their state says something else; that a game is scheduled says nothing of one
    that is being played or is over."""
    said = {ids[fixture.id]: fixture.status for fixture in fixtures if fixture.status is not None}
    states = dict(
        db.session.execute(select(GameState.game_id, GameState.status).where(GameState.game_id.in_(said))).all()
    )
    found = []
    for game_id, status in sorted(said.items()):
        now = states.get(game_id, "scheduled")
        if status == now or (status == "scheduled" and now in ("live", "ended", "final")):
            continue
        found.append((game_id, status))
    return tuple(found)


def _season(competition: str, year: int, season_type: str) -> Season:
    after = {"PRE": " pre-season", "REG": "", "POST": " post-season"}[season_type]
    season = ensure_season(
        competition, year, season_type, name=f"{competition.upper()} {year}{after}", time_zone=ZONE, rules=RULES
    )
    if season.is_simulated:
        raise Refused(f"Season {season.name} is a simulated one; import into another competition (--competition).")
    return season


@dataclass(frozen=True)
class StoredGames:
    """`ids`: of each fixture the game's own. `kept`: those that the operator moved since the file was made."""

    new: int
    ids: Mapping[str, str]
    kept: tuple[str, ...]


def store_games(fixtures: Iterable[Fixture], clubs: Mapping[str, str], competition: str) -> StoredGames:
    """Stores the games, under the ids that they have already. One that leaves a gameweek for which team sheets have
    locked, or that was postponed, is a moved one from then on."""
    wanted = list(fixtures)
    there = _games_there(wanted, competition)
    elsewhere = [row.id for row in there if row.competition != competition]
    if elsewhere:
        raise Refused(f"Game {elsewhere[0]} belongs to another competition; say which one with --competition.")
    by_id = {row.id: row for row in there}
    by_clubs = {(row.season, row.season_type, row.week, row.home_id, row.away_id): row.id for row in there}
    rows, found, kept = [], {}, []
    for fixture in wanted:
        home, away = clubs[fixture.home], clubs[fixture.away]
        known = next((one for one in (fixture.id, fixture.other_id) if one in by_id), None)
        known = known or by_clubs.get((fixture.season, fixture.season_type, fixture.week, home, away))
        found[fixture.id] = known or fixture.id
        was = by_id.get(known or "")
        if was and was.planned_kickoff == fixture.kickoff and (was.planned_week or was.week) == fixture.week:
            kept.append(was.id)
            continue
        planned = None
        if was is not None and (was.planned_week or was.is_late):
            planned = was.planned_week or was.week
        rows.append(
            {
                "id": known or fixture.id,
                "competition": competition,
                "season": fixture.season,
                "season_type": fixture.season_type,
                "week": fixture.week,
                "kickoff": fixture.kickoff,
                "home_id": home,
                "away_id": away,
                "planned_week": None if planned == fixture.week else planned,
                "planned_kickoff": None,
            }
        )
    upsert(Game, ["id"], rows)
    return StoredGames(sum(row["id"] not in by_id for row in rows), found, tuple(kept))


def _games_there(wanted: Sequence[Fixture], competition: str) -> Sequence[Any]:
    """Those that the fixtures may be, by id or by week. `is_late`: one that leaves its week now is a moved one."""
    ids = {known for fixture in wanted for known in (fixture.id, fixture.other_id) if known}
    weeks = {(fixture.season, fixture.season_type, fixture.week) for fixture in wanted}
    return db.session.execute(
        select(
            Game.id,
            Game.competition,
            Game.season,
            Game.season_type,
            Game.week,
            Game.home_id,
            Game.away_id,
            Game.planned_week,
            Game.planned_kickoff,
            (Gameweek.locked_at.is_not(None) | (func.coalesce(GameState.status, "") == "postponed")).label("is_late"),
        )
        .outerjoin(GameState, GameState.game_id == Game.id)
        .outerjoin(
            Gameweek,
            (Gameweek.competition == Game.competition)
            & (Gameweek.season == Game.season)
            & (Gameweek.season_type == Game.season_type)
            & (Gameweek.week == Game.week),
        )
        .where(
            Game.id.in_(ids)
            | ((Game.competition == competition) & tuple_(Game.season, Game.season_type, Game.week).in_(weeks))
        )
    ).all()


def store_clubs(clubs: Iterable[ClubFacts], competition: str) -> dict[str, str]:
    """Makes those that are not there; returns the id of each by the id that the file has for it.

    A football club is there under any of its abbreviations (OAK, LV). One of which only the id was known gets its name.
    """
    wanted = list(clubs)
    there = {club.id: club for club in db.session.scalars(select(Club))}
    found: dict[str, str] = {}
    for club in wanted:
        same = (one for one in sorted(there) if competition == NFL and same_club(one, club.id))
        found[club.id] = club.id if club.id in there else next(same, club.id)
    rows = [
        {"id": found[club.id], "name": club.name, "nickname": club.nickname, "colour": club.colour}
        for club in wanted
        if found[club.id] not in there or there[found[club.id]].name == found[club.id]
    ]
    upsert(Club, ["id"], rows)
    return found

"""Stores rosters and schedules, each import in one transaction, as a whole or not at all.

`import_` functions commit; the `store_` functions below them leave that to the caller.
A repeated import changes nothing; a newer file updates the same rows. Nothing that was played,
priced or locked is undone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import select, text, update

from app.core.db import db, transaction, upsert
from app.core.db.bulk_insert import insert_rows
from app.fantasy.market.choice import CLASSIC
from app.fantasy.market.fitness import refresh_statuses
from app.fantasy.market.history_models import FootballerCareer
from app.fantasy.market.models import FootballerSeason, Season
from app.fantasy.market.seasons import NewSeason, ensure_season
from app.fantasy.market.statuses import LEFT
from app.fantasy.projections.preseason_store import refresh_season
from app.fantasy.season_setup.joining import Unjoined, unjoined
from app.fantasy.season_setup.matching import StoredGame
from app.fantasy.season_setup.rosters import Roster, RosterEntry
from app.fantasy.season_setup.schedule import Fixture, Schedule, SeasonSchedule
from app.fantasy.season_setup.start import OnMarket, ensure_overall_league, put_on_market
from app.fantasy.season_setup.storing import (
    ImportRefusedError,
    MovedGame,
    Rescheduled,
    set_first_deadlines,
    store_clubs,
    store_games,
)
from app.record.club_ids import NFL
from app.record.events import Declared
from app.record.models import Footballer, GameState
from app.record.rules.team_defence import POSITION
from app.record.script import Club as ClubFacts
from app.record.services import store_defences

ZONE = "America/New_York"
RULES = "half_ppr_idp"


@dataclass(frozen=True)
class RosterImported:
    """What an import of a roster changed.

    Attributes:
        on_market: How many footballers of the roster are on the market.
        new: How many of them are new on it.
        left: How many left the market: those who are no longer on the roster of their club, or
            are listed there as having left.
        moved: How many footballers have another club than before.
        statuses: How many have another status on the market.
        unjoined: Clubs without games, or without footballers.
    """

    footballers: int
    on_market: int
    new: int
    left: int
    moved: int
    statuses: int
    unjoined: Unjoined


@dataclass(frozen=True)
class ScheduleImported:
    """What an import of a schedule changed in one season.

    Attributes:
        new: How many games are new.
        moved: Games that have another kickoff or gameweek than before.
        scores: How many published final scores are new or have changed.
        unchanged: Ids of games that the operator moved and that the file has in their old place.
        rescheduled: Games that the file has in another gameweek than before.
        left: Games still to be played that the file no longer has.
        declared: Id and status of games whose record does not have the status of the file yet.
        unjoined: Clubs without games, or without footballers.
    """

    name: str
    gameweeks: int
    games: int
    new: int
    moved: tuple[MovedGame, ...]
    scores: int
    unchanged: tuple[str, ...]
    rescheduled: tuple[Rescheduled, ...]
    left: tuple[StoredGame, ...]
    declared: tuple[tuple[str, Declared], ...]
    unjoined: Unjoined


def import_roster(roster: Roster, competition: str = NFL) -> RosterImported:
    """Store clubs, footballers and the season's market, with prices for those new on it.

    Each club's D/ST is on the market too. The roster of an older season adds footballers, but moves
    nobody from their club in a later one.
    """
    with transaction():
        return store_roster(roster, competition)


def store_roster(roster: Roster, competition: str = NFL) -> RosterImported:
    """As import_roster; the caller commits."""
    clubs = store_clubs(roster.clubs, competition, roster.season)
    season = _season(competition, roster.season, "REG")
    is_latest = not db.session.scalar(
        select(Season.id)
        .where(Season.competition == competition, Season.season > roster.season)
        .limit(1)
    )
    known_positions = _positions_of({entry.id for entry in roster.entries if not entry.position})
    rows = [
        {
            "id": entry.id,
            "name": entry.name,
            "club_id": clubs[entry.club] if entry.club else None,
            "position": entry.position or known_positions.get(entry.id, ""),
            "number": entry.number,
        }
        for entry in roster.entries
    ]
    moved = _count_moves(rows) if is_latest else 0
    upsert(Footballer, ["id"], rows, changes=is_latest)
    defences = store_defences(set(clubs.values()))
    _mark_unlisted_as_left(
        season, {*defences, *(entry.id for entry in roster.entries)}, set(clubs.values())
    )
    _store_roster_words(season, roster.entries)
    statuses = refresh_statuses(season.id)
    entries = [OnMarket(e.id, e.market, e.status, e.news) for e in roster.entries if e.market]
    entries += [OnMarket(defence, POSITION) for defence in defences]
    has_new_careers = _store_careers(roster.entries)
    new = put_on_market(season, entries)
    if has_new_careers:
        refresh_season(season)
    return RosterImported(
        footballers=len(rows),
        on_market=len(entries),
        new=new,
        left=statuses.left,
        moved=moved,
        statuses=statuses.changed,
        unjoined=unjoined(season),
    )


def _store_careers(entries: Sequence[RosterEntry]) -> bool:
    """Store what a roster says about careers, and return whether anything is new."""
    rows = [
        {
            "footballer_id": entry.id,
            "born_on": entry.career.born_on,
            "first_season": entry.career.first_season,
            "draft_number": entry.career.draft_number,
        }
        for entry in entries
        if entry.career is not None
    ]
    key = ("footballer_id",)
    return bool(insert_rows(FootballerCareer, rows, key=key, returning=key))


def _count_moves(rows: Sequence[Mapping[str, object]]) -> int:
    """How many of these footballers are stored with another club."""
    clubs = dict(
        db.session.execute(
            select(Footballer.id, Footballer.club_id).where(
                Footballer.id.in_([row["id"] for row in rows])
            )
        ).all()
    )
    return sum(row["id"] in clubs and clubs[row["id"]] != row["club_id"] for row in rows)


def _mark_unlisted_as_left(season: Season, listed: set[str], clubs: set[str]) -> None:
    """Mark footballers of these clubs who are on the market but not listed."""
    db.session.execute(
        update(FootballerSeason)
        .where(
            FootballerSeason.season_id == season.id,
            FootballerSeason.roster_status != LEFT,
            FootballerSeason.footballer_id.in_(
                select(Footballer.id).where(Footballer.club_id.in_(clubs))
            ),
            FootballerSeason.footballer_id.not_in(listed),
        )
        .values(roster_status=LEFT, roster_news="Not on the roster")
    )


def _positions_of(ids: set[str]) -> dict[str, str]:
    return dict(
        db.session.execute(
            select(Footballer.id, Footballer.position).where(Footballer.id.in_(ids))
        ).all()
    )


_STORE_ROSTER_WORDS = text("""
    UPDATE footballer_seasons f SET roster_status = t.status, roster_news = t.news
    FROM unnest(CAST(:ids AS text[]), CAST(:statuses AS text[]), CAST(:news AS text[])) AS t (id,
      status, news)
    WHERE f.footballer_id = t.id AND f.season_id = :season
      AND (f.roster_status, f.roster_news) <> (t.status, t.news)
""")


def _store_roster_words(season: Season, entries: Sequence[RosterEntry]) -> None:
    """Store what the roster says about footballers who are on the market.

    This includes entries without a position, such as those of footballers who were released.
    """
    values = {
        "season": season.id,
        "ids": [entry.id for entry in entries],
        "statuses": [entry.status for entry in entries],
        "news": [entry.news for entry in entries],
    }
    db.session.execute(_STORE_ROSTER_WORDS, values)


def import_schedule(
    schedule: Schedule, competition: str = NFL, before: timedelta = timedelta()
) -> list[ScheduleImported]:
    """Store seasons, gameweeks and games.

    A game that exists, also under its other id or by its clubs, gets its new gameweek and kickoff.
    One that the operator moved keeps them as long as the file has the old ones. The status of games
    is not stored here, because it belongs to their record, into which the caller enters it.

    Args:
        schedule: The schedule.
        competition: The competition of all its seasons.
        before: How long before the first kickoff of a gameweek its deadline is.
    """
    with transaction():
        return store_schedule(schedule, competition, before)


def store_schedule(
    schedule: Schedule, competition: str = NFL, before: timedelta = timedelta()
) -> list[ScheduleImported]:
    """As import_schedule; the caller commits."""
    return [
        _store_season(season, schedule.clubs, competition, before) for season in schedule.seasons
    ]


def _store_season(
    schedule: SeasonSchedule, facts: Sequence[ClubFacts], competition: str, before: timedelta
) -> ScheduleImported:
    season = _season(competition, schedule.season, schedule.season_type)
    fixtures = [fixture for week in schedule.weeks for fixture in week.fixtures]
    names = {name for fixture in fixtures for name in (fixture.home, fixture.away)}
    clubs = store_clubs((club for club in facts if club.id in names), competition, schedule.season)
    stored = store_games(fixtures, clubs, competition)
    set_first_deadlines(season, stored.weeks, before)
    ensure_overall_league(season, CLASSIC)
    return ScheduleImported(
        season.name,
        len(schedule.weeks),
        len(fixtures),
        stored.new,
        stored.moved,
        stored.scores,
        stored.unchanged,
        stored.rescheduled,
        stored.left,
        _undeclared(fixtures, stored.ids),
        unjoined(season),
    )


def _undeclared(
    fixtures: Sequence[Fixture], ids: Mapping[str, str]
) -> tuple[tuple[str, Declared], ...]:
    """Games whose status in the file differs from their state.

    The status `scheduled` means nothing for a game that is being played or is over.
    """
    declared = {
        ids[fixture.id]: fixture.status for fixture in fixtures if fixture.status is not None
    }
    states = dict(
        db.session.execute(
            select(GameState.game_id, GameState.status).where(GameState.game_id.in_(declared))
        ).all()
    )
    undeclared = []
    for game_id, status in sorted(declared.items()):
        now = states.get(game_id, "scheduled")
        if status == now or (status == "scheduled" and now in ("live", "ended", "final")):
            continue
        undeclared.append((game_id, status))
    return tuple(undeclared)


def _season(competition: str, year: int, season_type: str) -> Season:
    after = {"PRE": " pre-season", "REG": "", "POST": " post-season"}[season_type]
    season = ensure_season(
        NewSeason(
            competition,
            year,
            season_type,
            name=f"{competition.upper()} {year}{after}",
            time_zone=ZONE,
            rules=RULES,
        )
    )
    if season.is_simulated:
        raise ImportRefusedError(
            f"Season {season.name} is simulated; import into another competition (--competition)."
        )
    return season

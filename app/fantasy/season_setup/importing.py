"""Stores what the parsers read: each function one import, in one transaction, whole or not at all.

Doing an import again changes nothing; a newer file brings the same rows up to date. Nothing that
was played, priced or locked is taken back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import select, text, update

from app.core.db import db, transaction, upsert
from app.fantasy.market.choice import CLASSIC
from app.fantasy.market.models import FootballerSeason, Season
from app.fantasy.market.seasons import ensure_season
from app.fantasy.market.statuses import LEFT
from app.fantasy.season_setup.joining import Unjoined, unjoined
from app.fantasy.season_setup.matching import StoredGame
from app.fantasy.season_setup.rosters import Roster, RosterEntry
from app.fantasy.season_setup.schedule import Fixture, Schedule, SeasonSchedule
from app.fantasy.season_setup.start import OnMarket, ensure_overall_league, put_on_market
from app.fantasy.season_setup.storing import (
    Refused,
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
    """`new` of the `on_market`.

    `gone`: who was on the market, and has left since: no longer on the rosters of their club, or
    listed there as having left. `unjoined`: what of the season still lacks its other half.
    """

    footballers: int
    on_market: int
    new: int
    gone: int
    unjoined: Unjoined


@dataclass(frozen=True)
class ScheduleImported:
    """Of one season.

    `new`: games that were not there. `kept`: ids of games that the operator moved, and that the
    file still has where they were. `rescheduled`: games that the file has in another gameweek than
    before. `left`: games that are still to be played, and that the file no longer has. `declared`:
    what the file says of games that their record does not say yet, by id. `unjoined`: what of the
    season still lacks its other half.
    """

    name: str
    gameweeks: int
    games: int
    new: int
    kept: tuple[str, ...]
    rescheduled: tuple[Rescheduled, ...]
    left: tuple[StoredGame, ...]
    declared: tuple[tuple[str, Declared], ...]
    unjoined: Unjoined


def import_roster(roster: Roster, competition: str = NFL) -> RosterImported:
    """Clubs, footballers and the market of the season, with prices for who is new on it.

    Each club's D/ST is on it too.

    An older season's roster adds footballers, and moves nobody from the club where a later one has
    them.
    """
    with transaction():
        clubs = store_clubs(roster.clubs, competition, roster.season)
        season = _season(competition, roster.season, "REG")
        is_latest = not db.session.scalar(
            select(Season.id)
            .where(Season.competition == competition, Season.season > roster.season)
            .limit(1)
        )
        known_positions = _positions_of(
            {entry.id for entry in roster.entries if not entry.position}
        )
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
        upsert(Footballer, ["id"], rows, changes=is_latest)
        defences = store_defences(set(clubs.values()))
        gone = _gone(
            season, {*defences, *(entry.id for entry in roster.entries)}, set(clubs.values())
        )
        gone += _follow_status(season, roster.entries)
        entries = [OnMarket(e.id, e.market, e.status, e.news) for e in roster.entries if e.market]
        entries += [OnMarket(defence, POSITION) for defence in defences]
        new = put_on_market(season, entries)
        return RosterImported(len(rows), len(entries), new, gone, unjoined(season))


def _gone(season: Season, listed: set[str], clubs: set[str]) -> int:
    """Marks as left those of the market who belong to these clubs and are not listed."""
    left = (
        update(FootballerSeason)
        .where(
            FootballerSeason.season_id == season.id,
            FootballerSeason.status != "left",
            FootballerSeason.footballer_id.in_(
                select(Footballer.id).where(Footballer.club_id.in_(clubs))
            ),
            FootballerSeason.footballer_id.not_in(listed),
        )
        .values(status="left", news="Not on the roster")
        .returning(FootballerSeason.footballer_id)
    )
    return len(db.session.scalars(left).all())


def _positions_of(ids: set[str]) -> dict[str, str]:
    return dict(
        db.session.execute(
            select(Footballer.id, Footballer.position).where(Footballer.id.in_(ids))
        ).all()
    )


_FOLLOW_STATUS = text("""
    UPDATE footballer_seasons f SET status = listed.status, news = listed.news
    FROM (
      SELECT b.season_id, b.footballer_id, b.status AS status_before, t.status, t.news
      FROM unnest(CAST(:ids AS text[]), CAST(:statuses AS text[]), CAST(:news AS text[])) AS t (id,
        status, news)
      JOIN footballer_seasons b ON b.footballer_id = t.id AND b.season_id = :season
      WHERE (b.status, b.news) <> (t.status, t.news)
    ) AS listed
    WHERE (f.season_id, f.footballer_id) = (listed.season_id, listed.footballer_id)
    RETURNING listed.status_before, listed.status
""")


def _follow_status(season: Season, entries: Sequence[RosterEntry]) -> int:
    """Brings the status of those on the market up to date, also if their row says no position, as
    of who was cut.

    Returns how many of them have left now.
    """
    values = {
        "season": season.id,
        "ids": [entry.id for entry in entries],
        "statuses": [entry.status for entry in entries],
        "news": [entry.news for entry in entries],
    }
    changed = db.session.execute(_FOLLOW_STATUS, values).all()
    return sum(before != LEFT and after == LEFT for before, after in changed)


def import_schedule(
    schedule: Schedule, competition: str = NFL, before: timedelta = timedelta()
) -> list[ScheduleImported]:
    """Seasons, gameweeks and games.

    A gameweek's deadline is so long before the first kickoff of its stored games.

    A game that is there already, also under its other id or by its clubs, gets its new gameweek and
    kickoff; one that the operator moved keeps them while the file has the old ones. What the file
    says of games that are not played is not stored here: it belongs to their record, and the caller
    enters it.
    """
    with transaction():
        return [
            _store_season(found, schedule.clubs, competition, before) for found in schedule.seasons
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
        stored.kept,
        stored.rescheduled,
        stored.left,
        _undeclared(fixtures, stored.ids),
        unjoined(season),
    )


def _undeclared(
    fixtures: Sequence[Fixture], ids: Mapping[str, str]
) -> tuple[tuple[str, Declared], ...]:
    """What the file says of games, where their state says something else.

    That a game is scheduled says nothing of one that is being played or is over.
    """
    said = {ids[fixture.id]: fixture.status for fixture in fixtures if fixture.status is not None}
    states = dict(
        db.session.execute(
            select(GameState.game_id, GameState.status).where(GameState.game_id.in_(said))
        ).all()
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
        competition,
        year,
        season_type,
        name=f"{competition.upper()} {year}{after}",
        time_zone=ZONE,
        rules=RULES,
    )
    if season.is_simulated:
        raise Refused(
            f"Season {season.name} is a simulated one; import into another competition "
            "(--competition)."
        )
    return season

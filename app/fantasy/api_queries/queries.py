"""The five access patterns of the source design, each answered by one statement: gamer, team sheet,
footballer, footballers of a position, gamers of a league (docs/fantasy-queries.md has their plans).

Lives here: asking, and what is answered. Not here: the statements (statements.py), their JSON
(app/api/fantasy). Points are thousandths, prices tenths of a million. Where no season is asked for,
it is the newest that has what is looked up, simulated ones apart.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text

from app.core import clock
from app.core.db import db
from app.core.redis.clients import RedisAway
from app.fantasy.api_queries import statements as sql
from app.fantasy.gameweeks import catching_up
from app.fantasy.standings.large_table import large_table

_WILD = re.compile(r"[\\%_]")


@dataclass(frozen=True)
class SeasonName:
    """What a season is named by: `nfl-2026-REG`."""

    competition: str
    season: int
    season_type: str

    @classmethod
    def read(cls, name: str) -> SeasonName:
        competition, season, season_type = name.rsplit("-", 2)
        return cls(competition, int(season), season_type)

    def __str__(self) -> str:
        return f"{self.competition}-{self.season}-{self.season_type}"


@dataclass(frozen=True)
class Viewer:
    """Who asks: a member, or a player who may be one."""

    member_id: int | None = None
    player_id: UUID | None = None

    def values(self) -> dict[str, Any]:
        return {"viewer": self.member_id, "viewer_player": self.player_id}


@dataclass(frozen=True)
class Gamer:
    """`season`: None when the gamer is in no overall league.

    `gameweeks`: points by the number of the week, sorted.
    """

    id: int
    name: str
    country: str | None
    season: SeasonName | None
    league: str | None
    team_name: str | None
    total_points: int
    gameweeks: Mapping[int, int]


@dataclass(frozen=True)
class PlaceRow:
    """`footballer_id`: '' where nobody stands.

    `points`: their own of the gameweek, None without a stat line; `multiplier`: how often they
    count, None while nothing of the gameweek has been counted.
    """

    footballer_id: str
    name: str | None
    position: str | None
    club_id: str | None
    purchase_price: int
    points: int | None
    multiplier: int | None


@dataclass(frozen=True)
class TeamSheetRow:
    """`captain`, `vice_captain`: places from 1.

    `points`: before the cost of transfers, None before the first count.
    """

    gamer_id: int
    gamer: str
    season: SeasonName
    league: str
    format: str
    week: int
    gameweek: str
    locks_at: datetime
    captain: int
    vice_captain: int
    bank: int
    transfers: int
    transfer_cost: int
    version: int
    is_carried: bool
    saved_at: datetime
    points: int | None
    held: int | None
    places: tuple[PlaceRow, ...]


@dataclass(frozen=True)
class SheetPlace:
    league: str
    team_rules_id: int
    gameweek_id: int
    format: str


@dataclass(frozen=True)
class FootballerRow:
    """`selected`: thousandths of the team sheets. `rules`: by which points are counted."""

    season: SeasonName
    rules: str
    id: str
    name: str
    number: int | None
    club_id: str | None
    club: str | None
    position: str
    price: int
    selected: int
    status: str
    news: str
    total_points: int
    form: int
    gameweeks: Mapping[int, int]


@dataclass(frozen=True)
class PositionPage:
    """`more`: whether there are footballers after these."""

    season: SeasonName
    footballers: tuple[FootballerRow, ...]
    more: bool


@dataclass(frozen=True)
class LeagueGamer:
    rank: int
    id: int
    name: str
    country: str | None
    team_name: str
    total_points: int
    gameweeks: Mapping[int, int]


@dataclass(frozen=True)
class LeagueGamers:
    """`first_week`: the gameweek from which the league counts.

    `more`: whether there are gamers after these.
    """

    season: SeasonName
    slug: str
    name: str
    mode: str
    rules: str
    first_week: int
    gamers: tuple[LeagueGamer, ...]
    more: bool


def gamer(gamer_id: int, season: SeasonName | None = None) -> Gamer | None:
    """The gamer, with their points of that season's overall league.

    None without such a gamer, or such a season.
    """
    statement = sql.GAMER.format(season=_season(season, sql.HAS_GAMER))
    row = _of_gamer(statement, {"gamer": gamer_id} | _names(season), clock.now())
    if row is None or (season is not None and row[3] is None):
        return None
    found = SeasonName(*row[3:6]) if row[3] is not None else None
    return Gamer(*[*row[:3], found, *row[6:9], _weeks(row[9])])


def team_sheet(
    gamer_id: int, week: int, viewer: Viewer, now: datetime, league: str | None = None
) -> TeamSheetRow | None:
    """The gamer's team sheet as the league (by its slug; None: the newest season's overall one)
    plays and counts it.

    None when there is none, when the gamer is not in the league, and for anybody but themselves
    before the deadline or where the league is hidden from the viewer.
    """
    values = {"gamer": gamer_id, "week": week, "now": now} | viewer.values()
    if league is None:
        row = _of_gamer(sql.TEAM_SHEET.format(league=sql.NEWEST_OVERALL), values, now)
    else:
        row = _of_gamer(
            sql.TEAM_SHEET.format(league="l.slug = :league"), values | {"league": league}, now
        )
    if row is None:
        return None
    multipliers = row[20] or [None] * len(row[21])
    places = tuple(
        PlaceRow(*[*place, count]) for place, count in zip(row[21], multipliers, strict=True)
    )
    return TeamSheetRow(*[*row[:2], SeasonName(*row[2:5]), *row[5:20], places])


def sheet_place(
    gamer_id: int, week: int, viewer: Viewer, league: str | None = None
) -> SheetPlace | None:
    """Where the viewer's own sheet is saved: by the team rules of that league, or of the newest
    season's overall one.

    None when the gamer is not the viewer, or there is no such gameweek, or no such league that they
    play in.
    """
    values = {"gamer": gamer_id, "week": week} | viewer.values()
    if league is not None:
        row = _one(sql.SHEET_PLACE.format(league="l.slug = :league"), values | {"league": league})
    else:
        row = _one(sql.SHEET_PLACE.format(league=sql.NEWEST_OPEN_TO_ALL), values)
    return SheetPlace(*row) if row is not None else None


def footballer(footballer_id: str, season: SeasonName | None = None) -> FootballerRow | None:
    """None for one who is not on that season's market."""
    statement = sql.FOOTBALLER.format(season=_season(season, sql.HAS_FOOTBALLER))
    row = _one(statement, {"footballer": footballer_id} | _names(season))
    return _footballer(row) if row is not None else None


def footballers_of_position(
    position: str,
    season: SeasonName | None = None,
    *,
    sort: str = "points",
    search: str = "",
    club: str = "",
    limit: int = 25,
    offset: int = 0,
) -> PositionPage | None:
    """The most of what `sort` (of SORTS) names first, equal ones by id.

    `search`: part of the name, whatever the case.

    None without that season, or without any that has the position.
    """
    values: dict[str, Any] = {"position": position, "limit": limit + 1, "offset": offset} | _names(
        season
    )
    filters = ""
    if search:
        filters += sql.SEARCH
        values["search"] = "%" + _WILD.sub(r"\\\g<0>", search) + "%"
    if club:
        filters += sql.CLUB
        values["club"] = club
    statement = sql.POSITION.format(
        season=_season(season, sql.HAS_POSITION), sort=sql.SORTS[sort], filters=filters
    )
    rows = _all(statement, values)
    if not rows:
        return None
    found = tuple(_footballer(row) for row in rows if row[4] is not None)
    return PositionPage(SeasonName(*rows[0][:3]), found[:limit], len(found) > limit)


def gamers_of_league(
    slug: str, viewer: Viewer, *, limit: int = 25, offset: int = 0
) -> LeagueGamers | None:
    """By total points, the most first, equal ones by id and with one (dense) rank.

    None where the viewer sees no such league: a league that is not public is shown to its members
    alone.
    """
    values = {"league": slug, "limit": limit + 1, "offset": offset} | viewer.values()
    rows = _all(sql.LEAGUE, values)
    if rows and rows[0][-1]:
        rows = _under_way(slug, values)
    if not rows:
        return None
    found = tuple(LeagueGamer(*[*row[8:14], _weeks(row[14])]) for row in rows if row[8] is not None)
    return LeagueGamers(
        *[SeasonName(*rows[0][:3]), *rows[0][3:8], found[:limit], len(found) > limit]
    )


def _of_gamer(statement: str, values: Mapping[str, Any], now: datetime) -> tuple[Any, ...] | None:
    """The row of this gamer, whose points of a gameweek under way are caught up."""
    row = _one(statement, values)
    if row is None or not row[-1] or not catching_up.gamer(values["gamer"], now):
        return row
    return _one(statement, values)


def _under_way(slug: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """The rows of LEAGUE while a deferred gameweek is played, caught up.

    Of a large league in the order of Redis.
    """
    catching_up.league_named(slug, clock.now())
    large = large_table(
        int(db.session.scalar(text("SELECT id FROM leagues WHERE slug = :slug"), {"slug": slug}))
    )
    try:
        if large is None:
            return _all(sql.LEAGUE, values)
        members = large.members(values["offset"], values["limit"])
        catching_up.league(large.league_id, clock.now(), members)
        rows = _all(sql.LEAGUE_OF_THESE, {**values, "members": members, "offset": 0})
        ranks = large.ranks([row[13] for row in rows if row[9] is not None])
    except RedisAway:
        return _all(sql.LEAGUE, values)
    return [
        (*row[:8], ranks[row[13]].rank if row[9] is not None else None, *row[9:]) for row in rows
    ]


def _season(season: SeasonName | None, has: str) -> str:
    return sql.NEWEST.format(has=has) if season is None else sql.NAMED_SEASON


def _names(season: SeasonName | None) -> dict[str, Any]:
    if season is None:
        return {}
    return {
        "competition": season.competition,
        "season": season.season,
        "season_type": season.season_type,
    }


def _footballer(row: tuple[Any, ...]) -> FootballerRow:
    return FootballerRow(*[SeasonName(*row[:3]), *row[3:16], _weeks(row[16])])


def _weeks(points: Mapping[str, int] | None) -> dict[int, int]:
    return dict(sorted((int(week), found) for week, found in (points or {}).items()))


def _one(statement: str, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
    row = db.session.execute(text(statement), values).one_or_none()
    return tuple(row) if row is not None else None


def _all(statement: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in db.session.execute(text(statement), values)]

"""The five access patterns of the source design, each answered by one statement.

They are: gamer, team sheet, footballer, footballers of a position, gamers of a league.
statements.py has the statements, docs/fantasy-queries.md their plans. Points are in thousandths,
prices in tenths of a million. Without a season, it is the newest that has what is looked up;
simulated seasons have to be named.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text

from app.core.db import db
from app.core.redis.clients import RedisAway
from app.fantasy.api_queries import statements as sql
from app.fantasy.standings.large_table import large_table
from app.fantasy.standings.live_scores import live_scores, live_values
from app.fantasy.standings.ranking import dense_ranks
from app.fantasy.standings.season_places import in_order, season_places

_WILD = re.compile(r"[\\%_]")


@dataclass(frozen=True)
class SeasonName:
    """The name of a season, as in `nfl-2026-REG`."""

    competition: str
    season: int
    season_type: str

    @classmethod
    def read(cls, name: str) -> SeasonName:
        """Read a name like `nfl-2026-REG`."""
        competition, season, season_type = name.rsplit("-", 2)
        return cls(competition, int(season), season_type)

    def __str__(self) -> str:
        return f"{self.competition}-{self.season}-{self.season_type}"


@dataclass(frozen=True)
class Viewer:
    """The viewer: a member, or a player who may be one."""

    member_id: int | None = None
    player_id: UUID | None = None

    def values(self) -> dict[str, Any]:
        """The viewer as values of a statement."""
        return {"viewer": self.member_id, "viewer_player": self.player_id}


@dataclass(frozen=True)
class Gamer:
    """A gamer in the overall league of a season.

    `season`: None if the gamer is in no overall league. `gameweeks`: points by week, sorted.
    `birth_year`: only for the gamer's own eyes.
    """

    id: int
    name: str
    country: str | None
    season: SeasonName | None
    league: str | None
    team_name: str | None
    total_points: int
    gameweeks: Mapping[int, int]
    birth_year: int | None


@dataclass(frozen=True)
class PlaceRow:
    """A place on a team sheet.

    Attributes:
        footballer_id: '' for an empty place.
        points: The footballer's own points; None without a stat line.
        multiplier: How often they count; None before the gameweek is first counted.
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
    """A team sheet.

    Attributes:
        captain: The captain's place, from 1.
        vice_captain: The vice-captain's place, from 1.
        points: Without the cost of transfers; None before the gameweek is first counted.
        held_points: Those of them from plays under review.
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
    held_points: int | None
    places: tuple[PlaceRow, ...]


@dataclass(frozen=True)
class SheetPlace:
    """Where a team sheet is saved."""

    league: str
    team_rules_id: int
    gameweek_id: int
    format: str


@dataclass(frozen=True)
class FootballerRow:
    """A footballer on a season's market.

    `rules`: the scoring of the points. `selected`: thousandths of the team sheets.
    """

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
    """A page of footballers. `more`: whether others follow."""

    season: SeasonName
    footballers: tuple[FootballerRow, ...]
    more: bool


@dataclass(frozen=True)
class LeagueGamer:
    """A gamer in a league."""

    rank: int
    id: int
    name: str
    country: str | None
    team_name: str
    total_points: int
    gameweeks: Mapping[int, int]


@dataclass(frozen=True)
class LeagueGamers:
    """A page of the gamers of a league.

    `first_week`: the gameweek from which the league counts. `more`: whether other gamers follow.
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
    """The gamer with their points in the season's overall league.

    None if there is no such gamer or season.
    """
    statement = sql.GAMER.format(season=_season(season, sql.HAS_GAMER))
    row = _of_gamer(statement, {"gamer": gamer_id} | _names(season))
    if row is None or (season is not None and row[3] is None):
        return None
    newest = SeasonName(*row[3:6]) if row[3] is not None else None
    return Gamer(*[*row[:3], newest, *row[6:9], _weeks(row[9]), row[10]])


def team_sheet(
    gamer_id: int, week: int, viewer: Viewer, now: datetime, league: str | None = None
) -> TeamSheetRow | None:
    """The gamer's team sheet as the league counts it.

    Args:
        gamer_id: The gamer.
        week: The number of the gameweek.
        viewer: Everybody but the gamer sees the sheet only from the deadline on (visibility.py).
        now: Decides whether the deadline has passed.
        league: The slug of the league; None for the newest season's overall league.

    Returns:
        None if there is no sheet, the gamer is not in the league, or the viewer may not see it.
    """
    values = {"gamer": gamer_id, "week": week, "now": now} | viewer.values()
    if league is None:
        row = _of_gamer(sql.TEAM_SHEET.format(league=sql.NEWEST_OVERALL), values)
    else:
        row = _of_gamer(
            sql.TEAM_SHEET.format(league="l.slug = :league"), values | {"league": league}
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
    """Where the viewer's own sheet is saved: under the team rules of the league.

    Args:
        gamer_id: The gamer.
        week: The number of the gameweek.
        viewer: Who saves it.
        league: The slug of the league; None for the newest season's overall league.

    Returns:
        None if the gamer is not the viewer, or plays in no such league or gameweek.
    """
    values = {"gamer": gamer_id, "week": week} | viewer.values()
    if league is not None:
        row = _one(sql.SHEET_PLACE.format(league="l.slug = :league"), values | {"league": league})
    else:
        row = _one(sql.SHEET_PLACE.format(league=sql.NEWEST_OPEN_TO_ALL), values)
    return SheetPlace(*row) if row is not None else None


def footballer(footballer_id: str, season: SeasonName | None = None) -> FootballerRow | None:
    """The footballer; None if they are not on the season's market."""
    statement = sql.FOOTBALLER.format(season=_season(season, sql.HAS_FOOTBALLER))
    row = _one(statement, {"footballer": footballer_id} | _names(season))
    return _footballer(row) if row is not None else None


@dataclass(frozen=True)
class PositionFilter:
    """Which footballers of a position to list.

    Attributes:
        sort: What is sorted by, one of SORTS.
        search: A part of the name, in upper or lower case.
        club: The id of the club; empty for all.
    """

    sort: str = "points"
    search: str = ""
    club: str = ""
    limit: int = 25
    offset: int = 0


def footballers_of_position(
    position: str,
    season: SeasonName | None = None,
    position_filter: PositionFilter = PositionFilter(),
) -> PositionPage | None:
    """The footballers of a position, the highest value of the sort first, then by id.

    None if there is no such season, or none that has the position.
    """
    limit = position_filter.limit
    values: dict[str, Any] = {
        "position": position,
        "limit": limit + 1,
        "offset": position_filter.offset,
    } | _names(season)
    filters = ""
    if position_filter.search:
        filters += sql.SEARCH
        values["search"] = "%" + _WILD.sub(r"\\\g<0>", position_filter.search) + "%"
    if position_filter.club:
        filters += sql.CLUB
        values["club"] = position_filter.club
    statement = sql.POSITION.format(
        season=_season(season, sql.HAS_POSITION),
        sort=sql.SORTS[position_filter.sort],
        filters=filters,
    )
    rows = _all(statement, values)
    if not rows:
        return None
    page_rows = tuple(_footballer(row) for row in rows if row[4] is not None)
    return PositionPage(SeasonName(*rows[0][:3]), page_rows[:limit], len(page_rows) > limit)


def gamers_of_league(
    slug: str, viewer: Viewer, *, limit: int = 25, offset: int = 0
) -> LeagueGamers | None:
    """The gamers of a league by total points, then by id, with dense ranks.

    None if there is no such league, or it is not public and the viewer is not a member.
    """
    values = {"league": slug, "limit": limit + 1, "offset": offset} | viewer.values()
    rows: Sequence[tuple[Any, ...]] = _all(sql.LEAGUE, values | live_values([]))
    if rows and rows[0][-1] is not None:
        rows = _under_way(rows, values)
    if not rows:
        return None
    gamers = tuple(
        LeagueGamer(*[*row[8:14], _weeks(row[14])]) for row in rows if row[8] is not None
    )
    return LeagueGamers(
        *[SeasonName(*rows[0][:3]), *rows[0][3:8], gamers[:limit], len(gamers) > limit]
    )


def _of_gamer(statement: str, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """The gamer's row, with the points of gameweeks under way."""
    row = _one(statement, {**values, **live_values([])})
    if row is None or row[-1] is None:
        return row
    live = live_scores([row[-1]], members=[values["gamer"]])
    return _one(statement, {**values, **live_values(live)})


def _under_way(
    rows: Sequence[tuple[Any, ...]], values: Mapping[str, Any]
) -> Sequence[tuple[Any, ...]]:
    """The rows of LEAGUE while a gameweek is under way, given those without its points."""
    league_id = rows[0][-1]
    ranks = _ranks(league_id, values["offset"], values["limit"])
    if ranks is None:
        members = [row[9] for row in rows if row[9] is not None]
        live = live_values(live_scores([league_id], members=members))
        return _all(sql.LEAGUE, {**values, **live})
    live = live_values(live_scores([league_id], members=ranks))
    of_these = {**values, **live, "members": list(ranks), "offset": 0}
    return [(*row[:8], ranks.get(row[9]), *row[9:]) for row in _all(sql.LEAGUE_OF_THESE, of_these)]


def _ranks(league_id: int, offset: int, limit: int) -> dict[int, int] | None:
    """The dense ranks by total points of a page of members, in their order.

    None for a large league whose table is not in Redis.
    """
    places = season_places(league_id)
    if places is not None:
        totals = {member: places[member].total for member in in_order(places)}
        ranks = dense_ranks(totals)
        order = sorted(totals, key=lambda member: (-totals[member], member))
        return {member: ranks[member].rank for member in order[offset : offset + limit]}
    table = large_table(league_id)
    if table is None:
        return None
    try:
        points = table.points(offset, limit)
        of_points = table.ranks(points.values())
    except RedisAway:
        return None
    return {member: of_points[total].rank for member, total in points.items()}


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
    return dict(sorted((int(week), week_points) for week, week_points in (points or {}).items()))


def _one(statement: str, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
    row = db.session.execute(text(statement), values).one_or_none()
    return tuple(row) if row is not None else None


def _all(statement: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in db.session.execute(text(statement), values)]

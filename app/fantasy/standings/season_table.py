"""A league's table of the season, page by page. Reads only.

A gameweek's own table is in queries.py, head-to-head games are in games.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Row, text

from app.accounts.sanctions import SEEN_MEMBER
from app.core.db import db
from app.core.http.pagination import page_count
from app.core.redis.clients import RedisAway
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.standings.large_table import TOTALS, WEEK, LargeTable, large_table
from app.fantasy.standings.live_scores import LiveScore, live_scores, shared_live_scores
from app.fantasy.standings.models import DRAFT
from app.fantasy.standings.queries import LeagueRow, Standing, progress, standings
from app.fantasy.standings.ranking import HEAD_TO_HEAD, Rank
from app.fantasy.standings.season_places import in_order, season_places

PAGE_ROWS = 50
NO_RANK = Rank(0, shared=False)
RECORD_LENGTH = 4  # a draft league's standing: minus the place, then won, lost and tied


@dataclass(frozen=True)
class Place:
    """A place in the season's table. Points are thousandths.

    Attributes:
        member_id: The member.
        display_name: The member's name.
        team_name: The name of the team.
        points: Those of the gameweek so far.
        held_points: How much of `points` rests on plays under review.
        total: The points of the season.
        match_points: None unless the league plays head to head by match points.
        record: Games won, lost and tied in a draft league's regular season.
        rank: Dense (1, 1, 2), by total points, or by match points and then total points. In a draft
            league the place in the regular season.
        shared: Another member has the rank too.
        before: The rank after the last settled gameweek before this one.
        to_play: How many starters' games have not begun.
        playing: How many starters' games are under way.
        has_team: There is a team sheet.
    """

    member_id: int
    display_name: str
    team_name: str
    points: int
    held_points: int
    total: int
    match_points: int | None
    record: tuple[int, int, int] | None
    rank: int
    shared: bool
    before: int | None
    to_play: int
    playing: int
    has_team: bool


_ROWS = text(f"""
    SELECT m.member_id, p.display_name, m.team_name, m.total_points, m.standing,
      coalesce(s.points, 0) AS points, coalesce(s.held, 0) AS held, b.rank AS before
    FROM league_members m JOIN members p ON p.id = m.member_id
    LEFT JOIN league_scores s ON (s.league_id, s.member_id, s.gameweek_id) = (m.league_id,
      m.member_id, :gameweek)
    LEFT JOIN league_scores b ON (b.league_id, b.member_id, b.gameweek_id) = (m.league_id,
      m.member_id, (
      SELECT w.id FROM gameweeks w WHERE w.season_id = :season AND w.week < :week
        AND w.settled_at IS NOT NULL
      ORDER BY w.week DESC LIMIT 1))
    WHERE m.league_id = :league AND m.member_id = ANY(:members)
      AND {SEEN_MEMBER.format("m.member_id")}
""")  # noqa: S608 (made of our own words alone)


@dataclass(frozen=True)
class WeekTable:
    """A page of a week's table. `pages`: how many there are; `mine`: the one with the viewer."""

    rows: Sequence[Place | Standing]
    pages: int
    mine: int


# The order of the index after the last settled gameweek: the best standing first, then member id.
_STORED = text(f"""
    SELECT m.member_id, m.standing, (SELECT count(*) FROM league_members o
      WHERE (o.league_id, o.standing) = (m.league_id, m.standing)
        AND {SEEN_MEMBER.format("o.member_id")}) > 1 AS shared
    FROM (SELECT * FROM league_members l WHERE league_id = :league
        AND {SEEN_MEMBER.format("l.member_id")}
      ORDER BY standing DESC, member_id OFFSET :offset LIMIT :limit) m
    ORDER BY m.standing DESC, m.member_id
""")  # noqa: S608 (as above)

_AHEAD = text(
    "SELECT count(DISTINCT standing) FROM league_members m"  # noqa: S608
    " WHERE league_id = :league AND standing > CAST(:standing AS bigint[]) AND "
    f"{SEEN_MEMBER.format('m.member_id')}"
)

_POSITION = text(f"""
    SELECT count(*) FROM league_members m JOIN league_members me USING (league_id)
    WHERE m.league_id = :league AND me.member_id = :member
      AND (m.standing > me.standing OR m.standing = me.standing AND m.member_id < me.member_id)
      AND {SEEN_MEMBER.format("m.member_id")}
""")  # noqa: S608


def season_table(league: LeagueRow, gameweek: GameweekRow, page: int = 1) -> list[Place]:
    """A page (from 1) of PAGE_ROWS places, with the points of the gameweek so far.

    While Redis does not have the table of a large league, it has the order after the last settled
    gameweek.
    """
    first = (page - 1) * PAGE_ROWS
    places = season_places(league.id)
    if places is None:
        if (large := _large_page(league, gameweek, TOTALS, first)) is not None:
            return large
        ranks = _stored_ranks(league.id, first)
        live = live_scores([league.id], members=ranks)
    else:
        page_members = in_order(places)[first : first + PAGE_ROWS]
        ranks = {
            member: Rank(places[member].rank, places[member].shared) for member in page_members
        }
        live = shared_live_scores(league.id)
    rows = _rows(league, gameweek, ranks)
    by_member = _places(league, gameweek, list(rows.values()), ranks, live)
    return [by_member[member] for member in ranks if member in by_member]


def week_table(league: LeagueRow, gameweek: GameweekRow, page: int, me: int) -> WeekTable:
    """A page (from 1) of PAGE_ROWS places by the points of the gameweek alone."""
    first = (page - 1) * PAGE_ROWS
    if season_places(league.id) is None:
        rows = _large_page(league, gameweek, WEEK, first)
        if rows is not None:
            pages = page_count(league.members, PAGE_ROWS)
            return WeekTable(rows, pages, _large_page_of(league.id, me, WEEK) or 1)
    table = standings(league.id, gameweek.id)
    place = next((index for index, row in enumerate(table) if row.member_id == me), 0)
    return WeekTable(
        table[first : first + PAGE_ROWS],
        page_count(len(table), PAGE_ROWS),
        place // PAGE_ROWS + 1,
    )


def _large_page(
    league: LeagueRow, gameweek: GameweekRow, by: str, first: int
) -> list[Place] | None:
    """A page of the table of a large league in its order; None if Redis does not have the table.

    Members who were hidden since the table was written are left out.
    """
    table = large_table(league.id, by)
    try:
        return None if table is None else _places_of(league, gameweek, table, first)
    except RedisAway:
        return None


def _large_page_of(league_id: int, member_id: int, by: str) -> int | None:
    """The page of the table of a large league that has the member; None as `_large_page`."""
    table = large_table(league_id, by)
    try:
        return None if table is None else (table.position(member_id) or 0) // PAGE_ROWS + 1
    except RedisAway:
        return None


def _places_of(
    league: LeagueRow, gameweek: GameweekRow, table: LargeTable, first: int
) -> list[Place]:
    members = table.points(first, PAGE_ROWS)
    rows = _rows(league, gameweek, members)
    live = live_scores([league.id], members=members)
    places = _places(league, gameweek, list(rows.values()), {}, live)
    points = {
        member: place.total if table.by == TOTALS else place.points
        for member, place in places.items()
    }
    ranks = table.ranks(points.values())
    ranked = [
        replace(place, rank=ranks[points[member]].rank, shared=ranks[points[member]].shared)
        for member, place in places.items()
    ]
    return sorted(ranked, key=lambda place: (-points[place.member_id], place.member_id))


def _stored_ranks(league_id: int, first: int) -> dict[int, Rank]:
    """The ranks of a page after the last settled gameweek, by member, in their order."""
    values = {"league": league_id, "offset": first, "limit": PAGE_ROWS}
    rows = db.session.execute(_STORED, values).all()
    if not rows:
        return {}
    ahead = db.session.scalar(_AHEAD, {"league": league_id, "standing": rows[0].standing})
    rank, last, ranks = int(ahead or 0) + 1, rows[0].standing, {}
    for row in rows:
        rank += row.standing != last
        last = row.standing
        ranks[row.member_id] = Rank(rank, row.shared)
    return ranks


def _rows(
    league: LeagueRow, gameweek: GameweekRow, members: Collection[int]
) -> dict[int, Row[Any]]:
    """The rows of those of these members who are not hidden, by member."""
    values = {
        "league": league.id,
        "gameweek": gameweek.id,
        "season": league.season_id,
        "week": gameweek.week,
        "members": list(members),
    }
    return {row.member_id: row for row in db.session.execute(_ROWS, values)}


def _places(
    league: LeagueRow,
    gameweek: GameweekRow,
    rows: Sequence[Row[Any]],
    ranks: Mapping[int, Rank],
    live: Collection[LiveScore],
) -> dict[int, Place]:
    moving = progress(league.id, gameweek.id, [row.member_id for row in rows])
    by_member: dict[int, list[LiveScore]] = defaultdict(list)
    for score in live:
        by_member[score.member_id].append(score)
    places = {}
    for row in rows:
        member, scores = row.member_id, by_member[row.member_id]
        of_week = next((score for score in scores if score.gameweek_id == gameweek.id), row)
        to_play, playing = moving.get(member, (0, 0))
        rank = ranks.get(member, NO_RANK)
        places[member] = Place(
            member_id=member,
            display_name=row.display_name,
            team_name=row.team_name,
            points=of_week.points,
            held_points=of_week.held,
            total=row.total_points + sum(score.points for score in scores),
            match_points=_match_points(league, row.standing),
            record=_record(row.standing) if league.game == DRAFT else None,
            rank=rank.rank,
            shared=rank.shared,
            before=row.before,
            to_play=to_play,
            playing=playing,
            has_team=member in moving,
        )
    return places


def _match_points(league: LeagueRow, standing: Sequence[int]) -> int | None:
    return standing[0] if league.mode == HEAD_TO_HEAD and league.game != DRAFT else None


def _record(standing: Sequence[int]) -> tuple[int, int, int]:
    """Games won, lost and tied in a draft league."""
    if len(standing) != RECORD_LENGTH:
        return 0, 0, 0
    _, won, lost, tied = standing
    return won, lost, tied


def page_of(league_id: int, member_id: int) -> int:
    """The page of the table that has the member; 1 if the member is not in the table."""
    places = season_places(league_id)
    if places is None:
        if (page := _large_page_of(league_id, member_id, TOTALS)) is not None:
            return page
        ahead = db.session.scalar(_POSITION, {"league": league_id, "member": member_id})
    else:
        order = in_order(places)
        ahead = order.index(member_id) if member_id in order else 0
    return int(ahead or 0) // PAGE_ROWS + 1

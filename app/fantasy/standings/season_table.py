"""A league's table of the season, page by page, read by an index. Reads only.

A gameweek's own table is in queries.py, head-to-head games are in games.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, text

from app.accounts.sanctions import SEEN_MEMBER
from app.core.db import db
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.standings.large_table import TOTALS, LargeTable
from app.fantasy.standings.models import DRAFT
from app.fantasy.standings.queries import LeagueRow, progress
from app.fantasy.standings.ranking import HEAD_TO_HEAD, Rank

PAGE_ROWS = 50
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


# The order of the index: the best standing first, then member id.
_PAGE = text(f"""
    SELECT m.member_id, p.display_name, m.team_name, m.total_points, m.standing,
      coalesce(s.points, 0) AS points, coalesce(s.held, 0) AS held, b.rank AS before,
      (SELECT count(*) FROM league_members o WHERE o.league_id = m.league_id
        AND o.standing = m.standing
        AND {SEEN_MEMBER.format("o.member_id")}) AS equals
    FROM (SELECT * FROM league_members l WHERE league_id = :league
      AND {SEEN_MEMBER.format("l.member_id")}
        AND (CAST(:members AS bigint[]) IS NULL OR l.member_id = ANY(CAST(:members AS bigint[])))
      ORDER BY standing DESC, member_id
      OFFSET :offset LIMIT :limit) m
    JOIN members p ON p.id = m.member_id
    LEFT JOIN league_scores s ON (s.league_id, s.member_id, s.gameweek_id) = (m.league_id,
      m.member_id, :gameweek)
    LEFT JOIN league_scores b ON (b.league_id, b.member_id, b.gameweek_id) = (m.league_id,
      m.member_id, (
      SELECT w.id FROM gameweeks w WHERE w.season_id = :season AND w.week < :week
        AND w.settled_at IS NOT NULL
      ORDER BY w.week DESC LIMIT 1))
    ORDER BY m.standing DESC, m.member_id
""")  # noqa: S608 (made of our own words alone)

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
    """A page (from 1) of PAGE_ROWS places, with the points of the gameweek so far."""
    rows = _rows(league, gameweek, page, None)
    if not rows:
        return []
    rank = (
        int(db.session.scalar(_AHEAD, {"league": league.id, "standing": rows[0].standing}) or 0) + 1
    )
    moving = progress(league.id, gameweek.id, [row.member_id for row in rows])
    places, last = [], rows[0].standing
    for row in rows:
        rank += row.standing != last
        last = row.standing
        places.append(_place(league, row, Rank(rank, row.equals > 1), moving))
    return places


def places_of(
    league: LeagueRow, gameweek: GameweekRow, table: LargeTable, members: Sequence[int]
) -> list[Place]:
    """The places of these members in the table of a large league, in its order.

    The caller has caught up their rows. Members who were hidden since the table was written are
    left out.

    Raises:
        RedisAway: Redis cannot be reached.
    """
    rows = _rows(league, gameweek, 1, members)
    points = {row.member_id: row.total_points if table.by == TOTALS else row.points for row in rows}
    ranks = table.ranks(points.values())
    moving = progress(league.id, gameweek.id, [row.member_id for row in rows])
    places = [_place(league, row, ranks[points[row.member_id]], moving) for row in rows]
    return sorted(places, key=lambda place: (-points[place.member_id], place.member_id))


def _rows(
    league: LeagueRow, gameweek: GameweekRow, page: int, members: Sequence[int] | None
) -> Sequence[Row[Any]]:
    values = {
        "league": league.id,
        "gameweek": gameweek.id,
        "season": league.season_id,
        "week": gameweek.week,
        "members": None if members is None else list(members),
        "offset": (page - 1) * PAGE_ROWS,
        "limit": PAGE_ROWS,
    }
    return db.session.execute(_PAGE, values).all()


def _place(
    league: LeagueRow, row: Row[Any], rank: Rank, moving: Mapping[int, tuple[int, int]]
) -> Place:
    to_play, playing = moving.get(row.member_id, (0, 0))
    has_match_points = league.mode == HEAD_TO_HEAD and league.game != DRAFT
    _, won, lost, tied = row.standing if len(row.standing) == RECORD_LENGTH else (0, 0, 0, 0)
    return Place(
        member_id=row.member_id,
        display_name=row.display_name,
        team_name=row.team_name,
        points=row.points,
        held_points=row.held,
        total=row.total_points,
        match_points=row.standing[0] if has_match_points else None,
        record=(won, lost, tied) if league.game == DRAFT else None,
        rank=rank.rank,
        shared=rank.shared,
        before=row.before,
        to_play=to_play,
        playing=playing,
        has_team=row.member_id in moving,
    )


def page_of(league_id: int, member_id: int) -> int:
    """The page of the table that has the member; 1 if the member is not in the table."""
    ahead = db.session.scalar(_POSITION, {"league": league_id, "member": member_id})
    return int(ahead or 0) // PAGE_ROWS + 1

"""Where each member stands in a league, now and after each settled gameweek: written set-wise, by ranking.py.

Only the caller commits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import text

from app.accounts.sanctions import SEEN_MEMBER
from app.core.db import db
from app.fantasy.standings.ranking import standing_sql

# Every array of a league has the same length: a place for each gameweek of its season.
_STANDINGS = f"""
    WITH who AS ({{who}}), weekly AS (
      SELECT who.league_id, who.member_id, w.week, s.points, s.transfers, s.match_points
      FROM who JOIN leagues l ON l.id = who.league_id JOIN gameweeks w ON w.season_id = l.season_id
      LEFT JOIN league_scores s ON s.league_id = who.league_id AND s.member_id = who.member_id
        AND s.gameweek_id = w.id
    ), added AS (
      SELECT league_id, member_id, coalesce(sum(points), 0) AS total, coalesce(sum(transfers), 0) AS transfers,
        coalesce(sum(match_points), 0) AS match_points, array_agg(coalesce(points, 0) ORDER BY week DESC) AS latest
      FROM weekly GROUP BY league_id, member_id
    )
    UPDATE league_members m SET total_points = a.total, standing =
      {standing_sql(match_points="a.match_points", total="a.total", transfers="a.transfers", latest="a.latest")}
    FROM added a JOIN leagues l ON l.id = a.league_id
    WHERE m.league_id = a.league_id AND m.member_id = a.member_id
"""  # noqa: S608 (made of our own words alone)
_STAND = text(
    _STANDINGS.format(
        who="""SELECT league_id, member_id
      FROM unnest(CAST(:leagues AS bigint[]), CAST(:members AS bigint[])) AS moved (league_id, member_id)
      JOIN league_members USING (league_id, member_id)"""
    )
)
_STAND_ALL = text(
    _STANDINGS.format(who="SELECT league_id, member_id FROM league_members WHERE league_id = ANY(:leagues)")
)

_LATEST = """ARRAY(
        SELECT coalesce(o.points, 0) FROM gameweeks g
        LEFT JOIN league_scores o ON (o.league_id, o.member_id, o.gameweek_id) = (y.league_id, y.member_id, g.id)
        WHERE g.season_id = y.season_id AND g.week <= y.week ORDER BY g.week DESC)"""

# Ranks are dense (1, 1, 2), by what the league ranks by as it was after each gameweek.
_RANKS = text(f"""
    WITH weekly AS (
      SELECT s.league_id, s.member_id, s.gameweek_id, w.season_id, w.week, w.settled_at,
        sum(s.points) OVER upto AS total, sum(s.transfers) OVER upto AS transfers,
        sum(coalesce(s.match_points, 0)) OVER upto AS match_points
      FROM league_scores s JOIN gameweeks w ON w.id = s.gameweek_id
      WHERE s.league_id = ANY(:leagues) AND {SEEN_MEMBER.format("s.member_id")}
      WINDOW upto AS (PARTITION BY s.league_id, s.member_id ORDER BY w.week)
    ), standing AS (
      SELECT y.league_id, y.member_id, y.gameweek_id, y.total, dense_rank() OVER (
        PARTITION BY y.league_id, y.gameweek_id ORDER BY
        {standing_sql(match_points="y.match_points", total="y.total", transfers="y.transfers", latest=_LATEST)}
        DESC) AS rank
      FROM weekly y JOIN leagues l ON l.id = y.league_id
      WHERE y.week >= :week AND y.settled_at IS NOT NULL
    )
    UPDATE league_scores s SET total = t.total, rank = t.rank FROM standing t
    WHERE (s.league_id, s.member_id, s.gameweek_id) = (t.league_id, t.member_id, t.gameweek_id)
      AND (s.total, s.rank) IS DISTINCT FROM (t.total, t.rank)
""")  # noqa: S608 (as above)


def stand(moved: Iterable[tuple[int, int]]) -> None:
    """Total and standing of these (league, member), from all their gameweeks."""
    pairs = sorted(set(moved))
    if pairs:
        db.session.execute(_STAND, {"leagues": [p[0] for p in pairs], "members": [p[1] for p in pairs]})


def stand_all(leagues: Iterable[int]) -> None:
    """As stand, of everybody in these leagues."""
    db.session.execute(_STAND_ALL, {"leagues": sorted(set(leagues))})


def write_ranks(leagues: Sequence[int], week: int) -> None:
    """Total and rank of everybody in these leagues after each settled gameweek from this one on, but of the hidden."""
    db.session.execute(_RANKS, {"leagues": list(leagues), "week": week})

"""Writes standings and ranks, now and after each settled gameweek, set-wise (ranking.py).

Leagues of a game that is ranked otherwise get them from own_games.py. Only the caller commits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import select, text

from app.accounts.sanctions import SEEN_MEMBER
from app.core.db import db
from app.fantasy.standings.live_scores import SCORES, live_scores, live_values
from app.fantasy.standings.models import DRAFT, League
from app.fantasy.standings.own_games import OWN_GAMES
from app.fantasy.standings.ranking import BETWEEN, standing_sql

_RULES_BETWEEN = ", ".join(f"'{name}'" for name in BETWEEN)

# Every game between two members, in leagues whose tie rule asks for the games between equals: a row
# for each of the two, with their match points. Hidden members count as all others. These parts are
# materialized (computed once, and empty for leagues without such a rule), because PostgreSQL
# expects a single row of each.
_GAMES = f"""
      SELECT h.league_id, w.week, s.member_id, s.match_points,
        CASE s.member_id WHEN h.home_id THEN h.away_id ELSE h.home_id END AS opponent_id
      FROM leagues l JOIN matchups h ON h.league_id = l.id AND h.away_id IS NOT NULL
      JOIN gameweeks w ON w.id = h.gameweek_id
      JOIN league_scores s ON s.league_id = h.league_id AND s.gameweek_id = h.gameweek_id
        AND s.member_id IN (h.home_id, h.away_id)
      WHERE l.id = ANY(:leagues) AND l.ties IN ({_RULES_BETWEEN})"""  # noqa: S608

# All arrays of a league have the same length: one place per gameweek of its season.
_STANDINGS = f"""
    WITH who AS ({{who}}), weekly AS (
      SELECT who.league_id, who.member_id, w.week, s.points, s.transfers, s.match_points
      FROM who JOIN leagues l ON l.id = who.league_id JOIN gameweeks w ON w.season_id = l.season_id
      LEFT JOIN league_scores s ON s.league_id = who.league_id AND s.member_id = who.member_id
        AND s.gameweek_id = w.id AND w.settled_at IS NOT NULL
    ), added AS (
      SELECT league_id, member_id, coalesce(sum(points), 0) AS total, coalesce(sum(transfers),
        0) AS transfers,
        coalesce(sum(match_points), 0) AS match_points, array_agg(coalesce(points, 0)
          ORDER BY week DESC) AS latest
      FROM weekly GROUP BY league_id, member_id
    ), games AS MATERIALIZED ({_GAMES}
    ), tied AS MATERIALIZED (
      SELECT added.league_id, added.member_id, added.match_points FROM added JOIN leagues l
        ON l.id = added.league_id
      WHERE l.ties IN ({_RULES_BETWEEN})
    ), met AS MATERIALIZED (
      SELECT a.league_id, a.member_id, sum(g.match_points) AS match_points
      FROM tied a JOIN games g USING (league_id, member_id)
      JOIN tied o ON (o.league_id, o.member_id, o.match_points) = (a.league_id, g.opponent_id,
        a.match_points)
      GROUP BY a.league_id, a.member_id
    ), fresh AS (
      SELECT a.league_id, a.member_id, a.total, l.game, {
    standing_sql(
        match_points="a.match_points",
        total="a.total",
        transfers="a.transfers",
        latest="a.latest",
        between="coalesce(met.match_points, 0)",
    )
} AS standing
      FROM added a JOIN leagues l ON l.id = a.league_id LEFT JOIN met USING (league_id, member_id)
    )
    UPDATE league_members m SET total_points = f.total,
      standing = CASE f.game WHEN '{DRAFT}' THEN m.standing ELSE f.standing END
    FROM fresh f
    WHERE (m.league_id, m.member_id) = (f.league_id, f.member_id)
      AND (m.total_points IS DISTINCT FROM f.total
        OR f.game <> '{DRAFT}' AND m.standing IS DISTINCT FROM f.standing)
"""  # noqa: S608 (made of our own words alone)
_STAND = text(
    _STANDINGS.format(
        who="""SELECT league_id, member_id
      FROM unnest(CAST(:leagues AS bigint[]), CAST(:members AS bigint[])) AS moved (league_id,
        member_id)
      JOIN league_members USING (league_id, member_id)
      UNION SELECT m.league_id, m.member_id FROM leagues l JOIN league_members m
        ON m.league_id = l.id
      WHERE l.id = ANY(:leagues) AND l.ties = ANY(:between)"""
    )
)
_STAND_ALL = text(
    _STANDINGS.format(
        who="SELECT league_id, member_id FROM league_members WHERE league_id = ANY(:leagues)"
    )
)

_LATEST = f"""ARRAY(
        SELECT coalesce(o.points, 0) FROM gameweeks g
        LEFT JOIN {SCORES} o ON (o.league_id, o.member_id, o.gameweek_id) = (y.league_id,
          y.member_id, g.id)
        WHERE g.season_id = y.season_id AND g.week <= y.week ORDER BY g.week DESC)"""  # noqa: S608

# Ranks are dense (1, 1, 2), by the standing after each gameweek. An earlier one may be under way
# still, if one of its games was suspended.
_RANKS = text(f"""
    WITH weekly AS (
      SELECT s.league_id, s.member_id, s.gameweek_id, w.season_id, w.week, w.settled_at,
        sum(s.points) OVER upto AS total, sum(s.transfers) OVER upto AS transfers,
        sum(coalesce(s.match_points, 0)) OVER upto AS match_points
      FROM {SCORES} s JOIN gameweeks w ON w.id = s.gameweek_id
      WHERE s.league_id = ANY(:leagues)
      WINDOW upto AS (PARTITION BY s.league_id, s.member_id ORDER BY w.week)
    ), games AS MATERIALIZED ({_GAMES}
    ), tied AS MATERIALIZED (
      SELECT weekly.league_id, weekly.member_id, weekly.gameweek_id, weekly.week,
        weekly.match_points
      FROM weekly JOIN leagues l ON l.id = weekly.league_id WHERE l.ties IN ({_RULES_BETWEEN})
    ), met AS MATERIALIZED (
      SELECT y.league_id, y.member_id, y.gameweek_id, sum(g.match_points) AS match_points
      FROM tied y JOIN games g ON (g.league_id, g.member_id) = (y.league_id, y.member_id)
        AND g.week <= y.week
      JOIN tied o ON (o.league_id, o.gameweek_id, o.member_id, o.match_points) =
        (y.league_id, y.gameweek_id, g.opponent_id, y.match_points)
      WHERE y.week >= :week
      GROUP BY y.league_id, y.member_id, y.gameweek_id
    ), standing AS (
      SELECT y.league_id, y.member_id, y.gameweek_id, y.total, l.game, dense_rank() OVER (
        PARTITION BY y.league_id, y.gameweek_id ORDER BY
        {
    standing_sql(
        match_points="y.match_points",
        total="y.total",
        transfers="y.transfers",
        latest=_LATEST,
        between="coalesce(met.match_points, 0)",
    )
}
        DESC) AS rank
      FROM weekly y JOIN leagues l ON l.id = y.league_id LEFT JOIN met USING (league_id, member_id,
        gameweek_id)
      WHERE y.week >= :week AND y.settled_at IS NOT NULL AND {SEEN_MEMBER.format("y.member_id")}
    )
    UPDATE league_scores s SET total = t.total,
      rank = CASE t.game WHEN '{DRAFT}' THEN s.rank ELSE t.rank END
    FROM standing t
    WHERE (s.league_id, s.member_id, s.gameweek_id) = (t.league_id, t.member_id, t.gameweek_id)
      AND (s.total IS DISTINCT FROM t.total
        OR t.game <> '{DRAFT}' AND s.rank IS DISTINCT FROM t.rank)
""")  # noqa: S608 (as above)


def stand(moved: Iterable[tuple[int, int]]) -> None:
    """Write total and standing of these (league, member), from all their gameweeks.

    In leagues in which match points of a member move others too, everybody is written.
    """
    pairs = sorted(set(moved))
    if pairs:
        values = {
            "leagues": [league for league, _ in pairs],
            "members": [member for _, member in pairs],
            "between": list(BETWEEN),
        }
        db.session.execute(_STAND, values)


def stand_all(leagues: Iterable[int]) -> None:
    """As `stand`, for everybody in these leagues."""
    db.session.execute(_STAND_ALL, {"leagues": sorted(set(leagues))})


def write_ranks(leagues: Sequence[int], week: int) -> None:
    """Write total and rank after each settled gameweek from `week` on.

    For everybody in these leagues who is not hidden.
    """
    values = {"leagues": list(leagues), "week": week, **live_values(live_scores(leagues))}
    db.session.execute(_RANKS, values)
    others = select(League.id, League.game).where(
        League.id.in_(leagues), League.game.in_(OWN_GAMES)
    )
    for league_id, game in db.session.execute(others.order_by(League.id)).all():
        OWN_GAMES[game].write_standings(league_id)

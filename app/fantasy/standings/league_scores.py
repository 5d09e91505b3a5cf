"""Writes what members' gameweeks count in their leagues, from sheet points, set-wise.

Standings are in places.py, sheet points in engine/. Only the caller commits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import delete, select, text

from app.core.db import db
from app.fantasy.market.models import Gameweek
from app.fantasy.standings.live_scores import SCORES, live_scores, live_values
from app.fantasy.standings.models import LeagueScore, Matchup


@dataclass(frozen=True)
class Moved:
    """A member whose gameweek in a league has other points than before.

    `before`: None if there were none.
    """

    league_id: int
    member_id: int
    before: int | None
    points: int


# A gameweek counts the sheet's points, less the cost of transfers, with the commissioner's
# adjustments, and only from the first gameweek of the league on. Scores that are there are computed
# again, so that a member loses the points of a sheet that the league no longer plays by. Former
# members are the league's history: corrections reach their gameweeks and those of their opponents.
# `before` is read as the table was when the statement began; the gameweek's lock keeps others from
# writing meanwhile.
_SCORES = text("""
    WITH owed AS (
      SELECT l.id AS league_id, who.member_id, who.team_name, s.id AS sheet_id, s.transfer_cost,
        s.transfers, l.rules
      FROM gameweeks w JOIN leagues l ON l.season_id = w.season_id AND l.first_week <= w.week
      JOIN (
        SELECT league_id, member_id, team_name, false AS is_stored FROM league_members
        UNION ALL
        SELECT league_id, member_id, team_name, true FROM league_scores
        WHERE gameweek_id = :gameweek
      ) who ON who.league_id = l.id
      LEFT JOIN team_sheets s ON (s.member_id, s.team_rules_id, s.gameweek_id)
        = (who.member_id, l.team_rules_id, w.id)
      WHERE w.id = :gameweek
        AND (CAST(:leagues AS bigint[]) IS NULL OR l.id = ANY(CAST(:leagues AS bigint[])))
        AND (CAST(:sheets AS bigint[]) IS NULL OR s.id = ANY(CAST(:sheets AS bigint[])))
        AND NOT (who.is_stored AND EXISTS (SELECT FROM league_members m
          WHERE (m.league_id, m.member_id) = (l.id, who.member_id)))
    ), adjusted AS (
      SELECT league_id, member_id, sum(points) AS points FROM score_adjustments
        WHERE gameweek_id = :gameweek
      GROUP BY league_id, member_id
    ), fresh AS (
      SELECT o.league_id, o.member_id, o.team_name, coalesce(o.transfers, 0) AS transfers,
        coalesce(p.points, 0) - coalesce(o.transfer_cost, 0) + coalesce(a.points, 0) AS points,
        coalesce(p.held, 0) AS held
      FROM owed o LEFT JOIN sheet_points p ON p.team_sheet_id = o.sheet_id AND p.rules = o.rules
      LEFT JOIN adjusted a USING (league_id, member_id)
      WHERE p.points IS NOT NULL OR a.points IS NOT NULL OR :all OR EXISTS (
        SELECT FROM league_scores s
        WHERE (s.league_id, s.member_id, s.gameweek_id) = (o.league_id, o.member_id, :gameweek))
    ), written AS (
      INSERT INTO league_scores AS s (league_id, member_id, gameweek_id, team_name, points, held,
        transfers)
      SELECT league_id, member_id, :gameweek, team_name, points, held, transfers FROM fresh
      ON CONFLICT (league_id, member_id, gameweek_id) DO UPDATE
        SET points = excluded.points, held = excluded.held, transfers = excluded.transfers
        WHERE (s.points, s.held, s.transfers) IS DISTINCT FROM (excluded.points, excluded.held,
          excluded.transfers)
      RETURNING s.league_id, s.member_id, s.points
    )
    SELECT w.league_id, w.member_id, s.points AS before, w.points
    FROM written w LEFT JOIN league_scores s
      ON s.league_id = w.league_id AND s.member_id = w.member_id AND s.gameweek_id = :gameweek
    ORDER BY w.league_id, w.member_id
""")


_UNCOUNTED = text("""
    SELECT w.id FROM leagues l JOIN gameweeks w ON w.season_id = l.season_id
      AND w.week < l.first_week
    WHERE l.id = :league AND (EXISTS (SELECT FROM league_scores s WHERE (s.league_id,
      s.gameweek_id) = (l.id, w.id))
      OR EXISTS (SELECT FROM matchups h WHERE (h.league_id, h.gameweek_id) = (l.id, w.id)))
    ORDER BY w.week
""")


_KEEP = text(f"""
    INSERT INTO league_scores (league_id, member_id, gameweek_id, team_name, points, held,
      transfers)
    SELECT league_id, member_id, gameweek_id, team_name, points, held, transfers FROM {SCORES} s
    WHERE (league_id, member_id) = (:league, :member)
    ON CONFLICT DO NOTHING
""")  # noqa: S608 (made of our own words alone)


def uncounted(league_id: int) -> Sequence[int]:
    """Gameweeks before the league's first one that it has scores or matchups of, in order."""
    return db.session.scalars(_UNCOUNTED, {"league": league_id}).all()


def forget(league_id: int, gameweek_id: int) -> None:
    """Delete the league's scores and matchups of the gameweek."""
    for table in (LeagueScore, Matchup):
        db.session.execute(
            delete(table).where(table.league_id == league_id, table.gameweek_id == gameweek_id)
        )


def keep_live(league_id: int, member_id: int) -> None:
    """Store the gameweeks under way of a member who leaves, for the league's history."""
    scores = live_scores([league_id], members=[member_id])
    values = {"league": league_id, "member": member_id, **live_values(scores)}
    db.session.execute(_KEEP, values)


def forget_kept(league_id: int, member_id: int) -> None:
    """Delete what `keep_live` stored, for a member who is in the league again."""
    under_way = select(Gameweek.id).where(Gameweek.settled_at.is_(None))
    db.session.execute(
        delete(LeagueScore).where(
            LeagueScore.league_id == league_id,
            LeagueScore.member_id == member_id,
            LeagueScore.gameweek_id.in_(under_way),
        )
    )


def write_scores(
    gameweek_id: int,
    *,
    leagues: Sequence[int] | None = None,
    sheets: Sequence[int] | None = None,
    with_zeros: bool = False,
) -> list[Moved]:
    """Bring league scores of the gameweek up to date.

    Args:
        gameweek_id: The gameweek.
        leagues: Only those of these leagues.
        sheets: Only those of these sheets' owners.
        with_zeros: Members without points get a score of 0.

    Returns:
        What changed, by league and member.
    """
    values = {"gameweek": gameweek_id, "leagues": leagues, "sheets": sheets, "all": with_zeros}
    return [Moved(*row) for row in db.session.execute(_SCORES, values)]

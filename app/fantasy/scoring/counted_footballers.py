"""What each footballer counts in a gameweek, and who counts otherwise than when the team sheets
were last added up.

Derived: `counted_footballers` is written in the transaction that writes the sheets' points, so what
it holds is what they rest on. Only the caller commits.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ForeignKey, text
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import db
from app.record.rules.state import NOT_AWAITED

Model: Any = db.Model


class CountedFootballer(Model):
    """A footballer as the gameweek's team sheets last counted them under these rules.

    `counts_moved`: with games that were moved here from another gameweek. `is_out`: their games are
    over and they did not play.
    """

    __tablename__ = "counted_footballers"

    gameweek_id: Mapped[int] = mapped_column(
        ForeignKey("gameweeks.id", ondelete="CASCADE"), primary_key=True
    )
    counts_moved: Mapped[bool] = mapped_column(primary_key=True)
    rules: Mapped[str] = mapped_column(primary_key=True)
    footballer_id: Mapped[str] = mapped_column(
        ForeignKey("footballers.id", ondelete="CASCADE"), primary_key=True
    )
    position: Mapped[str]
    points: Mapped[int]
    held: Mapped[int]
    played: Mapped[bool]
    is_out: Mapped[bool]


# A player's games are those of their club; whoever has points in another club's game has played,
# and is never out. Where games that were moved to another gameweek do not count, they are none of
# this one.
COUNTED = """
    week AS (
      SELECT g.id, g.home_id, g.away_id, coalesce(s.status, 'scheduled') = ANY(:done) AS is_over
      FROM games g JOIN gameweeks w USING (competition, season, season_type, week)
      LEFT JOIN game_states s ON s.game_id = g.id
      WHERE w.id = :gameweek AND (g.planned_week IS NULL OR :counts_moved)
    ), clubs AS (
      SELECT club, bool_and(is_over) AS is_over
      FROM week, unnest(ARRAY[home_id, away_id]) AS club GROUP BY club
    ), earned AS (
      SELECT player_id, sum(points) AS points, sum(held) AS held
      FROM player_points WHERE rules = :rules AND game_id IN (SELECT id FROM week)
        GROUP BY player_id
    )
"""
COLUMNS = """f.id, coalesce(m.position, f.position) AS position, coalesce(e.points, 0) AS points,
      coalesce(e.held, 0) AS held, e.player_id IS NOT NULL AS played"""
JOINED = """footballers f
    LEFT JOIN footballer_seasons m ON m.footballer_id = f.id AND m.season_id = :season
    LEFT JOIN clubs c ON c.club = f.club_id LEFT JOIN earned e ON e.player_id = f.id"""

# Everybody on the season's market, of the clubs that play, or with points; and those who had any.
_NOTE = text(f"""
    WITH {COUNTED}, noted AS (
      SELECT footballer_id FROM counted_footballers
      WHERE (gameweek_id, counts_moved, rules) = (:gameweek, :counts_moved, :rules)
    ), who AS (
      SELECT footballer_id AS id FROM footballer_seasons WHERE season_id = :season
      UNION SELECT player_id FROM earned UNION SELECT footballer_id FROM noted
      UNION SELECT f.id FROM footballers f JOIN clubs c ON c.club = f.club_id
    ), fresh AS (
      SELECT {COLUMNS}, coalesce(c.is_over, true) AND e.player_id IS NULL AS is_out
      FROM {JOINED} JOIN who USING (id)
    ), written AS (
      INSERT INTO counted_footballers AS t
        (gameweek_id, counts_moved, rules, footballer_id, position, points, held, played, is_out)
      SELECT :gameweek, :counts_moved, :rules, id, position, points, held, played, is_out FROM fresh
      ON CONFLICT (gameweek_id, counts_moved, rules, footballer_id) DO UPDATE
        SET position = excluded.position, points = excluded.points, held = excluded.held,
          played = excluded.played,
          is_out = excluded.is_out
        WHERE (t.position, t.points, t.held, t.played, t.is_out)
          IS DISTINCT FROM (excluded.position, excluded.points, excluded.held, excluded.played,
            excluded.is_out)
      RETURNING t.footballer_id
    )
    SELECT EXISTS (SELECT FROM noted), (SELECT array_agg(footballer_id ORDER BY footballer_id)
      FROM written)
""")  # noqa: S608 (made of our own words alone)

_FORGET_OF_GAME = text("""
    DELETE FROM counted_footballers c USING gameweeks w JOIN games g USING (competition, season,
      season_type, week)
    WHERE g.id = :game AND c.gameweek_id = w.id
""")


def note(gameweek_id: int, season_id: int, counts_moved: bool, rules: str) -> list[str] | None:
    """Notes what every footballer counts now.

    Returns those who count otherwise than noted before, by id, and None when nothing was noted
    before. The caller adds up all sheets that own them, in the same transaction.
    """
    was_noted, changed = db.session.execute(
        _NOTE,
        {
            "gameweek": gameweek_id,
            "season": season_id,
            "counts_moved": counts_moved,
            "rules": rules,
            "done": list(NOT_AWAITED),
        },
    ).one()
    return (changed or []) if was_noted else None


def forget(gameweek_id: int) -> None:
    """The next one adds up every sheet: some were made without being added up.

    The caller commits.
    """
    db.session.execute(
        text("DELETE FROM counted_footballers WHERE gameweek_id = :gameweek"),
        {"gameweek": gameweek_id},
    )


def forget_of_game(game_id: str) -> None:
    """As forget, of the gameweek that the game is in, if it is in one."""
    db.session.execute(_FORGET_OF_GAME, {"game": game_id})

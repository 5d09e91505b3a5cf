"""Season totals of footballers: points by gameweek, their sum, and form. Recomputed, not added to.

These have no team sheets in them, so the engine (engine/) has no part in it: one statement over the
season's points is enough.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import text

from app.core.db import db

FORM_GAMEWEEKS = 4  # form is the mean of this many last gameweeks in which they played

_ADD_UP = text("""
    WITH weekly AS (
      SELECT p.player_id, p.rules, w.week, sum(p.points) AS points,
        row_number() OVER (PARTITION BY p.player_id, p.rules ORDER BY w.week DESC) AS back
      FROM player_points p JOIN games g ON g.id = p.game_id
      JOIN gameweeks w USING (competition, season, season_type, week)
      WHERE w.season_id = :season
        AND (CAST(:touched AS text[]) IS NULL OR p.player_id = ANY(CAST(:touched AS text[])))
      GROUP BY p.player_id, p.rules, w.week
    ), gone AS (
      DELETE FROM footballer_totals t WHERE t.season_id = :season
        AND (CAST(:touched AS text[]) IS NULL OR t.footballer_id = ANY(CAST(:touched AS text[])))
        AND NOT EXISTS (SELECT FROM weekly y WHERE (y.player_id, y.rules) = (t.footballer_id,
          t.rules))
    )
    INSERT INTO footballer_totals AS t
      (season_id, rules, footballer_id, position, total_points, form, gameweeks)
    SELECT :season, y.rules, f.id, coalesce(m.position, f.position), sum(y.points),
      trunc(avg(y.points) FILTER (WHERE y.back <= :form)), jsonb_object_agg(y.week::text, y.points)
    FROM weekly y JOIN footballers f ON f.id = y.player_id
    LEFT JOIN footballer_seasons m ON m.footballer_id = f.id AND m.season_id = :season
    GROUP BY y.rules, f.id, coalesce(m.position, f.position)
    ON CONFLICT (season_id, rules, footballer_id) DO UPDATE
      SET position = excluded.position, total_points = excluded.total_points, form = excluded.form,
        gameweeks = excluded.gameweeks
      WHERE (t.position, t.total_points, t.form, t.gameweeks)
        IS DISTINCT FROM (excluded.position, excluded.total_points, excluded.form,
          excluded.gameweeks)
""")


# Points alone would miss a footballer whose last point was taken away.
_IN_GAMES = text("""
    SELECT f.id FROM footballers f JOIN games g ON f.club_id IN (g.home_id, g.away_id)
      WHERE g.id = ANY(:games)
    UNION SELECT player_id FROM player_points WHERE game_id = ANY(:games)
""")


def footballers_in(games: Collection[str]) -> Sequence[str]:
    """Footballers of the games' clubs, or with points in these games whatever their club is now."""
    return db.session.scalars(_IN_GAMES, {"games": sorted(games)}).all()


def add_up(season_id: int, touched: Collection[str] | None) -> None:
    """Recompute the totals of these footballers (None: of all) under all rules.

    Only the caller commits.
    """
    db.session.execute(
        _ADD_UP,
        {
            "season": season_id,
            "touched": None if touched is None else sorted(touched),
            "form": FORM_GAMEWEEKS,
        },
    )

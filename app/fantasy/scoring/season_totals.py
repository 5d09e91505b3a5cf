"""Season totals of footballers: points by gameweek, their sum, form, and sums of their statistics.

They are recomputed, not added to. These have no team sheets in them, so the engine (engine/) has no
part in it: one statement over the season's points and one over its stat lines are enough.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import text

from app.core.db import db

FORM_GAMEWEEKS = 4  # form is the mean of this many last gameweeks in which they played

# Who has no points any more is looked up in player_points, by its index. PostgreSQL has no
# statistics of a WITH query: it would compare every row of `weekly` with every total, with NOT
# EXISTS if it expects few rows, and with NOT IN if it expects more than fit into work_mem.
_ADD_UP = text("""
    WITH weekly AS (
      SELECT p.player_id, p.rules, w.week, sum(p.points) AS points,
        row_number() OVER (PARTITION BY p.player_id, p.rules ORDER BY w.week DESC) AS back
      FROM player_points p JOIN games g ON g.id = p.game_id
      JOIN gameweeks w USING (competition, season, season_type, week)
      WHERE w.season_id = :season
        AND (CAST(:touched AS text[]) IS NULL OR p.player_id = ANY(CAST(:touched AS text[])))
        AND (CAST(:rules AS text) IS NULL OR p.rules = CAST(:rules AS text))
      GROUP BY p.player_id, p.rules, w.week
    ), gone AS (
      DELETE FROM footballer_totals t WHERE t.season_id = :season
        AND (CAST(:touched AS text[]) IS NULL OR t.footballer_id = ANY(CAST(:touched AS text[])))
        AND (CAST(:rules AS text) IS NULL OR t.rules = CAST(:rules AS text))
        AND NOT EXISTS (
          SELECT FROM player_points p JOIN games g ON g.id = p.game_id
          JOIN gameweeks w USING (competition, season, season_type, week)
          WHERE w.season_id = :season AND p.player_id = t.footballer_id AND p.rules = t.rules)
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

# The sums of a footballer are rewritten together, because a correction may take any of them away.
# Of groups PostgreSQL always expects few, and looks them up in a hash table.
_ADD_UP_STATISTICS = text("""
    WITH lines AS (
      SELECT l.game_id, l.player_id, l.stats FROM stat_lines l JOIN games g ON g.id = l.game_id
      JOIN gameweeks w USING (competition, season, season_type, week)
      WHERE w.season_id = :season AND l.stats <> '{}'
        AND (CAST(:touched AS text[]) IS NULL OR l.player_id = ANY(CAST(:touched AS text[])))
      UNION ALL
      SELECT i.game_id, i.player_id, i.stats FROM imported_lines i JOIN games g ON g.id = i.game_id
      JOIN gameweeks w USING (competition, season, season_type, week)
      WHERE w.season_id = :season AND i.stats <> '{}'
        AND (CAST(:touched AS text[]) IS NULL OR i.player_id = ANY(CAST(:touched AS text[])))
    ), sums AS (
      SELECT y.player_id, y.stat, sum(y.amount) AS amount FROM (
        SELECT l.player_id, e.key AS stat, CAST(e.value AS bigint) AS amount
        FROM lines l CROSS JOIN jsonb_each_text(l.stats) e
      ) y GROUP BY y.player_id, y.stat
    ), seasons_so_far AS (
      SELECT p.player_id, p.games, coalesce(s.stats, '{}') AS stats
      FROM (SELECT player_id, count(DISTINCT game_id) AS games FROM lines GROUP BY player_id) p
      LEFT JOIN (SELECT player_id, jsonb_object_agg(stat, amount) AS stats FROM sums
        GROUP BY player_id) s USING (player_id)
    ), gone AS (
      DELETE FROM footballer_statistics t WHERE t.season_id = :season
        AND (CAST(:touched AS text[]) IS NULL OR t.footballer_id = ANY(CAST(:touched AS text[])))
        AND t.footballer_id NOT IN (SELECT y.player_id FROM seasons_so_far y)
    )
    INSERT INTO footballer_statistics AS t (season_id, footballer_id, games, stats)
    SELECT :season, f.id, y.games, y.stats FROM seasons_so_far y
    JOIN footballers f ON f.id = y.player_id
    ON CONFLICT (season_id, footballer_id) DO UPDATE
      SET games = excluded.games, stats = excluded.stats
      WHERE (t.games, t.stats) IS DISTINCT FROM (excluded.games, excluded.stats)
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
    values = {"season": season_id, "touched": None if touched is None else sorted(touched)}
    db.session.execute(_ADD_UP, values | {"form": FORM_GAMEWEEKS, "rules": None})
    db.session.execute(_ADD_UP_STATISTICS, values)


def add_up_rules(season_id: int, rules: str) -> None:
    """Recompute the totals of all footballers under rules that the season has just got.

    A refresh only adds up who played in changed games. Only the caller commits.
    """
    values = {"season": season_id, "touched": None, "form": FORM_GAMEWEEKS, "rules": rules}
    db.session.execute(_ADD_UP, values)

"""Games that are not over, and what it means for a gameweek that one is not played as planned.

Reads only.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import text

from app.core.db import db
from app.record.rules.state import NOT_AWAITED

# So long after its kickoff a game that has not begun needs somebody who says what becomes of it.
LATE = timedelta(hours=4)


@dataclass(frozen=True)
class OpenGame:
    """`needs_word`: nobody has said yet when it goes on, or it should have begun long ago."""

    id: str
    home: str
    away: str
    kickoff: datetime
    week: int
    planned_week: int | None
    status: str
    needs_word: bool


_OPEN = text("""
    SELECT g.id, h.name, a.name, g.kickoff, g.week, g.planned_week, g.status,
      g.status IN ('postponed', 'suspended') OR (g.status = 'scheduled'
        AND g.kickoff < :late) AS needs_word
    FROM (SELECT g.*, coalesce(s.status, 'scheduled') AS status
          FROM games g LEFT JOIN game_states s ON s.game_id = g.id WHERE NOT g.is_practice) g
    JOIN clubs h ON h.id = g.home_id JOIN clubs a ON a.id = g.away_id
    WHERE g.status NOT IN ('ended', 'final')
    ORDER BY needs_word DESC, g.kickoff, g.id OFFSET :offset LIMIT :rows
""")


def open_games(now: datetime, offset: int, rows: int) -> list[OpenGame]:
    """Games that are not over by play: those that need a word first, then by kickoff.

    Ties by id.
    """
    found = db.session.execute(_OPEN, {"late": now - LATE, "offset": offset, "rows": rows})
    return [OpenGame(*row) for row in found]


def open_games_count() -> int:
    return int(
        db.session.scalar(
            text("""
                SELECT count(*) FROM games g LEFT JOIN game_states s ON s.game_id = g.id
                WHERE NOT g.is_practice AND coalesce(s.status, 'scheduled') NOT IN ('ended',
                  'final')
            """)
        )
        or 0
    )


@dataclass(frozen=True)
class Stake:
    """Of a game.

    `awaited`: how many other games its gameweek waits for; `players` with points in it, and how
    many team sheets (`sheets`) of the gameweek have one of them.
    """

    gameweek: str
    is_settled: bool
    awaited: int
    players: int
    sheets: int


_STAKE = text("""
    WITH scorers AS (SELECT DISTINCT player_id FROM player_points WHERE game_id = :game)
    SELECT w.name, w.settled_at IS NOT NULL,
      (SELECT count(*) FROM games o LEFT JOIN game_states s ON s.game_id = o.id
       WHERE (o.competition, o.season, o.season_type, o.week) = (w.competition, w.season,
         w.season_type, w.week)
         AND o.id <> g.id AND coalesce(s.status, 'scheduled') <> ALL(:done)),
      (SELECT count(*) FROM scorers),
      (SELECT count(*) FROM team_sheets t WHERE t.gameweek_id = w.id
         AND t.picks && CAST((SELECT coalesce(array_agg(player_id), '{}') FROM scorers) AS text[]))
    FROM games g JOIN gameweeks w USING (competition, season, season_type, week) WHERE g.id = :game
""")


def stake(game_id: str) -> Stake | None:
    """None for a game of no gameweek."""
    found = db.session.execute(_STAKE, {"game": game_id, "done": list(NOT_AWAITED)}).first()
    return None if found is None else Stake(*found)

"""Queries of games that are not over, and of what depends on a game that is not played."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import text

from app.core.db import db
from app.record.rules.state import NOT_AWAITED

# After this time from the kickoff, somebody has to say what becomes of a game that has not begun.
LATE = timedelta(hours=4)


@dataclass(frozen=True)
class OpenGame:
    """A game that is not over.

    `needs_word`: somebody has to say when it goes on, or whether it will begin at all.
    """

    id: str
    home: str
    away: str
    kickoff: datetime
    week: int
    planned_week: int | None
    status: str
    needs_word: bool


_GAMES = """(
      SELECT g.*, coalesce(s.status, 'scheduled') AS status
      FROM games g LEFT JOIN game_states s ON s.game_id = g.id
      WHERE NOT g.is_practice AND coalesce(s.status, 'scheduled') NOT IN ('ended', 'final')
    )"""
_COUNT = text(f"SELECT count(*) FROM {_GAMES} g")  # noqa: S608 (made of our own words alone)
_OPEN = text(f"""
    SELECT g.id, h.name, a.name, g.kickoff, g.week, g.planned_week, g.status,
      g.status IN ('postponed', 'suspended') OR (g.status = 'scheduled'
        AND g.kickoff < :late) AS needs_word
    FROM {_GAMES} g JOIN clubs h ON h.id = g.home_id JOIN clubs a ON a.id = g.away_id
    ORDER BY needs_word DESC, g.kickoff, g.id OFFSET :offset LIMIT :rows
""")  # noqa: S608 (as above)


def open_games(now: datetime, offset: int, rows: int) -> list[OpenGame]:
    """Games that were not played to the end: those that need a word first, then by kickoff and id.

    `offset`, `rows`: the part of the list.
    """
    values = {"late": now - LATE, "offset": offset, "rows": rows}
    return [OpenGame(*row) for row in db.session.execute(_OPEN, values)]


def open_games_count() -> int:
    """How many games were not played to the end."""
    return db.session.scalar(_COUNT) or 0


@dataclass(frozen=True)
class Stake:
    """What depends on a game.

    `awaited`: how many other games its gameweek waits for. `players`: how many have points in it.
    `sheets`: how many team sheets of the gameweek have one of these players.
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
    """Load what depends on the game; None if it is in no gameweek."""
    row = db.session.execute(_STAKE, {"game": game_id, "done": list(NOT_AWAITED)}).first()
    return None if row is None else Stake(*row)

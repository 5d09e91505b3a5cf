"""When totals of team sheets are written to PostgreSQL: after each play, or when they are read.

A gameweek with too many sheets to write after each play is deferred (decision 54). While it is open
a refresh notes what footballers count (footballers.py) and raises the gameweek's version here. Its
rows are written when somebody reads them (gameweeks/catching_up.py), and all of them when the
gameweek is settled. Only the caller commits.
"""

from __future__ import annotations

from enum import Enum

from sqlalchemy import text

from app.core.db import db
from app.fantasy.engine.footballers import Touched
from app.fantasy.market.models import Gameweek

# Up to this number, writing every sheet that a play touches costs less than deferring it saves.
SHEETS_WRITTEN = 2_000

# Sheets that can change while the gameweek is played (lock 'game') are written after each play,
# however many there are.
_IS_DEFERRED = text("""
    SELECT EXISTS (SELECT FROM deferred_gameweeks WHERE gameweek_id = :gameweek)
      OR (SELECT count(*) FROM (SELECT FROM team_sheets WHERE gameweek_id = :gameweek
        LIMIT :written + 1) s) > :written
        AND NOT EXISTS (SELECT FROM team_rules r WHERE r.season_id = :season AND r.lock = 'game')
""")

_RAISE = text("""
    INSERT INTO deferred_gameweeks AS d (gameweek_id, version, sheets_version, game_statuses)
    VALUES (:gameweek, 1, 1, :statuses)
    ON CONFLICT (gameweek_id) DO UPDATE SET version = d.version + 1,
      game_statuses = excluded.game_statuses,
      sheets_version = CASE WHEN :resets THEN d.version + 1 ELSE d.sheets_version END
    WHERE :moved OR d.game_statuses <> excluded.game_statuses
    RETURNING version
""")


class WritePolicy(Enum):
    """When the totals that a play changes are written."""

    AFTER_EACH_PLAY = "after each play"
    WHEN_READ = "when read"


def policy_of(gameweek: Gameweek) -> WritePolicy:
    """The gameweek's policy. WHEN_READ lasts until the gameweek is settled."""
    if gameweek.settled_at is not None:
        return WritePolicy.AFTER_EACH_PLAY
    values = {"gameweek": gameweek.id, "season": gameweek.season_id, "written": SHEETS_WRITTEN}
    is_deferred = db.session.scalar(_IS_DEFERRED, values)
    return WritePolicy.WHEN_READ if is_deferred else WritePolicy.AFTER_EACH_PLAY


def raise_version(gameweek_id: int, touched: Touched, statuses: str) -> bool:
    """Give a deferred gameweek its next version if anything changed.

    Args:
        gameweek_id: The gameweek.
        touched: The footballers who count otherwise than in the last version.
        statuses: The statuses of the gameweek's games.

    Returns:
        Whether there is a next version.
    """
    resets = any(footballers is None for footballers in touched.values())
    moved = resets or any(touched.values())
    values = {"gameweek": gameweek_id, "statuses": statuses, "resets": resets, "moved": moved}
    return db.session.execute(_RAISE, values).one_or_none() is not None


def end_deferral(gameweek_id: int) -> None:
    """Read the gameweek from PostgreSQL again: all its rows are written."""
    db.session.execute(
        text("DELETE FROM deferred_gameweeks WHERE gameweek_id = :gameweek"),
        {"gameweek": gameweek_id},
    )

"""Gameweeks whose team sheets are too many to write each after each play (decision 54).

While such a gameweek is open a refresh notes what footballers count
(scoring/engine/footballers.py) and raises the gameweek's version here. Rows of PostgreSQL follow
where somebody looks (catching_up.py) and are all written when the gameweek is settled. Only the
caller commits.
"""

from __future__ import annotations

from sqlalchemy import text

from app.core.db import db
from app.fantasy.market.models import Gameweek
from app.fantasy.scoring.engine.footballers import Touched

# Below it, writing all that a play touches takes less than what is saved by not doing so.
SHEETS_WRITTEN = 2_000

# Sheets that may be changed while the gameweek is played (lock 'game') are written after each play,
# however many.
_MAY_BE = text("""
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
      sheets_version = CASE WHEN :anew THEN d.version + 1 ELSE d.sheets_version END
    WHERE :moved OR d.game_statuses <> excluded.game_statuses
    RETURNING version
""")


def is_deferred(gameweek: Gameweek) -> bool:
    """Whether a play's totals are not written to PostgreSQL.

    Once so, until the gameweek is settled.
    """
    if gameweek.settled_at is not None:
        return False
    found = {"gameweek": gameweek.id, "season": gameweek.season_id, "written": SHEETS_WRITTEN}
    return bool(db.session.scalar(_MAY_BE, found))


def raise_version(gameweek_id: int, touched: Touched, statuses: str) -> bool:
    """The next version, if these footballers or the statuses of the games are others than those of
    the last; whether there is one.
    """
    anew = any(one is None for one in touched.values())
    moved = anew or any(touched.values())
    values = {"gameweek": gameweek_id, "statuses": statuses, "anew": anew, "moved": moved}
    return db.session.execute(_RAISE, values).one_or_none() is not None


def end(gameweek_id: int) -> None:
    """The gameweek's rows in PostgreSQL are all written: they are read again."""
    db.session.execute(
        text("DELETE FROM deferred_gameweeks WHERE gameweek_id = :gameweek"),
        {"gameweek": gameweek_id},
    )

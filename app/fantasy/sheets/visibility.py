"""When others may see a team sheet. Pages and the API have no other rule.

It is secret until the gameweek's deadline, or until it is locked, if that comes first. From then on
it is shown whole, also where footballers lock one by one and the last of them can still be
replaced: as on Sleeper, ESPN and Yahoo, whose live scores show both line-ups.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import text

from app.core.db import db

# The moment in SQL: `w` is the gameweek, `d` its row of sheet_deadlines, or none.
SHOWN_FROM = "least(w.deadline, d.locks_at)"

_IS_SHOWN = text(
    f"""
    SELECT {SHOWN_FROM} <= :now FROM gameweeks w
    LEFT JOIN sheet_deadlines d ON d.gameweek_id = w.id AND d.team_rules_id = :team_rules_id
    WHERE w.id = :gameweek_id
    """  # noqa: S608 (no input in it)
)


def is_shown_to_all(team_rules_id: int, gameweek_id: int, now: datetime) -> bool:
    """Whether others may see sheets of these team rules for the gameweek."""
    values = {"team_rules_id": team_rules_id, "gameweek_id": gameweek_id, "now": now}
    return bool(db.session.scalar(_IS_SHOWN, values))

"""Notices about deadlines: before one, to who has not saved a team sheet; after it, to everybody it concerns.

Lives here: who is notified. Not here: the words (notices/words.py). Only whoever calls commits.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import text

from app.core.db import db
from app.fantasy.notices.services import NewNotice, notify
from app.fantasy.notices.words import deadline_near, deadline_passed, no_team_sheet

NEAR = timedelta(hours=24)


def notify_near(now: datetime) -> int:
    """Notifies each who has not saved a team sheet within NEAR of its deadline, once; returns how many are new.

    With lock 'game' that is before the first kickoff. Nobody is notified in a simulated season: its clock is another.
    """
    return notify(
        [
            NewNotice.of(
                row.member_id,
                "deadline",
                f"deadline-near:{row.gameweek_id}:{row.team_rules_id}",
                deadline_near(row.name, row.at, row.time_zone, has_sheet=False),
                f"/team/{row.team_rules_id}",
            )
            for row in db.session.execute(_NEAR, {"now": now, "until": now + NEAR})
        ],
        now,
    )


def notify_locked(gameweek_id: int, now: datetime) -> int:
    """Notifies owners of team sheets whether theirs was carried over, and league members without one of that."""
    return notify(
        [
            NewNotice.of(
                row.member_id,
                "deadline",
                f"deadline:{gameweek_id}:{row.team_rules_id}",
                no_team_sheet(row.name)
                if row.is_carried is None
                else deadline_passed(row.name, is_carried=row.is_carried),
                f"/team/{row.team_rules_id}",
            )
            for row in db.session.execute(_LOCKED, {"gameweek_id": gameweek_id})
        ],
        now,
    )


_NEAR = text("""
    SELECT DISTINCT m.member_id, d.team_rules_id, w.id AS gameweek_id, w.name, r.time_zone,
           least(d.locks_at, w.deadline) AS at
    FROM sheet_deadlines d
    JOIN gameweeks w ON w.id = d.gameweek_id
    JOIN seasons s ON s.id = w.season_id AND NOT s.is_simulated
    JOIN team_rules r ON r.id = d.team_rules_id
    JOIN leagues l ON l.team_rules_id = r.id
    JOIN league_members m ON m.league_id = l.id
    WHERE least(d.locks_at, w.deadline) > :now AND least(d.locks_at, w.deadline) <= :until AND w.locked_at IS NULL
      AND NOT EXISTS (SELECT FROM team_sheets t WHERE t.member_id = m.member_id AND t.team_rules_id = r.id
                      AND t.gameweek_id = w.id)
      AND NOT EXISTS (SELECT FROM notices n WHERE n.member_id = m.member_id
                      AND n.key = 'deadline-near:' || w.id || ':' || r.id)
""")

_LOCKED = text("""
    SELECT t.member_id, t.team_rules_id, w.name, t.is_carried
    FROM team_sheets t JOIN gameweeks w ON w.id = t.gameweek_id WHERE w.id = :gameweek_id
    UNION
    SELECT m.member_id, l.team_rules_id, w.name, NULL
    FROM gameweeks w JOIN leagues l ON l.season_id = w.season_id JOIN league_members m ON m.league_id = l.id
    WHERE w.id = :gameweek_id AND NOT EXISTS (
      SELECT FROM team_sheets t
      WHERE t.member_id = m.member_id AND t.team_rules_id = l.team_rules_id AND t.gameweek_id = w.id)
""")

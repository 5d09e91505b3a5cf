"""What a member's calendar lists: drafts, when their team sheets lock, and their players' games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import text

from app.core.bidi import with_period
from app.core.db import db

PAST, AHEAD = timedelta(days=14), timedelta(days=200)  # how far back and ahead a calendar goes
GAME_LASTS = timedelta(hours=3, minutes=15)
MOST_NAMED = 6  # players in the title of a game; all are in its description

_DEADLINES = text("""
    SELECT d.team_rules_id, w.id AS gameweek_id, w.name, d.locks_at, r.lock,
      array_agg(l.name ORDER BY lower(l.name), l.id) AS leagues
    FROM league_members m JOIN leagues l ON l.id = m.league_id
    JOIN team_rules r ON r.id = l.team_rules_id
    JOIN sheet_deadlines d ON d.team_rules_id = l.team_rules_id
    JOIN gameweeks w ON w.id = d.gameweek_id AND w.week >= l.first_week
    WHERE m.member_id = :member AND d.locks_at BETWEEN :since AND :until
    GROUP BY d.team_rules_id, w.id, w.name, d.locks_at, r.lock
    ORDER BY d.locks_at, d.team_rules_id
""")
_DRAFTS = text("""
    SELECT t.id, t.starts_at, l.name
    FROM league_members m JOIN leagues l ON l.id = m.league_id JOIN drafts t ON t.league_id = l.id
    WHERE m.member_id = :member AND t.starts_at BETWEEN :since AND :until
    ORDER BY t.starts_at, t.id
""")
_GAMES = text("""
    SELECT g.id, g.kickoff, g.away_id AS away, g.home_id AS home,
      array_agg(DISTINCT f.name ORDER BY f.name) AS players
    FROM team_sheets s JOIN gameweeks w ON w.id = s.gameweek_id
    JOIN games g ON (g.competition, g.season, g.season_type, g.week)
      = (w.competition, w.season, w.season_type, w.week)
    JOIN footballers f ON f.id = ANY(s.picks) AND f.club_id IN (g.home_id, g.away_id)
    LEFT JOIN game_states t ON t.game_id = g.id
    WHERE s.member_id = :member AND NOT g.is_practice
      AND g.kickoff BETWEEN :since AND :until
      AND coalesce(t.status, 'scheduled') NOT IN ('cancelled', 'postponed')
    GROUP BY g.id
    ORDER BY g.kickoff, g.id
""")


@dataclass(frozen=True)
class Entry:
    """An entry of a calendar.

    Attributes:
        uid: The same for as long as the entry is about the same deadline or game.
        ends: None for a moment.
        path: The page on this site, from `/` on.
    """

    uid: str
    starts: datetime
    ends: datetime | None
    title: str
    description: str
    path: str


def entries_of(member_id: int, now: datetime) -> list[Entry]:
    """The member's drafts, then deadlines, then the games of their players, each by time."""
    span = {"member": member_id, "since": now - PAST, "until": now + AHEAD}
    deadlines = [_deadline(row) for row in db.session.execute(_DEADLINES, span)]
    games = [_game(row) for row in db.session.execute(_GAMES, span)]
    drafts = [_draft(row) for row in db.session.execute(_DRAFTS, span)]
    return [*drafts, *deadlines, *games]


def _draft(row: Any) -> Entry:
    return Entry(
        uid=f"draft-{row.id}",
        starts=row.starts_at,
        ends=None,
        title=f"Draft, {row.name}",
        description="Join the draft room on time, or autopilot picks for you.",
        path=f"/drafts/{row.id}",
    )


def _deadline(row: Any) -> Entry:
    what = "locks" if row.lock == "gameweek" else "last players lock"
    return Entry(
        uid=f"deadline-{row.team_rules_id}-{row.gameweek_id}",
        starts=row.locks_at,
        ends=None,
        title=f"{row.name} {what}",
        description=with_period(f"Your team in {_listed(row.leagues)}"),
        path=f"/team/{row.team_rules_id}",
    )


def _game(row: Any) -> Entry:
    players: Sequence[str] = row.players
    named = ", ".join(players[:MOST_NAMED])
    more = f" and {len(players) - MOST_NAMED} more" if len(players) > MOST_NAMED else ""
    return Entry(
        uid=f"game-{row.id}",
        starts=row.kickoff,
        ends=row.kickoff + GAME_LASTS,
        title=f"{row.away} at {row.home}: {named}{more}",
        description=with_period(f"Your players: {', '.join(players)}"),
        path=f"/games/{row.id}",
    )


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))

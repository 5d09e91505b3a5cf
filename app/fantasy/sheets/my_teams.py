"""Which team rules a member may pick a team for.

Those of their leagues, and those of each season's overall league.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import text

from app.core.db import db
from app.fantasy.market.formats import FORMATS


@dataclass(frozen=True)
class MyTeam:
    """`leagues`: names of those that play by these rules, in order.

    The overall one even before they have joined it.

    `gameweek` and `locks_at`: what is open now, None after the last. `state` of its sheet: saved,
    carried (last gameweek's plays again unless another is saved) or none. `live_slug`: a league of
    theirs, where the team is shown.
    """

    team_rules_id: int
    season_id: int
    season: str
    format: str
    lock: str
    time_zone: str
    leagues: tuple[str, ...]
    live_slug: str | None
    gameweek_id: int | None
    gameweek: str | None
    locks_at: datetime | None
    state: str

    @property
    def title(self) -> str:
        return FORMATS[self.format].title


def my_teams(member_id: int, now: datetime) -> list[MyTeam]:
    """Those that are still played first, the next deadline first.

    Then by season and rules, the newest first.
    """
    rows = db.session.execute(_MINE, {"member_id": member_id, "now": now})
    return [
        MyTeam(**row | {"leagues": tuple(row["leagues"])}) for row in map(dict, rows.mappings())
    ]


def my_team(member_id: int, team_rules_id: int, now: datetime) -> MyTeam | None:
    """The door to these team rules; None: they are not this member's."""
    return next(
        (one for one in my_teams(member_id, now) if one.team_rules_id == team_rules_id), None
    )


_MINE = text("""
    SELECT r.id AS team_rules_id, s.id AS season_id, s.name AS season, r.format, r.lock,
      r.time_zone, mine.leagues,
           mine.slug AS live_slug, w.id AS gameweek_id, w.name AS gameweek, w.locks_at,
           CASE WHEN t.is_carried IS NOT NULL THEN CASE WHEN t.is_carried THEN 'carried'
             ELSE 'saved' END
                WHEN EXISTS (SELECT FROM team_sheets e JOIN gameweeks v ON v.id = e.gameweek_id
                             WHERE e.member_id = :member_id AND e.team_rules_id = r.id
                               AND v.week < w.week)
                THEN 'carried' ELSE 'none' END AS state
    FROM team_rules r JOIN seasons s ON s.id = r.season_id
    JOIN (
      SELECT l.team_rules_id, array_agg(l.name ORDER BY l.is_overall, l.name, l.id) AS leagues,
             (array_agg(l.slug ORDER BY l.is_overall, l.name, l.id)
               FILTER (WHERE m.member_id IS NOT NULL))[1] AS slug
      FROM leagues l LEFT JOIN league_members m ON m.league_id = l.id AND m.member_id = :member_id
      WHERE m.member_id IS NOT NULL OR l.is_overall
      GROUP BY l.team_rules_id
    ) mine ON mine.team_rules_id = r.id
    LEFT JOIN LATERAL (
      SELECT w.id, w.name, w.week, d.locks_at FROM gameweeks w JOIN sheet_deadlines d
        ON d.gameweek_id = w.id
      WHERE d.team_rules_id = r.id AND d.locks_at > :now ORDER BY w.week LIMIT 1
    ) w ON true
    LEFT JOIN team_sheets t ON t.member_id = :member_id AND t.team_rules_id = r.id
      AND t.gameweek_id = w.id
    WHERE NOT s.is_simulated OR mine.slug IS NOT NULL
    ORDER BY w.locks_at NULLS LAST, s.id DESC, r.id DESC
""")

"""The team rules for which a member may pick a team: those of their and of overall leagues."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import text

from app.core.db import db
from app.fantasy.market.formats import format_named


@dataclass(frozen=True)
class MyTeam:
    """A member's team under some team rules.

    Attributes:
        leagues: The names of the member's leagues that play by these rules, the overall league
            even before the member has joined it.
        live_slug: A league of the member that shows the team.
        rules: The scoring of that league; None for a member of none.
        season_rules: The scoring of the season's overall league.
        gameweek: The gameweek that is open now; None after the last.
        locks_at: When it locks; if players lock one by one, when the last of them do.
        next_kickoff: If players lock one by one, the next kickoff of the team's own players, or of
            the gameweek without a saved team; None if all of them have begun.
        picks: The saved team, starters first, '' for an empty place; None without one.
        state: Its sheet is `saved`, `carried` (last gameweek's sheet plays again unless another is
            saved) or `none`.
    """

    team_rules_id: int
    season_id: int
    season: str
    format: str
    lock: str
    time_zone: str
    leagues: tuple[str, ...]
    live_slug: str | None
    rules: str | None
    season_rules: str
    gameweek_id: int | None
    gameweek: str | None
    locks_at: datetime | None
    next_kickoff: datetime | None
    picks: tuple[str, ...] | None
    state: str

    @property
    def empty_places(self) -> int:
        """How many starting places of the saved team are empty."""
        team_format = format_named(self.format)
        if self.picks is None or team_format.is_best_ball:
            return 0
        return self.picks[: len(team_format.starters)].count("")

    @property
    def title(self) -> str:
        """The title of the format."""
        return format_named(self.format).title


def my_teams(member_id: int, now: datetime) -> list[MyTeam]:
    """The member's teams: those that are still played by deadline, then the newest first."""
    rows = db.session.execute(MY_TEAMS, {"member": member_id, "now": now})
    return [
        MyTeam(**row | {"leagues": tuple(row["leagues"]), "picks": _picks(row["picks"])})
        for row in map(dict, rows.mappings())
    ]


def _picks(stored: list[str] | None) -> tuple[str, ...] | None:
    return None if stored is None else tuple(stored)


def my_team(member_id: int, team_rules_id: int, now: datetime) -> MyTeam | None:
    """The member's team under these rules; None if they may not play by them."""
    return next(
        (team for team in my_teams(member_id, now) if team.team_rules_id == team_rules_id), None
    )


# The rows of `my_teams`, with the fields of `MyTeam`.
MY_TEAMS = text("""
    SELECT r.id AS team_rules_id, s.id AS season_id, s.name AS season, s.rules AS season_rules,
      r.format, r.lock, r.time_zone, mine.leagues,
           mine.slug AS live_slug, mine.rules, w.id AS gameweek_id, w.name AS gameweek, w.locks_at,
           t.picks,
           CASE WHEN r.lock = 'game' THEN (
             SELECT min(g.kickoff) FROM games g LEFT JOIN game_states gs ON gs.game_id = g.id
             WHERE (g.competition, g.season, g.season_type, g.week)
                 = (w.competition, w.season, w.season_type, w.week)
               AND g.kickoff > :now
               AND coalesce(gs.status, 'scheduled') NOT IN ('postponed', 'cancelled')
               AND (t.picks IS NULL OR EXISTS (SELECT FROM footballers f
                 WHERE f.id = ANY(t.picks) AND f.club_id IN (g.home_id, g.away_id)))
           ) END AS next_kickoff,
           CASE WHEN t.is_carried IS NOT NULL THEN CASE WHEN t.is_carried THEN 'carried'
             ELSE 'saved' END
                WHEN EXISTS (SELECT FROM team_sheets e JOIN gameweeks v ON v.id = e.gameweek_id
                             WHERE e.member_id = :member AND e.team_rules_id = r.id
                               AND v.week < w.week)
                THEN 'carried' ELSE 'none' END AS state
    FROM team_rules r JOIN seasons s ON s.id = r.season_id
    JOIN (
      SELECT l.team_rules_id, array_agg(l.name ORDER BY l.is_overall, l.name, l.id) AS leagues,
             (array_agg(l.slug ORDER BY l.is_overall, l.name, l.id)
               FILTER (WHERE m.member_id IS NOT NULL))[1] AS slug,
             (array_agg(l.rules ORDER BY l.is_overall, l.name, l.id)
               FILTER (WHERE m.member_id IS NOT NULL))[1] AS rules
      FROM leagues l LEFT JOIN league_members m ON m.league_id = l.id AND m.member_id = :member
      WHERE m.member_id IS NOT NULL OR l.is_overall
      GROUP BY l.team_rules_id
    ) mine ON mine.team_rules_id = r.id
    LEFT JOIN LATERAL (
      SELECT w.id, w.name, w.competition, w.season, w.season_type, w.week, d.locks_at
      FROM gameweeks w JOIN sheet_deadlines d ON d.gameweek_id = w.id
      WHERE d.team_rules_id = r.id AND d.locks_at > :now
      ORDER BY w.deadline > :now, CASE WHEN w.deadline <= :now THEN -w.week ELSE w.week END LIMIT 1
    ) w ON true
    LEFT JOIN team_sheets t ON t.member_id = :member AND t.team_rules_id = r.id
      AND t.gameweek_id = w.id
    WHERE NOT s.is_simulated OR mine.slug IS NOT NULL
    ORDER BY w.locks_at NULLS LAST, s.id DESC, r.id DESC
""")

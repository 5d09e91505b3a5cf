"""Loads the plays behind a matchup's chance of winning. Reads only."""

from __future__ import annotations

from sqlalchemy import text

from app.core.db import db
from app.fantasy.projections.chance_line import ChanceLine, GameStep, chance_line
from app.fantasy.projections.teams import Outlook
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.scoring.rules import credit_points
from app.fantasy.standings.queries import LeagueRow

# What the players earned, what corrections took away from them, and every other minute the clock.
_STEPS = text("""
    WITH credits AS (
      SELECT game_id, player_id, play_number, event_number, revision, stat, amount, closed_by
      FROM ledger WHERE game_id = ANY(:games) AND player_id = ANY(:players)
        AND (closed_at IS NULL OR closed_by IS NOT NULL)
    )
    SELECT c.game_id, c.play_number, greatest(c.event_number, c.revision) AS event_number,
      c.revision AS correction, e.recorded_at, NULL::int AS period, NULL::int AS clock,
      c.player_id, c.stat, c.amount
    FROM credits c JOIN events e
      ON (e.game_id, e.event_number, e.revision) = (c.game_id, c.event_number, c.revision)
    UNION ALL
    SELECT c.game_id, c.play_number, c.closed_by, c.closed_by, e.recorded_at, NULL, NULL,
      c.player_id, c.stat, -c.amount
    FROM credits c JOIN events e ON (e.game_id, e.event_number) = (c.game_id, c.closed_by)
      AND e.revision = 0
    UNION ALL
    SELECT game_id, min(play_number), min(event_number), 0, min(start_timestamp), period,
      max(clock), NULL, NULL, 0
    FROM plays WHERE valid AND game_id = ANY(:games) GROUP BY game_id, period, clock / 120
    ORDER BY recorded_at, game_id, event_number
""")


def load_chance_line(
    league: LeagueRow, outlook: Outlook, members: tuple[int, int]
) -> ChanceLine | None:
    """The chance of the first of two members over all plays in one query; None without a play."""
    weeks = outlook.sheets.weeks
    players = {player for member in members for player in outlook.sheets.side(member).counts}
    games = {game for player in players if player in weeks for game in weeks[player].games}
    rules = rules_named(league.rules)
    rows = db.session.execute(_STEPS, {"games": sorted(games), "players": sorted(players)})
    return chance_line(
        outlook,
        members,
        [
            GameStep(
                game_id=row.game_id,
                play_number=row.play_number,
                event_number=row.event_number,
                correction=row.correction,
                points=credit_points(row.stat, row.amount, rules) if row.stat else 0,
                period=row.period,
                clock=row.clock,
                player_id=row.player_id,
            )
            for row in rows
        ],
    )

"""What corrections did to a team's points, as the member reads it (PRODUCT G1). Reads only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select, text, tuple_

from app.core.db import db
from app.fantasy.amounts import signed_points
from app.fantasy.scoring.picks import Pick
from app.fantasy.scoring.rules import ScoringRules, credit_points
from app.record import events as ev
from app.record.correction_words import NOTHING, bodies_of, corrected_by, told
from app.record.models import StatLine
from app.record.queries import names as names_of
from app.record.rules.statistics import LEVELS
from app.record.rules.team_defence import level_of

SHOWN = 10


@dataclass(frozen=True)
class Change:
    """One correction's effect on one footballer's points.

    `points`: as the team counts them, `-25.00` for a captain.
    """

    footballer_id: str
    name: str
    game_id: str
    points: str
    why: str
    at: datetime


# What a correction closed, what its own ruling opened, and what it reopened in place of something
# that it had closed.
_CHANGES = text("""
    WITH entries AS (
      SELECT l.*, again.closed_by AS reopened_by FROM ledger l
      LEFT JOIN ledger again ON (again.game_id, again.event_number, again.revision, again.player_id,
        again.stat)
        = (l.game_id, l.event_number, l.revision, l.player_id, l.stat)
          AND again.closed_at = l.opened_at
        AND again.id < l.id AND again.game_id = ANY(:games)
      WHERE l.game_id = ANY(:games) AND (CAST(:players AS text[]) IS NULL
        OR l.player_id = ANY(:players))
    ), moved AS (
      SELECT game_id, player_id, closed_by AS cause, stat, -amount AS amount, closed_at AS at
      FROM entries WHERE closed_by IS NOT NULL
      UNION ALL
      SELECT game_id, player_id, coalesce(reopened_by, revision), stat, amount, opened_at
      FROM entries WHERE reopened_by IS NOT NULL OR revision > 0
    )
    SELECT m.game_id, m.player_id, m.cause, m.stat, sum(m.amount)::int AS amount, max(m.at) AS at,
      e.body
    FROM moved m
    JOIN events e ON e.game_id = m.game_id AND e.event_number = m.cause AND e.revision = 0
    GROUP BY m.game_id, m.player_id, m.cause, m.stat, e.body
    ORDER BY at DESC, m.cause DESC, m.game_id, m.player_id
""")


Key = tuple[str, str, int]  # game, footballer, number of the correction


@dataclass(frozen=True)
class Effects:
    """What corrections did, by game, footballer and correction.

    `worth`: in thousandths; `at`: when.
    """

    worth: Mapping[Key, int]
    bodies: Mapping[Key, ev.Body]
    at: Mapping[Key, datetime]


def effects(games: Sequence[str], players: Sequence[str] | None, rules: ScoringRules) -> Effects:
    """Load the effects of all corrections of these games on these footballers, newest first.

    Some effects are worth nothing. `players` None: on all footballers.
    """
    rows = db.session.execute(_CHANGES, {"games": list(games), "players": players}).all()
    worth: dict[Key, int] = {}
    allowed: dict[Key, dict[str, int]] = {}
    bodies, at = {}, {}
    for row in rows:
        key = (row.game_id, row.player_id, row.cause)
        worth[key] = worth.get(key, 0) + credit_points(row.stat, row.amount, rules)
        if row.stat in LEVELS:
            allowed.setdefault(key, {})[row.stat] = row.amount
        bodies[key], at[key] = ev.body_from(row.body), row.at
    for key, points in _level_changes(allowed, rules).items():
        worth[key] += points
    return Effects(worth, bodies, at)


def _level_changes(allowed: Mapping[Key, Mapping[str, int]], rules: ScoringRules) -> dict[Key, int]:
    """What a D/ST's levels are worth now, less their worth without the correction.

    `allowed`: how many points and yards allowed each correction added.
    """
    if not allowed:
        return {}
    lines = db.session.execute(
        select(StatLine.game_id, StatLine.player_id, StatLine.stats).where(
            tuple_(StatLine.game_id, StatLine.player_id).in_(
                sorted({(game, player) for game, player, _ in allowed})
            )
        )
    )
    now = {(game, player): stats for game, player, stats in lines}
    worth = {}
    for (game, player, cause), added in allowed.items():
        stats = now.get((game, player), {})
        worth[game, player, cause] = sum(
            credit_points(level_of(stat, stats.get(stat, 0)), 1, rules)
            - credit_points(level_of(stat, stats.get(stat, 0) - amount), 1, rules)
            for stat, amount in added.items()
        )
    return worth


def changes(picks: Sequence[Pick], rules: ScoringRules) -> list[Change]:
    """The last SHOWN corrections that moved the points of these picks.

    Newest first, ties by game and footballer.
    """
    owned = {(game.game_id, pick.footballer_id): pick for pick in picks for game in pick.games}
    if not owned:
        return []
    all_effects = effects(
        sorted({game for game, _ in owned}), sorted({player for _, player in owned}), rules
    )
    counts = {key for key, pick in owned.items() if pick.multiplier}
    moved = [
        key for key, points in all_effects.worth.items() if points and (key[0], key[1]) in counts
    ][:SHOWN]
    corrected = corrected_by({(game, cause) for game, _, cause in moved})
    bodies = [all_effects.bodies[key] for key in moved]
    names = names_in([*bodies, *bodies_of(corrected)])
    return [
        Change(
            footballer_id=player,
            name=owned[game, player].name,
            game_id=game,
            points=signed_points(
                all_effects.worth[game, player, cause] * owned[game, player].multiplier
            ),
            why=told(
                all_effects.bodies[game, player, cause],
                names,
                corrected.get((game, cause), NOTHING),
            ),
            at=all_effects.at[game, player, cause],
        )
        for game, player, cause in moved
    ]


def names_in(bodies: Sequence[ev.Body]) -> Mapping[str, str]:
    """Load the names of the footballers in these bodies and their rulings."""
    return names_of({player for body in bodies for player in ev.players_of(body)})

"""Survivors: who is still in a survivor tournament, and the points of everybody (PRODUCT C2).

A survivor picks one team of each round. A pick that does not win, and a round without a pick, cost
a life; who has lost all is out, and picks of later rounds earn nothing. The counting starts with a
member's first pick. A match that is called off is neither right nor wrong, and a round counts as
missed once all its matches are settled or called off.

Points and exits follow from all rounds together, so they are counted anew with each settlement.
That keeps them right when a result is corrected.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import func, select, text

from app.accounts.sanctions import seen_player
from app.core.db import db
from app.predictions import points
from app.predictions.models import Round, TournamentPoints
from app.predictions.points import PointRule
from app.predictions.statuses import ABANDONED, VOID

_CALLED_OFF = f"(coalesce(m.fate, '') IN ('{VOID}', '{ABANDONED}') AND m.terms IS NULL)"

_RECOUNT = text(
    f"""
    WITH picks AS (
      SELECT DISTINCT ON (g.player_id, m.round_id) g.player_id, m.round_id,
        CASE WHEN m.terms IS NOT NULL
          THEN sign(g.home - g.away) = {points.outcome_sql("m.terms")} END AS is_right,
        CAST(m.terms->>'multiplier' AS integer) AS multiplier
      FROM guesses g JOIN matches m ON m.id = g.match_id
      WHERE m.tournament_id = :tournament_id AND m.merged_into_id IS NULL
      ORDER BY g.player_id, m.round_id, {_CALLED_OFF}, g.saved_at DESC
    ), complete AS (
      SELECT m.round_id FROM matches m
      WHERE m.tournament_id = :tournament_id AND m.merged_into_id IS NULL
      GROUP BY m.round_id
      HAVING bool_and(m.terms IS NOT NULL OR {_CALLED_OFF}) AND bool_or(m.terms IS NOT NULL)
    ), entrants AS (
      SELECT p.player_id, min(r.position) AS first
      FROM picks p JOIN rounds r ON r.id = p.round_id GROUP BY p.player_id
    ), counted AS (
      SELECT e.player_id, r.id, r.position, p.multiplier, p.is_right,
        sum(CASE WHEN NOT p.is_right OR (p.player_id IS NULL AND c.round_id IS NOT NULL)
          THEN 1 ELSE 0 END)
          OVER (PARTITION BY e.player_id ORDER BY r.position, r.id) AS lost
      FROM entrants e
      JOIN rounds r ON r.tournament_id = :tournament_id AND r.position >= e.first
      LEFT JOIN picks p ON p.player_id = e.player_id AND p.round_id = r.id
      LEFT JOIN complete c ON c.round_id = r.id
    ), totals AS (
      SELECT player_id,
        coalesce(sum(:winner * multiplier / {points.WHOLE}) FILTER (WHERE is_right
          AND lost < :lives), 0) AS points,
        (array_agg(id ORDER BY position, id) FILTER (WHERE lost >= :lives))[1] AS out_round_id
      FROM counted GROUP BY player_id
    )
    UPDATE tournament_points o SET points = t.points, out_round_id = t.out_round_id
    FROM totals t
    WHERE o.tournament_id = :tournament_id AND o.player_id = t.player_id
      AND (o.points, o.out_round_id) IS DISTINCT FROM (t.points, t.out_round_id)
    """  # noqa: S608 (made of our own words alone)
)


@dataclass(frozen=True)
class Exit:
    """The round in which a member went out."""

    name: str
    position: int


@dataclass(frozen=True)
class Field:
    """How many members are in, out of all who picked or joined a pool."""

    still_in: int
    members: int


def recount(tournament_id: UUID, rule: PointRule) -> None:
    """Count everybody's points and exits anew. Does not commit."""
    values = {"tournament_id": tournament_id, "winner": rule.winner, "lives": rule.lives}
    db.session.execute(_RECOUNT, values)


def exit_of(tournament_id: UUID, player_id: UUID | None) -> Exit | None:
    """Load the round in which the player went out; None if they are in."""
    row = db.session.execute(
        select(Round.name, Round.position)
        .join(TournamentPoints, TournamentPoints.out_round_id == Round.id)
        .where(
            TournamentPoints.tournament_id == tournament_id,
            TournamentPoints.player_id == player_id,
        )
    ).one_or_none()
    return None if row is None else Exit(*row)


def exits_of(tournament_id: UUID, player_ids: Collection[UUID]) -> dict[UUID, str]:
    """Load the names of the rounds in which these players went out, by player."""
    rows = db.session.execute(
        select(TournamentPoints.player_id, Round.name)
        .join(Round, Round.id == TournamentPoints.out_round_id)
        .where(
            TournamentPoints.tournament_id == tournament_id,
            TournamentPoints.player_id.in_(player_ids),
        )
    )
    return dict(rows.all())


def field(tournament_id: UUID) -> Field:
    """Count the members who are in, and all of them."""
    still_in = func.count().filter(TournamentPoints.out_round_id.is_(None))
    row = db.session.execute(
        select(still_in, func.count()).where(
            TournamentPoints.tournament_id == tournament_id,
            seen_player(TournamentPoints.player_id),
        )
    ).one()
    return Field(*row)

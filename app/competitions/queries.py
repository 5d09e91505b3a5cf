"""Reads of a live competition: tables, a player's place, cohorts, the ledger of rewards.

A table is computed by the rules of settlement: after a window it shows what was settled, and
between a correction and the next settlement what will be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import func, select

from app.competitions import declaration as declared
from app.competitions.models import (
    Competition,
    CompetitionEntry,
    CompetitionReward,
    CompetitionWindow,
)
from app.competitions.rules import Entrant, Result, settle_cohort
from app.competitions.tables import policy, seated
from app.core.db import db


@dataclass(frozen=True)
class TierCount:
    """Of a window."""

    tier: int
    players: int
    cohorts: int


def table(
    competition: Competition, window: CompetitionWindow, tier: int, cohort: int
) -> list[Result]:
    """A cohort in the board's order, those without a score last; empty where there is none."""
    rows = list(seated(competition, window, tier=tier, cohort=cohort))
    declaration = declared.read(competition.declaration)
    if not rows:
        return []
    return settle_cohort(
        declaration,
        policy(competition)[1],
        tier,
        [Entrant(row.player_id, row.score, row.key) for row in rows],
    )


def tier_counts(competition_id: UUID, number: int) -> list[TierCount]:
    """By tier, the lowest first; without empty ones."""
    query = (
        select(CompetitionEntry.tier, func.count(), func.count(CompetitionEntry.cohort.distinct()))
        .where(
            CompetitionEntry.competition_id == competition_id,
            CompetitionEntry.window_number == number,
        )
        .group_by(CompetitionEntry.tier)
        .order_by(CompetitionEntry.tier)
    )
    return [TierCount(*row) for row in db.session.execute(query)]


def ledger(
    competition_id: UUID, player_id: UUID | None, after: int, limit: int
) -> Sequence[CompetitionReward]:
    """Lines after that one, in the order in which they were written; of one player, or of all."""
    query = select(CompetitionReward).where(
        CompetitionReward.competition_id == competition_id, CompetitionReward.id > after
    )
    if player_id is not None:
        query = query.where(CompetitionReward.player_id == player_id)
    return db.session.scalars(query.order_by(CompetitionReward.id).limit(limit)).all()


def held(competition_id: UUID, player_id: UUID) -> dict[str, int]:
    """What the player holds of each reward in all windows, by its name.

    Without what came to nothing.
    """
    total = func.sum(CompetitionReward.amount)
    query = (
        select(CompetitionReward.reward, total)
        .where(
            CompetitionReward.competition_id == competition_id,
            CompetitionReward.player_id == player_id,
        )
        .group_by(CompetitionReward.reward)
        .having(total != 0)
        .order_by(CompetitionReward.reward)
    )
    return {reward: int(amount) for reward, amount in db.session.execute(query)}

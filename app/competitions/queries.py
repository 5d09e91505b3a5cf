"""Reads of a live competition: tables, a player's place, cohorts, the ledger of rewards.

A table is computed by the rules of settlement: after a window it shows what was settled, and
between a correction and the next settlement what that one will find.
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
    """The players of a tier in a window."""

    tier: int
    players: int
    cohorts: int


def table(
    competition: Competition, window: CompetitionWindow, tier: int, cohort: int
) -> list[Result]:
    """A cohort in the board's order, players without a score last; empty if it does not exist."""
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
    """The tiers of a window that have players, the lowest first."""
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
    """The lines after this one in the order in which they were written, of one player or of all."""
    query = select(CompetitionReward).where(
        CompetitionReward.competition_id == competition_id, CompetitionReward.id > after
    )
    if player_id is not None:
        query = query.where(CompetitionReward.player_id == player_id)
    return db.session.scalars(query.order_by(CompetitionReward.id).limit(limit)).all()


def held(competition_id: UUID, player_id: UUID) -> dict[str, int]:
    """The player's balance of each reward over all windows, without balances of 0."""
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

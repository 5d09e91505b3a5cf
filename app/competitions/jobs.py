"""The jobs of the competitions."""

from __future__ import annotations

from app.core.jobs import SETTLEMENT_QUEUE, JobType

SETTLE_COMPETITIONS = JobType(
    "workers.jobs.settle_competitions.run", SETTLEMENT_QUEUE, every_seconds=60
)

"""The jobs of draft leagues."""

from __future__ import annotations

from app.core.jobs import UPKEEP_QUEUE, JobType

REFRESH_RANKINGS = JobType("workers.jobs.refresh_rankings.run", UPKEEP_QUEUE, every_seconds=3600)

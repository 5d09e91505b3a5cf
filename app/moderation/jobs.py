"""The jobs of the moderation."""

from __future__ import annotations

from app.core.jobs import BOARDS_QUEUE, JobType

SHOW_SANCTIONS = JobType("workers.jobs.show_sanctions.run", BOARDS_QUEUE, every_seconds=60)

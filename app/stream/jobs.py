"""The jobs of the stream of events."""

from __future__ import annotations

from app.core.jobs import UPKEEP_QUEUE, JobType

ARCHIVE_STREAM = JobType("workers.jobs.archive_stream.run", UPKEEP_QUEUE, every_seconds=3600)

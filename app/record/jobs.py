"""The jobs of the record."""

from __future__ import annotations

from app.core.jobs import INGEST_QUEUE, JobType

INGEST_EVENTS = JobType("workers.jobs.ingest_events.run", INGEST_QUEUE)
APPLY_CORRECTION = JobType("workers.jobs.apply_correction.run", INGEST_QUEUE)

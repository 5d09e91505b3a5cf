"""The jobs of the accounts."""

from __future__ import annotations

from app.core.jobs import UPKEEP_QUEUE, JobType

MAIL_RESET = JobType("workers.jobs.mail_reset.run", UPKEEP_QUEUE)
MAIL_CONFIRMATION = JobType("workers.jobs.mail_confirmation.run", UPKEEP_QUEUE)

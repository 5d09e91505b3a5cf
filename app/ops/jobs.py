"""The jobs of the operators."""

from __future__ import annotations

from app.core.jobs import OPERATIONS_QUEUE, JobType

RUN_OPERATION = JobType("workers.jobs.run_operation.run", OPERATIONS_QUEUE)

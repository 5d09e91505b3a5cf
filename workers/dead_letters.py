"""Dead letters of jobs: one is written after a job's last try, and closed by a later success.

Called by the worker (rq_worker.py) around RQ's own accounting. If PostgreSQL is unavailable, the
scheduled sweep (workers/jobs/reconcile_predictions.py) does it later.
"""

from __future__ import annotations

import contextlib

import redis
import structlog
from rq.job import Job
from sqlalchemy.exc import SQLAlchemyError

from app.core import clock, jobs
from app.dead_letters import failed_jobs
from app.dead_letters.failed_jobs import FIRST_FAILED, KEPT, Failed
from workers import context

log = structlog.get_logger(__name__)


def after_failure(job: Job, error: BaseException) -> None:
    """Store a dead letter for a job with retries if this was its last try or no retry can help."""
    if job.retries_left is None:
        return
    now = clock.now()
    job.meta.setdefault(FIRST_FAILED, now.isoformat())
    failed = Failed.of(job, failed_jobs.cause_of(error), failed_jobs.words_of(error), now)
    if isinstance(error, jobs.PermanentJobError):
        job.retries_left = 0
    if job.retries_left == 0:
        try:
            with context.application().app_context():
                failed_jobs.keep(failed, now)
            job.meta[KEPT] = True
        except SQLAlchemyError as away:
            log.error(
                "dead_letter_not_kept", job_id=job.id, job=failed.job, reason=type(away).__name__
            )
    with contextlib.suppress(redis.RedisError):  # else the sweep checks the job once more
        job.save_meta()


def after_success(job: Job) -> None:
    """Record the success of a job for which a dead letter may exist."""
    if job.retries_left is None:
        return
    try:
        with context.application().app_context():
            failed_jobs.done(str(job.func_name), list(job.args), clock.now())
    except SQLAlchemyError as away:
        log.warning("dead_letter_not_closed", job_id=job.id, reason=type(away).__name__)

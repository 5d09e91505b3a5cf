"""Jobs that failed for good: stored in PostgreSQL, dropped, or sent again.

Only jobs with retries (jobs.send) become dead letters; the clock sends all others anew anyway. A
job that could not be stored, because PostgreSQL was down when it died, stays in RQ's registry of
failed jobs until `sweep`. Called by workers (workers/rq_worker.py) and by the clock. Other kinds of
dead letters are in letters.py.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog
from rq.exceptions import DeserializationError
from rq.job import Job
from sqlalchemy import select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import DBAPIError

from app.core import jobs
from app.core.db import db
from app.core.redis.clients import jobs_redis
from app.dead_letters import alerts
from app.dead_letters.models import DeadJob
from app.predictions.jobs import SETTLE_MATCHES
from app.predictions.models import Settlement
from app.predictions.settlement import requests

log = structlog.get_logger(__name__)

ARGUMENTS = "arguments"
FIRST_FAILED = "first_failed_at"  # key in the job's meta, like the next one
KEPT = "kept"  # whether its worker has stored it
SWEPT = "pressbox:swept:{}"  # the newest entry of the queue's registry that was swept
# the line of a traceback with the error
_ERROR = re.compile(r"(?:[a-z_]\w*\.)*([A-Z]\w+)(?:: (.*))?$")
MOST_ERROR = 500  # characters
SWEPT_AT_ONCE = 2000


@dataclass(frozen=True)
class Failed:
    """A job that is not tried again. `rq_id` and `attempts` are those of this run."""

    rq_id: str
    queue: str
    job: str
    arguments: list[Any]
    attempts: int
    first_failed_at: datetime
    cause: str
    error: str

    @classmethod
    def of(cls, job: Job, cause: str, error: str, now: datetime) -> Failed:
        """The failed job of RQ. Raises DeserializationError for a job that is not JSON."""
        tried_again = len(jobs.RETRY_AFTER_SECONDS) - (job.retries_left or 0)
        first = (job.meta or {}).get(FIRST_FAILED)
        return cls(
            job.id,
            job.origin,
            str(job.func_name),
            list(job.args),
            1 + tried_again,
            datetime.fromisoformat(first) if first else now,
            cause,
            _storable(error.strip()[:MOST_ERROR]),
        )

    @property
    def key(self) -> str:
        """What the job is about: failed jobs with the same key are one dead letter."""
        if self.job == SETTLE_MATCHES.name and len(self.arguments) == 1:
            try:
                return requests.read(self.arguments[0]).key
            except requests.BadPayload:
                pass  # the arguments have no key
        return hashlib.sha256(json.dumps(self.arguments, sort_keys=True).encode()).hexdigest()

    @property
    def payload(self) -> dict[str, Any]:
        """The only argument if it is an object, as of a settlement, otherwise all arguments."""
        if len(self.arguments) == 1 and isinstance(self.arguments[0], dict):
            return dict(_storable(self.arguments[0]))
        return {ARGUMENTS: _storable(self.arguments)}


def _storable(value: Any) -> Any:
    """The JSON value without what PostgreSQL cannot store: NUL and lone surrogates.

    One such job must not hold up a sweep.
    """
    if isinstance(value, str):
        return value.replace("\0", "\N{REPLACEMENT CHARACTER}").encode(errors="replace").decode()
    if isinstance(value, list):
        return [_storable(item) for item in value]
    if isinstance(value, dict):
        return {_storable(name): _storable(item) for name, item in value.items()}
    return value


def cause_of(error: BaseException) -> str:
    """The kind of error, for grouping; the database's own name, such as `LockNotAvailable`."""
    if isinstance(error, DBAPIError) and error.orig is not None:
        return type(error.orig).__name__
    return type(error).__name__


def words_of(error: BaseException) -> str:
    """The error in one line; the database's own message without the statement."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    return (str(cause).strip() or type(error).__name__).splitlines()[0]


def keep(failed: Failed, now: datetime) -> bool:
    """Store the job as a dead letter and alert operators; returns whether it is new.

    Commits. Raises SQLAlchemyError.
    """
    values = {
        "queue": failed.queue,
        "payload": failed.payload,
        "cause": failed.cause,
        "error": failed.error,
        "attempts": failed.attempts,
        "died_at": now,
        "done_at": None,
        "rq_id": failed.rq_id,
    }
    again = values | {"attempts": DeadJob.attempts + failed.attempts}
    letter_id = db.session.execute(
        insert(DeadJob)
        .values(job=failed.job, key=failed.key, first_failed_at=failed.first_failed_at, **values)
        .on_conflict_do_update(
            index_elements=["job", "key"], set_=again, where=DeadJob.rq_id != failed.rq_id
        )
        .returning(DeadJob.id)
    ).scalar_one_or_none()
    if letter_id is not None:
        if failed.job == SETTLE_MATCHES.name:
            requests.give_up(failed.key)
        alerts.notify_operators(failed.job, failed.cause, now)
    db.session.commit()
    if letter_id is not None:
        log.error(
            "dead_letter",
            dead_letter=f"job-{letter_id}",
            job=failed.job,
            key=failed.key,
            cause=failed.cause,
            reason=failed.error,
            attempts=failed.attempts,
        )
    return letter_id is not None


def done(job: str, arguments: list[Any], now: datetime) -> int:
    """Close the dead letters of a job that has succeeded since; returns how many.

    Commits.
    """
    key = Failed("", "", job, arguments, 0, now, "", "").key
    which = (DeadJob.job == job, DeadJob.key == key, DeadJob.done_at.is_(None))
    result = db.session.execute(update(DeadJob).where(*which).values(done_at=now))
    db.session.commit()
    return int(result.rowcount)  # type: ignore[attr-defined]


def close_settled(now: datetime) -> int:
    """Close dead settlements that a later settlement has covered; returns how many.

    Call it once every projection is up to date. Commits.
    """
    settled = select(Settlement.key).where(Settlement.state.in_(("applied", "withdrawn")))
    which = (
        DeadJob.job == SETTLE_MATCHES.name,
        DeadJob.done_at.is_(None),
        DeadJob.key.in_(settled),
    )
    result = db.session.execute(update(DeadJob).where(*which).values(done_at=now))
    db.session.commit()
    return int(result.rowcount)  # type: ignore[attr-defined]


def sweep(queue: str, now: datetime) -> int:
    """Store failed jobs in RQ that no worker could store; returns how many.

    Repeating it changes nothing. Raises redis.RedisError and SQLAlchemyError; the next sweep then
    starts where this one did.
    """
    registry = jobs.queue(queue).failed_job_registry
    mark, count = SWEPT.format(queue), 0
    last = float(jobs_redis().get(mark) or 0)
    entries: Any = jobs_redis().zrangebyscore(
        registry.key, last, "+inf", 0, SWEPT_AT_ONCE, withscores=True
    )
    ids = [raw.decode() for raw, _ in entries]
    for (_, score), job in zip(
        entries, Job.fetch_many(ids, jobs_redis(), serializer=jobs.JsonSerializer), strict=True
    ):
        if (
            job is not None
            and job.retries_left is not None
            and not (job.meta or {}).get(KEPT)
            and not jobs.is_lost(job)
        ):
            # not one of our jobs: its worker has logged it
            with contextlib.suppress(DeserializationError):
                count += keep(Failed.of(job, *_last_words(job), now), now)
        jobs_redis().set(mark, score, ex=jobs.FAILURE_SECONDS)
    return count


def _last_words(job: Job) -> tuple[str, str]:
    """Cause and error of the last try, from RQ's traceback."""
    result = job.latest_result()
    for line in reversed((result.exc_string or "").splitlines() if result else []):
        if match := _ERROR.match(line):
            return match[1], match[2] or match[1]
    return "Abandoned", "its worker stopped halfway"


def send_again(dead: DeadJob, now: datetime) -> None:
    """Count the replay, commit, and send the job.

    Raises RedisAway; the replay is counted then, and the job may be sent again.
    """
    dead.replays += 1
    dead.replayed_at = now
    is_waiting = dead.job == SETTLE_MATCHES.name and requests.take_up(dead.key, now)
    db.session.commit()
    if is_waiting and requests.send([dead.key]):
        return
    jobs.send(jobs.JobType(dead.job, dead.queue), *dead.payload.get(ARGUMENTS, [dead.payload]))

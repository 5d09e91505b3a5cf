"""Jobs that failed for good: kept in PostgreSQL, given up, and sent again.

Only jobs that were sent to be tried again (jobs.send) become dead letters; all others are sent by
the clock anew. One that could not be kept, because PostgreSQL was away when it died, stays in RQ's
registry of failed jobs until `sweep`. Called by workers (workers/rq_worker.py) and by the clock.
Not here: other kinds of dead letters (letters.py).
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
FIRST_FAILED = "first_failed_at"  # in the job's meta, as is:
KEPT = "kept"  # its worker has kept it
SWEPT = "pressbox:swept:{}"  # by queue: the registry's newest entry that was looked at
# the line of a traceback that names the error
_ERROR = re.compile(r"(?:[a-z_]\w*\.)*([A-Z]\w+)(?:: (.*))?$")
MOST_ERROR = 500  # characters
SWEPT_AT_ONCE = 2000


@dataclass(frozen=True)
class Failed:
    """A job that is not tried again. `rq_id`: of this run of it; `attempts`: of this run."""

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
        """Raises DeserializationError for a job that is not JSON."""
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
        """What the job is about: a failed job of the same key is the same dead letter."""
        if self.job == SETTLE_MATCHES.name and len(self.arguments) == 1:
            try:
                return requests.read(self.arguments[0]).key
            except requests.BadPayload:
                pass  # it has no key of its own
        return hashlib.sha256(json.dumps(self.arguments, sort_keys=True).encode()).hexdigest()

    @property
    def payload(self) -> dict[str, Any]:
        """The one argument where it is an object, as of a settlement; else all of them."""
        if len(self.arguments) == 1 and isinstance(self.arguments[0], dict):
            return dict(_storable(self.arguments[0]))
        return {ARGUMENTS: _storable(self.arguments)}


def _storable(value: Any) -> Any:
    """JSON without what PostgreSQL cannot hold: NUL, and half of a character.

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
    """The kind of error, for grouping: of the database its own, as `LockNotAvailable`."""
    if isinstance(error, DBAPIError) and error.orig is not None:
        return type(error.orig).__name__
    return type(error).__name__


def words_of(error: BaseException) -> str:
    """One line; of the database its own words, without the statement."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    return (str(cause).strip() or type(error).__name__).splitlines()[0]


def keep(failed: Failed, now: datetime) -> bool:
    """Keeps it as a dead letter and alerts; returns whether it was not kept before.

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
    """Notes that the job went well, should there be a dead letter of it; returns how many.

    Commits.
    """
    key = Failed("", "", job, arguments, 0, now, "", "").key
    which = (DeadJob.job == job, DeadJob.key == key, DeadJob.done_at.is_(None))
    result = db.session.execute(update(DeadJob).where(*which).values(done_at=now))
    db.session.commit()
    return int(result.rowcount)  # type: ignore[attr-defined]


def close_settled(now: datetime) -> int:
    """Notes those dead settlements as done that another settlement has settled with its own.

    Returns how many.

    Call it when every projection is made good. Commits.
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
    """Keeps what RQ holds as failed and no worker could keep; returns how many.

    Twice changes nothing.

    Raises redis.RedisError, SQLAlchemyError; then the next sweep begins where this one did.
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
            # somebody else's: its worker has logged it
            with contextlib.suppress(DeserializationError):
                count += keep(Failed.of(job, *_last_words(job), now), now)
        jobs_redis().set(mark, score, ex=jobs.FAILURE_SECONDS)
    return count


def _last_words(job: Job) -> tuple[str, str]:
    """Cause and error of the last try, as RQ wrote them down."""
    result = job.latest_result()
    for line in reversed((result.exc_string or "").splitlines() if result else []):
        if match := _ERROR.match(line):
            return match[1], match[2] or match[1]
    return "Abandoned", "its worker ended in the middle of it"


def send_again(dead: DeadJob, now: datetime) -> None:
    """Counts the replay, commits, and sends the job.

    Raises RedisAway: then it is counted, and may be sent again.
    """
    dead.replays += 1
    dead.replayed_at = now
    is_waiting = dead.job == SETTLE_MATCHES.name and requests.take_up(dead.key, now)
    db.session.commit()
    if is_waiting and requests.send([dead.key]):
        return
    jobs.send(jobs.JobType(dead.job, dead.queue), *dead.payload.get(ARGUMENTS, [dead.payload]))

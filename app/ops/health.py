"""Whether every part is up and gets its work done, and what to do if not.

/healthz, `pressbox doctor` and `pressbox up` use this. Queues are judged in work.py, versions in
versions.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import redis
import structlog
from kafka import KafkaAdminClient
from kafka.errors import (
    KafkaConnectionError,
    KafkaError,
    KafkaTimeoutError,
    RequestTimedOutError,
)
from sqlalchemy import text
from sqlalchemy.exc import InterfaceError, OperationalError, SQLAlchemyError

from app.audit.rights import rights
from app.core import clock, jobs
from app.core.db import db, read_replica
from app.core.errors import one_line
from app.core.plurals import counted
from app.core.redis.clients import boards_redis, jobs_redis
from app.dead_letters import alerts
from app.embedded.stack import running
from app.ops import lag, versions, waits, work, writing
from app.settings import Settings
from app.stream.kafka import AnswerTimeoutError, ask_for_page, connection, page_timeouts

HEARTBEATS = "pressbox:heartbeat:{}:*"
UNHEARD_SECONDS = 90  # after a start of Redis, because RQ's workers report once a minute
# The module of each process, by the name in its heartbeat.
PROCESSES = {
    "relay": "workers.relay",
    "bridge": "workers.bridge",
    "scores": "workers.scores",
    "verifier": "workers.verifier",
    "scheduler": "workers.schedule",
}
# Logs under `pressbox up` whose name differs from the part's (workers/supervisor/processes.py).
LOGS = {
    "relay": "worker",
    "bridge": "worker",
    "scheduler": "upkeep",
    "verifier": "upkeep",
    "ingest": "worker",
    "settlement": "refresh",
    "webhooks": "upkeep",
    "providers": "upkeep",
    "operations": "upkeep",
    "drafts": "upkeep",
}
log = structlog.get_logger(__name__)

# By the address of the brokers: connecting takes longer than asking.
_admins: dict[str, KafkaAdminClient] = {}


@dataclass(frozen=True)
class Part:
    """The state of a part.

    Attributes:
        name: Of the part.
        up: Whether it works.
        detail: A figure, or what is wrong.
        remedy: The next step if it is down, with a command.
        needs_look: It is up, but an operator has to look at it.
        because_of: What happened elsewhere and explains that it is down.
    """

    name: str
    up: bool
    detail: str = ""
    remedy: str = ""
    needs_look: bool = False
    because_of: str = ""


def check_all(settings: Settings) -> list[Part]:
    """Check every part, in the order of recovery. Takes a few seconds at most."""
    remedies = _Remedies(settings)
    parts = [
        _check(
            "postgres",
            lambda: _postgres(settings),
            remedies.store("postgres", "DATABASE_URL", "scoring waits meanwhile"),
        ),
        _check(
            "redis",
            _redis,
            remedies.store("valkey", "REDIS_URL", "tables are read from PostgreSQL meanwhile"),
        ),
        _check(
            "kafka",
            lambda: _kafka(settings),
            remedies.store(
                "broker", "KAFKA_BOOTSTRAP_SERVERS", "entries wait in the outbox meanwhile"
            ),
        ),
        _check(
            "consumer lag",
            lambda: _lag(settings),
            "Check Kafka first. `/ops/stream` shows each partition.",
        ),
        *(
            _check(name, lambda name=name: _beating(name), remedies.process(name, module))  # type: ignore[misc]
            for name, module in PROCESSES.items()
        ),
        *(
            _check(
                f"workers {kind}",
                lambda kind=kind: _workers(kind),  # type: ignore[misc]
                remedies.process(kind, f"workers.rq_worker {kind}"),
            )
            for kind in jobs.WORKER_KINDS
        ),
    ]
    parts += [
        _check(f"queue {name}", lambda name=name: _queue(name), remedies.queue())  # type: ignore[misc]
        for name in jobs.QUEUES
    ]
    if settings.database_read_url:
        parts.append(
            _check(
                "read replica",
                _replica,
                "Start it or correct DATABASE_READ_URL. The primary answers meanwhile.",
            )
        )
    parts.append(
        _check(
            "audit",
            _audit,
            "Then find out who switched them off. The audit log shows who signed in.",
        )
    )
    # They need an operator, and nothing is down because of them.
    parts.append(_check("dead letters", _dead_letters, "They are in PostgreSQL: see above."))
    parts.append(
        _check("open transactions", _open_transactions, "They are in PostgreSQL: see above.")
    )
    return _explained(parts)


def _explained(parts: list[Part]) -> list[Part]:
    """The parts, with what is down because jobs cannot write to PostgreSQL."""
    postgres = next(part for part in parts if part.name == "postgres")
    if postgres.up:
        return parts
    cause = f"PostgreSQL {postgres.detail}"
    return [
        replace(part, because_of=cause)
        if part.name.startswith("queue ") and not part.up and not part.because_of
        else part
        for part in parts
    ]


class _Remedies:
    """How a part recovers: `pressbox up` restarts what died, otherwise the operator does."""

    def __init__(self, settings: Settings) -> None:
        stack = running(settings)
        self.supervised = stack is not None
        self.embedded = {
            "postgres": bool(stack and stack.database_url),
            "valkey": bool(stack and stack.redis_url),
            "broker": bool(stack and stack.kafka),
        }
        self.logs = settings.var.resolve() / "logs"

    def store(self, name: str, setting: str, meanwhile: str) -> str:
        if self.embedded[name]:
            return (
                f"It restarts automatically; {meanwhile}. If it stays down, see "
                f"{self.logs / name}.log, end "
                "`make run` with Ctrl-C and start it again: `make run`."
            )
        service = {"postgres": "postgresql", "valkey": "redis-server", "broker": "kafka"}[name]
        return (
            f"Start it, e.g. with `systemctl start {service}`, or correct {setting}; {meanwhile}."
        )

    def process(self, name: str, module: str) -> str:
        if self.supervised:
            log = self.logs / LOGS.get(name, name)
            return (
                f"It restarts automatically. If it stays down, its log says why: `tail {log}*.log`."
            )
        return (
            f"Start it: `python -m {module}`. Its work is waiting. If it is running, its log says "
            "what holds it up."
        )

    def queue(self) -> str:
        logs = " ".join(
            str(self.logs / name) for name in ("worker-*.log", "refresh.log", "upkeep.log")
        )
        where = f"`grep -hi error {logs} | tail`" if self.supervised else "the workers' log"
        return f"The cause is in {where}. After an update, run `pressbox migrate`."


class _DownError(Exception):
    """The text says what is wrong."""


class _UnheardError(_DownError):
    """Nothing is known of a process, because of its Redis; the text says what happened there."""


class _AttentionError(Exception):
    """It is up; the text says what an operator has to look at."""


def _check(name: str, look: Callable[[], str], remedy: str) -> Part:
    try:
        return Part(name, True, detail=look())
    except _AttentionError as attention:
        return Part(name, True, detail=str(attention), needs_look=True)
    except _UnheardError as error:
        return Part(
            name,
            False,
            f"no report: {error}",
            f"Wait for it to report again. {remedy}",
            False,
            str(error),
        )
    except versions.TooOldError as error:
        detail, remedy = "too old", str(error)
    except writing.NoWritesError as error:
        detail, remedy = str(error), error.remedy
    except _DownError as error:
        detail = str(error)
    except (SQLAlchemyError, redis.RedisError, KafkaError, OSError) as error:
        return Part(name, False, _in_words(error), remedy, because_of=_store_away(name, error))
    return Part(name, False, detail, remedy)


def _in_words(error: Exception) -> str:
    unreachable = (OperationalError, InterfaceError, redis.ConnectionError, redis.TimeoutError)
    if isinstance(error, (*unreachable, OSError, KafkaConnectionError, KafkaTimeoutError)):
        return "does not answer"
    log.warning("part_answered_with_an_error", reason=one_line(error))
    return "answered with an error"


def _store_away(name: str, error: Exception) -> str:
    """Return the store that explains why nothing is known of a part.

    Empty for the store itself, and if no store explains it.
    """
    for store, title, kind in (
        ("postgres", "PostgreSQL", SQLAlchemyError),
        ("redis", "Redis", redis.RedisError),
        ("kafka", "Kafka", KafkaError),
    ):
        if isinstance(error, kind) and name != store:
            return f"{title} does not answer"
    return ""


def _postgres(settings: Settings) -> str:
    try:
        version = versions.postgres_version()
        if not settings.database_direct_url and versions.is_pooled():
            raise _DownError(
                "DATABASE_URL leads to a pooler: set DATABASE_DIRECT_URL to the database itself"
            )
        waiting = db.session.scalar(
            text("SELECT count(*) FROM outbox WHERE published_at IS NULL AND NOT is_practice")
        )
        writing.write_to_postgres()
    finally:
        db.session.rollback()
    return f"PostgreSQL {version}, {counted(waiting or 0, 'event')} waiting in the outbox"


def _replica() -> str:
    try:
        return f"{read_replica.seconds_behind()} s behind"
    except read_replica.ReplicaUnavailableError as error:
        raise _DownError(str(error)) from error
    finally:
        db.session.rollback()


def _audit() -> str:
    try:
        protection = rights()
    finally:
        db.session.rollback()
    if not protection.by_triggers:
        raise _DownError(protection.sentence)
    return protection.sentence


def _dead_letters() -> str:
    try:
        counts = alerts.waiting()
    finally:
        db.session.rollback()
    if not counts:
        return "none"
    raise _AttentionError(
        ", ".join(f"{count} of {kind}" for kind, count in counts.items())
        + ": `pressbox dead-letters list`"
    )


def _open_transactions() -> str:
    try:
        oldest = waits.oldest_transaction()
    finally:
        db.session.rollback()
    if oldest is None:
        return "none"
    if oldest.is_long:
        raise _AttentionError(oldest.sentence)
    return f"the oldest has been open for {oldest.seconds:.0f} s"


def _redis() -> str:
    version = versions.redis_version(jobs_redis(), "REDIS_URL")
    for client in (jobs_redis(), boards_redis()):
        writing.write_to_redis(client)
    return version


def _kafka(settings: Settings) -> str:
    try:
        count = ask_for_page(settings, lambda: _topics(settings))
    # either we or Kafka's client gave up
    except (AnswerTimeoutError, KafkaTimeoutError, RequestTimedOutError) as error:
        raise _DownError("does not answer") from error
    return f"{count} topics"


def _lag(settings: Settings) -> str:
    try:
        return f"{counted(lag.behind(lag.lags(settings)), 'message')} behind"
    except AnswerTimeoutError as error:
        raise _DownError(f"unknown: {error}") from error


def _topics(settings: Settings) -> int:
    """Count the topics, with a client that no other thread uses meanwhile."""
    admin = _admins.pop(settings.kafka, None) or KafkaAdminClient(
        **connection(settings), **page_timeouts(settings)
    )
    try:
        count = len(admin.list_topics())
    except (KafkaError, OSError):
        admin.close()
        raise
    if _admins.setdefault(settings.kafka, admin) is not admin:
        admin.close()
    return count


def is_running(name: str) -> bool:
    """Whether a process of PROCESSES has reported lately."""
    pattern = HEARTBEATS.format(name)
    return next(jobs_redis().scan_iter(pattern, count=1000), None) is not None


def _beating(name: str) -> str:
    """Say how many processes run.

    A heartbeat is '<seconds since 1970>', followed by the time since when a process has worked on
    the same thing, if it does.
    """
    client = jobs_redis()
    keys = list(client.scan_iter(HEARTBEATS.format(name), count=1000))
    beats = [beat.split() for beat in (client.mget(keys) if keys else []) if beat]
    if not beats:
        raise _not_running(client)
    stuck = max((time.time() - float(beat[1]) for beat in beats if len(beat) > 1), default=0.0)
    if stuck > work.STUCK_SECONDS:
        raise _DownError(f"has made no progress for {stuck:.0f} s")
    return f"{len(beats)} running"


def _workers(kind: str) -> str:
    """Say how many run; a killed one counts until its entry in Redis expires, within minutes."""
    count = min(work.workers_of(jobs_redis(), queue) for queue in jobs.WORKER_KINDS[kind])
    if count == 0:
        raise _not_running(jobs_redis())
    return f"{count} running"


def _not_running(client: redis.Redis) -> _DownError:
    """Return the error; a start of Redis loses all signs of life, so that nothing is known yet."""
    try:
        writing.write_to_redis(client)
    except writing.NoWritesError as error:
        return _UnheardError(f"Redis {error}")
    info: Any = client.info("server")
    seconds = int(info["uptime_in_seconds"])
    if seconds > UNHEARD_SECONDS:
        return _DownError("not running")
    at = clock.now() - timedelta(seconds=seconds)
    return _UnheardError(f"Redis was started at {at:%H:%M:%S} UTC and holds nothing from before")


def _queue(name: str) -> str:
    if trouble := work.trouble(jobs_redis(), name):
        raise _DownError(trouble)
    return "jobs are done"

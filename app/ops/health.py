"""Is everything up? One state a part, for /healthz, `pressbox doctor` and the start of `make run`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import redis
from flask import current_app
from kafka import KafkaAdminClient
from kafka.errors import KafkaError
from rq import Worker
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from app.core.db import db
from app.core.redis import jobs_redis
from app.settings import Settings

HEARTBEATS = "pressbox:heartbeat:{}:*"


@dataclass(frozen=True)
class Part:
    """`remedy` is the next step when it is down; `detail` a figure when it is up."""

    name: str
    up: bool
    detail: str = ""
    remedy: str = ""


def check_all(settings: Settings) -> list[Part]:
    """Every part, in the order in which to mend them. Takes a few seconds at most."""
    return [
        _check("postgres", _postgres, "Start PostgreSQL or mend DATABASE_URL; scoring waits meanwhile."),
        _check("redis", _redis, "Start Redis or mend REDIS_URL; tables are read from PostgreSQL meanwhile."),
        _check(
            "kafka",
            lambda: _kafka(settings),
            "Start Kafka or mend KAFKA_BOOTSTRAP_SERVERS; entries wait in the outbox meanwhile.",
        ),
        _check("relay", lambda: _beating("relay"), "Start it: `python -m workers.relay` (its log tells why it ended)."),
        _check("bridge", lambda: _beating("bridge"), "Start it: `python -m workers.bridge`."),
        _check("scores", lambda: _beating("scores"), "Start it: `python -m workers.scores`; scores wait in Kafka."),
        _check("workers", _workers, "Start one: `python -m workers.rq_worker ingest` (and refresh, upkeep)."),
    ]


class _Down(Exception):
    pass


def _check(name: str, look: Callable[[], str], remedy: str) -> Part:
    try:
        return Part(name, True, detail=look())
    except (_Down, SQLAlchemyError, redis.RedisError, KafkaError, OSError) as error:
        return Part(name, False, detail=type(error).__name__.lstrip("_").lower(), remedy=remedy)


def _postgres() -> str:
    try:
        waiting = db.session.scalar(text("SELECT count(*) FROM outbox WHERE published_at IS NULL AND NOT is_practice"))
    finally:
        db.session.rollback()
    return f"{waiting} events waiting in the outbox"


def _redis() -> str:
    jobs_redis().ping()
    return "answers"


def _kafka(settings: Settings) -> str:
    admin: KafkaAdminClient | None = current_app.extensions.get("kafka_admin")
    if admin is None:
        admin = KafkaAdminClient(
            bootstrap_servers=settings.kafka_servers, request_timeout_ms=2000, bootstrap_timeout_ms=2000
        )
        current_app.extensions["kafka_admin"] = admin
    try:
        return f"{len(admin.list_topics())} topics"
    except (KafkaError, OSError):
        current_app.extensions.pop("kafka_admin", None)
        admin.close()
        raise


def _beating(name: str) -> str:
    count = sum(1 for _ in jobs_redis().scan_iter(HEARTBEATS.format(name), count=1000))
    if count == 0:
        raise _Down
    return f"{count} running"


def _workers() -> str:
    count = Worker.count(connection=jobs_redis())
    if count == 0:
        raise _Down
    return f"{count} running"

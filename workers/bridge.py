"""From Kafka to the RQ workers: a poll becomes one job a partition; offsets are committed last (PRODUCT A7).

A message without a valid signature is a dead letter and goes no further.

The group `ingestion` shares the partitions out; a spare bridge takes over those of a dead one and begins at
the last committed offset, so messages may come twice but never not at all.
Run it with `python -m workers.bridge`.
"""

from __future__ import annotations

import time

import redis
import structlog
from flask import Flask
from kafka import TopicPartition
from kafka.consumer.fetcher import ConsumerRecord
from kafka.errors import KafkaError
from rq.job import Job
from rq.results import Result
from sqlalchemy.exc import SQLAlchemyError

from app import create_worker_app
from app.core import clock, jobs
from app.core.errors import one_line
from app.core.timeouts import Use
from app.embedded.stack import with_running_stack
from app.setting_reading import settings_from_env
from app.settings import Settings
from app.stream.kafka import ensure_topics, ingestion_consumer
from app.stream.signing import StreamKeys
from app.stream.topics import GAME_EVENTS
from app.stream.verification import Verifier, message_of
from workers import group
from workers.process import Process, progress

log = structlog.get_logger(__name__)

POLL_MS = 500
JOB_SECONDS = 30  # for all jobs of a poll; then the same messages are sent again
WAIT_SLICE_SECONDS = 2  # below the Redis client's socket timeout
RETRY_SECONDS = 1.0

Records = dict[TopicPartition, list[ConsumerRecord]]


class NotIngested(Exception):
    """The job failed or was lost; the messages are taken again from the committed offset."""


def hand_over(records: Records, process: Process) -> None:
    """Gives each partition's records to a worker and waits until all are in PostgreSQL.

    Raises NotIngested when one is not: nothing of this poll may be committed then.
    """
    sent: list[tuple[TopicPartition, Job]] = []
    for place, messages in records.items():
        payload = [message_of(message).to_json() for message in messages]
        sent.append((place, jobs.send_once(jobs.INGEST_QUEUE, jobs.INGEST_EVENTS, payload, timeout=JOB_SECONDS)))
    deadline = time.monotonic() + JOB_SECONDS
    try:
        for place, job in sent:
            result = _wait(job, deadline, process)
            if result is None or result.type != Result.Type.SUCCESSFUL:
                raise NotIngested(f"partition {place.partition}: job {job.id} {'lost' if result is None else 'failed'}")
    except NotIngested:
        for _, job in sent:  # these messages are sent again: what no worker has begun must not pile up
            jobs.forget_waiting(job)
        raise


def _wait(job: Job, deadline: float, process: Process) -> Result | None:
    """The job's result; None when it is not there in time or this process is to stop."""
    while time.monotonic() < deadline and not process.stopping.is_set():
        if (result := job.latest_result(timeout=WAIT_SLICE_SECONDS)) is not None:
            return result
    return None


def work(settings: Settings, process: Process, app: Flask) -> None:
    """One life of the bridge: joins the group and hands over until stopped. Raises when Kafka goes away.

    A poll that was not ingested is taken again from its first message, without leaving the group.
    """
    ensure_topics(settings)
    verifier = Verifier(StreamKeys.of(settings))
    consumer = ingestion_consumer(settings, GAME_EVENTS)
    consumer.subscribe([GAME_EVENTS.name], listener=group.LogPartitions())
    try:
        with app.app_context():
            while not process.stopping.is_set():
                records = consumer.poll(timeout_ms=POLL_MS)
                if not records:
                    continue
                progress.begin()
                try:
                    hand_over(_ours(verifier, records), process)
                    group.commit(consumer, {place: messages[-1].offset + 1 for place, messages in records.items()})
                    progress.done()
                except (NotIngested, redis.RedisError, SQLAlchemyError) as error:
                    log.warning("again", reason=one_line(error))
                    group.take_again(consumer, {place: messages[0].offset for place, messages in records.items()})
                    process.stopping.wait(RETRY_SECONDS)
    except (KafkaError, OSError):
        consumer.close(autocommit=False)
        raise
    # Stopped: the process ends without leaving the group, as a killed one does, and the broker gives its partitions
    # away after the session timeout. The embedded broker's group gets stuck for good when a member leaves while
    # another stays (docs/decisions/0005).


def _ours(verifier: Verifier, records: Records) -> Records:
    """By partition, the records with a valid signature; the others are dead letters now."""
    found = {place: verifier.ours(messages, clock.now()) for place, messages in records.items()}
    return {place: messages for place, messages in found.items() if messages}


def main() -> None:
    settings = with_running_stack(settings_from_env())
    process = Process("bridge", settings)
    app = create_worker_app(settings, Use.INGEST)
    while not process.stopping.is_set():
        try:
            work(settings, process, app)
        except (KafkaError, OSError) as error:
            log.warning("waiting", reason=one_line(error))
            process.stopping.wait(RETRY_SECONDS)


if __name__ == "__main__":
    main()

"""Passes messages from Kafka to the RQ workers: each poll becomes a few jobs of whole partitions.

Offsets are committed last (PRODUCT A7). While the workers process a poll, the bridge reads the next
one. It enqueues those records only after it has committed the previous offsets, so that the events
of a game stay in order. A message without a valid signature becomes a dead letter and is not
ingested.

The group `ingestion` distributes the partitions. A spare bridge takes over those of a dead one and
begins at the last committed offset, so messages may be delivered twice but are never lost. Run it
with `python -m workers.bridge`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import redis
import structlog
from kafka import TopicPartition
from kafka.consumer.fetcher import ConsumerRecord
from kafka.errors import KafkaError
from rq.job import Job
from rq.results import Result
from sqlalchemy.exc import SQLAlchemyError

from app import create_worker_app
from app.core import clock, jobs
from app.core.errors import one_line
from app.core.postgres.timeouts import Use
from app.core.redis.clients import jobs_redis
from app.dead_letters.alerts import tell_of_replaced_topic
from app.embedded.stack import with_running_stack
from app.record.jobs import INGEST_EVENTS
from app.setting_reading import settings_from_env
from app.stream.announcements import announcements_of
from app.stream.kafka import INGESTION_RECORDS, TopicIds, ensure_topics, ingestion_consumer
from app.stream.refused_messages import Verifier, message_of
from app.stream.republish import republish_all
from app.stream.signing import StreamKeys
from app.stream.topics import GAME_EVENTS
from workers import context
from workers.group import Member, Records, TopicReplacedError
from workers.process import Process, Progress, progress

log = structlog.get_logger(__name__)

POLL_MS = 1_000
JOB_RECORDS = (
    # Partitions of a poll share a job until it has this many records, because a short job costs
    # hardly less than a long one.
    1_000
)
JOB_SECONDS = 30  # for all jobs of a poll; after that the messages are sent again
WAIT_SLICE_SECONDS = 2  # below the Redis client's socket timeout
RETRY_SECONDS = 1.0


class IngestionError(Exception):
    """The job failed or was lost; the messages are read again from the committed offset."""


def shares(records: Records, *, together: int) -> list[list[ConsumerRecord]]:
    """Split the records into jobs: whole partitions until a job has `together` records.

    If `together` is 1, each partition becomes a job.
    """
    parts: list[list[ConsumerRecord]] = []
    for messages in records.values():
        if parts and len(parts[-1]) < together:
            parts[-1] += messages
        else:
            parts.append(list(messages))
    return parts


def send(records: Records, *, together: int) -> list[Job]:
    """Enqueue jobs for the records; a full poll tells the workers that more are waiting."""
    more = sum(map(len, records.values())) >= INGESTION_RECORDS
    return [
        jobs.send_once(
            INGEST_EVENTS,
            [message_of(message).to_json() for message in share],
            more,
            timeout=JOB_SECONDS,
        )
        for share in shares(records, together=together)
    ]


def wait_for(sent: Sequence[Job], process: Process) -> None:
    """Wait until all jobs have succeeded, so that their messages are in PostgreSQL.

    Raises IngestionError if one failed or was lost. Then no offset of this poll may be committed.
    """
    deadline = time.monotonic() + JOB_SECONDS
    try:
        for job in sent:
            result = _wait(job, deadline, process)
            if result is None or result.type != Result.Type.SUCCESSFUL:
                raise IngestionError(f"job {job.id} {'lost' if result is None else 'failed'}")
    except IngestionError:
        for job in sent:  # the messages are sent again, so these jobs must not pile up
            jobs.forget_waiting(job)
        raise


def _wait(job: Job, deadline: float, process: Process) -> Result | None:
    """Return the job's result; None if it is late or this process must stop."""
    while time.monotonic() < deadline and not process.stopping.is_set():
        if (result := job.latest_result(timeout=WAIT_SLICE_SECONDS)) is not None:
            return result
    return None


def work(process: Process, progress: Progress) -> None:
    """Join the group, and pass messages on until stopped.

    A poll that was not ingested is read again from its first message, without leaving the group.
    Raises Kafka's errors.
    """
    settings = process.settings
    ensure_topics(settings)
    verifier = Verifier(StreamKeys.of(settings))
    consumer = ingestion_consumer(settings, GAME_EVENTS)
    ahead: Records = {}  # polled while the workers process the previous records
    together = JOB_RECORDS
    try:
        with (
            context.application().app_context(),
            TopicIds(settings) as ids,
            announcements_of(settings, jobs_redis(), GAME_EVENTS) as announcements,
        ):
            member = Member(
                consumer,
                GAME_EVENTS,
                lambda: ids.of(GAME_EVENTS),
                _topic_replaced,
                announcements,
            )
            while not process.stopping.is_set():
                records, ahead = ahead or member.poll(timeout_ms=POLL_MS), {}
                if not records:
                    continue
                progress.begin()
                try:
                    sent = send(_ours(verifier, records), together=together)
                    ahead = member.poll(timeout_ms=0)
                    wait_for(sent, process)
                    member.commit(
                        {place: messages[-1].offset + 1 for place, messages in records.items()}
                    )
                    progress.done()
                    together = JOB_RECORDS
                except (IngestionError, redis.RedisError, SQLAlchemyError) as error:
                    log.warning("again", reason=one_line(error))
                    member.take_again(_first_offsets(ahead) | _first_offsets(records))
                    ahead = {}
                    together = 1  # a bad partition must not hold up the others
                    process.stopping.wait(RETRY_SECONDS)
    except Exception:
        consumer.close(autocommit=False)
        raise
    # On stopping, the process ends without leaving the group, as if it was killed. The broker
    # reassigns its partitions after the session timeout. If it left, the embedded broker's group
    # would get stuck for good as soon as another member stays (docs/decisions/0005).


def _topic_replaced() -> None:
    """Publish all events of the old topic again; ingestion compares them with the record."""
    tell_of_replaced_topic(GAME_EVENTS, f"{republish_all()} events are published again.")


def _ours(verifier: Verifier, records: Records) -> Records:
    """Return the records with a valid signature by partition. The others become dead letters."""
    verified = {place: verifier.ours(messages, clock.now()) for place, messages in records.items()}
    return {place: messages for place, messages in verified.items() if messages}


def _first_offsets(records: Records) -> dict[TopicPartition, int]:
    return {place: messages[0].offset for place, messages in records.items()}


def run(process: Process, progress: Progress) -> None:
    """Pass messages on until stopped, joining again after errors."""
    while not process.stopping.is_set():
        try:
            work(process, progress)
        except (KafkaError, OSError, TopicReplacedError) as error:
            log.warning("waiting", reason=one_line(error))
            process.stopping.wait(RETRY_SECONDS)


def main() -> None:
    """Run the bridge until stopped."""
    settings = with_running_stack(settings_from_env())
    process = Process("bridge", settings)
    context.use(create_worker_app(settings, Use.INGEST))
    run(process, progress)


if __name__ == "__main__":
    main()

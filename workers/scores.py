"""The consumer of `score-events.v1`: updates boards, writes to PostgreSQL, then commits offsets.

A batch ends after 500 messages, after 200 ms, or as soon as somebody waits for one of its scores
(PRODUCT D11). Any number of these processes share the partitions as the group `scores`. If Redis is
unavailable, scores are still written to PostgreSQL, and the boards are rebuilt later. Between
batches it updates the boards of modes that do so every few seconds. If PostgreSQL
is unavailable, the process waits and reads the same messages again. A message without a valid
signature becomes a dead letter. Run it with `python -m workers.scores`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import redis
import structlog
from flask import Flask
from kafka import TopicPartition
from kafka.errors import KafkaError
from sqlalchemy.exc import SQLAlchemyError

from app import create_worker_app
from app.core import clock, jobs, metrics
from app.core.db import db
from app.core.errors import one_line
from app.core.postgres.timeouts import Use
from app.core.redis.clients import jobs_redis
from app.dead_letters.alerts import tell_of_replaced_topic
from app.embedded.stack import with_running_stack
from app.scores.jobs import DELIVER_WEBHOOKS
from app.scores.processing import batched_updates, reconcile
from app.scores.processing.apply import Batch, RetryBatchError
from app.setting_reading import settings_from_env
from app.settings import Settings
from app.stream.announcements import announcements_of
from app.stream.kafka import TopicIds, ensure_topics, scores_consumer
from app.stream.refused_messages import Verifier, message_of
from app.stream.signing import StreamKeys
from app.stream.topics import SCORE_EVENTS
from workers.group import Member, Records, TopicReplacedError
from workers.process import Process, progress

log = structlog.get_logger(__name__)

POLL_MS = 1_000
BATCH = 500
BATCH_SECONDS = 0.2
RETRY_SECONDS = 1.0
UPDATE_SECONDS = 1.0  # at least, between updates of boards that are updated at intervals
RECONCILE_SECONDS = 5.0
TELL_SECONDS = 5.0  # from new scores until webhooks are told of them
TELL_JOB_SECONDS = 60


class Taking:
    """The current batch and its first offset in each partition, so that it can be read again."""

    def __init__(self) -> None:
        self.batch = Batch(clock.now())
        self.began = time.monotonic()
        self.first: dict[TopicPartition, int] = {}
        self.next: dict[TopicPartition, int] = {}
        self.lags: list[float] = []  # seconds from Kafka to the consumer, per message

    def take(self, records: Records, verifier: Verifier) -> None:
        """Add records to the batch."""
        for place, messages in records.items():
            self.first.setdefault(place, messages[0].offset)
            self.next[place] = messages[-1].offset + 1
        verified = verifier.ours(
            [record for messages in records.values() for record in messages], clock.now()
        )
        self.batch.take([message_of(record) for record in verified])
        lags = [max(0.0, time.time() - record.timestamp / 1000) for record in verified]
        for lag in lags:
            metrics.observe(metrics.CONSUMER_LAG, lag)
        self.lags += lags

    def measure(self, not_clean: int) -> None:
        """Record the durations after writing. Each row waited at most as long as the batch took."""
        metrics.observe(metrics.WRITE_BEHIND, time.monotonic() - self.began, len(self.lags))
        if not_clean:
            metrics.observe(
                metrics.QUARANTINE, max(self.lags) + time.monotonic() - self.began, not_clean
            )

    def is_full(self) -> bool:
        """Whether the batch must be written now."""
        return (
            bool(self.batch.awaited)
            or self.batch.size >= BATCH
            or time.monotonic() - self.began >= BATCH_SECONDS
        )

    @property
    def patience_ms(self) -> int:
        """The longest that the next poll may wait, in milliseconds."""
        return max(0, int(1000 * (self.began + BATCH_SECONDS - time.monotonic())))


def work(
    settings: Settings, app: Flask, stopping: Callable[[], bool], wait: Callable[[float], object]
) -> None:
    """Run the consumer once: join the group and continue until stopped. Raises Kafka's errors."""
    ensure_topics(settings)
    consumer = scores_consumer(settings, SCORE_EVENTS)
    try:
        with (
            app.app_context(),
            TopicIds(settings) as ids,
            announcements_of(settings, jobs_redis(), SCORE_EVENTS) as announcements,
        ):
            member = Member(
                consumer,
                SCORE_EVENTS,
                lambda: ids.of(SCORE_EVENTS),
                _topic_replaced,
                announcements,
            )
            _consume(member, Verifier(StreamKeys.of(settings)), stopping, wait)
    except Exception:
        consumer.close(autocommit=False)
        raise
    # On stopping, the process ends without leaving the group (docs/decisions/0005).


def _topic_replaced() -> None:
    tell_of_replaced_topic(
        SCORE_EVENTS,
        "Scores that were accepted but not yet committed are lost: players send them again.",
    )


def _consume(
    member: Member,
    verifier: Verifier,
    stopping: Callable[[], bool],
    wait: Callable[[float], object],
) -> None:
    taking: Taking | None = None
    next_update = next_reconciling = 0.0
    tell_at = math.inf
    while not stopping():
        records = member.poll(timeout_ms=POLL_MS if taking is None else taking.patience_ms)
        try:
            if taking is None and time.monotonic() >= next_reconciling:
                reconcile.reconcile(clock.now())
                next_reconciling = time.monotonic() + RECONCILE_SECONDS
            if taking is None and time.monotonic() >= next_update:
                batched_updates.publish_due(clock.now())
                seconds = batched_updates.seconds_to_next(clock.now())
                next_update = time.monotonic() + max(
                    UPDATE_SECONDS, min(seconds, RECONCILE_SECONDS)
                )
            if time.monotonic() >= tell_at:
                tell_at = math.inf
                jobs.send_coalesced(DELIVER_WEBHOOKS, "scores", timeout=TELL_JOB_SECONDS)
            if records:
                taking = taking or Taking()
                taking.take(records, verifier)
                progress.begin()
            if taking is not None and taking.is_full():
                written = taking.batch.write()
                taking.measure(written.not_clean)
                member.commit(taking.next)
                taking = None
                progress.done()
                log.info("written", **vars(written))
                next_update = 0.0
                tell_at = min(tell_at, time.monotonic() + TELL_SECONDS)
        except (SQLAlchemyError, RetryBatchError) as error:
            log.warning("again", reason=one_line(error))
            db.session.remove()
            _take_again(member, taking, records)
            taking = None
            wait(RETRY_SECONDS)


def _take_again(member: Member, taking: Taking | None, records: Records) -> None:
    """Go back to the start of the batch in the partitions that are still assigned."""
    first = {place: messages[0].offset for place, messages in records.items()}
    if taking is not None:
        first |= taking.first
    member.take_again(first)


def main() -> None:
    """Run the consumer until stopped, joining again after errors."""
    settings = with_running_stack(settings_from_env())
    process = Process("scores", settings)
    app = create_worker_app(settings, Use.INGEST)
    while not process.stopping.is_set():
        try:
            work(settings, app, process.stopping.is_set, process.stopping.wait)
        except (KafkaError, OSError, TopicReplacedError, redis.RedisError) as error:
            log.warning("waiting", reason=one_line(error))
            process.stopping.wait(RETRY_SECONDS)


if __name__ == "__main__":
    main()

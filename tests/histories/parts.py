"""What processes of ours do, a step at a time, in this process.

Relay, bridge, consumer of scores, workers, clock.

The code is the product's; the topics are lists (topics.py). Not here: when each works, and what it
meets (stepping.py).
"""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from flask import Flask
from psycopg.rows import dict_row
from rq.job import Job

from app.boards.jobs import ARCHIVE_BOARDS, REBALANCE_BOARDS
from app.competitions.jobs import SETTLE_COMPETITIONS
from app.core import clock, jobs
from app.core.postgres.connections import connect
from app.core.postgres.timeouts import Use
from app.core.redis.clients import jobs_redis
from app.draft_leagues.jobs import ADVANCE_DRAFTS
from app.fantasy.jobs import DELIVER_NOTICES, LOCK_GAMEWEEKS, SETTLE_GAMEWEEKS
from app.feeds.jobs import RUN_FEEDS
from app.predictions.jobs import FETCH_PICTURES
from app.scores.anticheat.submission import CLEAN, FLAGGED, Submission, Verdict
from app.scores.jobs import (
    DELETE_SCORES,
    DELIVER_WEBHOOKS,
    RECHECK_SCORES,
    TRAIN_MODELS,
    TRIM_FEED,
)
from app.scores.processing import reconcile
from app.scores.processing.apply import Batch
from app.settings import Settings
from app.stream.jobs import ARCHIVE_STREAM
from app.stream.topics import GAME_EVENTS, SCORE_EVENTS
from app.talk.jobs import DELIVER_TALK, POST_NEWS, TRIM_TALK
from tests.histories.effects import SQL, Effects
from tests.histories.schedule import CUT
from tests.histories.topics import PARTITIONS, ListTopics
from workers import relay
from workers.jobs import ingest_events
from workers.rq_worker import KINDS, JobWorker, make_worker
from workers.schedule import SCHEDULE, retrying

CLOCK_SECONDS = 60  # that pass with each look at the clock
# What the clock sends that has no part in a history: other people's servers, the archive, drills.
NOT_SENT = {
    *(
        ARCHIVE_STREAM.name,
        REBALANCE_BOARDS.name,
        RECHECK_SCORES.name,
        TRAIN_MODELS.name,
        ARCHIVE_BOARDS.name,
        DELETE_SCORES.name,
    ),
    *(
        DELIVER_WEBHOOKS.name,
        DELIVER_NOTICES.name,
        TRIM_FEED.name,
        SETTLE_COMPETITIONS.name,
        RUN_FEEDS.name,
        ADVANCE_DRAFTS.name,
        FETCH_PICTURES.name,
    ),
    *(POST_NEWS.name, DELIVER_TALK.name, TRIM_TALK.name),
}
BEFORE_LOCK = {LOCK_GAMEWEEKS.name, SETTLE_GAMEWEEKS.name}


class _Going:
    """A process that is not stopped."""

    stopping = threading.Event()


def judge(scores: list[Submission], _: Any) -> list[Verdict]:
    """An anti-cheat of which the model knows the rule."""
    return [
        Verdict(FLAGGED, ["thirteen"]) if score.score % 13 == 0 else Verdict(CLEAN)
        for score in scores
    ]


def end_every_pause() -> None:
    """What waits before it is tried again is tried with the next look at the clock."""
    for key in jobs_redis().keys("pressbox:refresh-pause:*"):
        jobs_redis().delete(key)
    for name in jobs.QUEUES:
        registry = jobs.queue(name).scheduled_job_registry
        for job_id in registry.get_job_ids():
            jobs_redis().zadd(registry.key, {job_id: 0})
    retrying(jobs_redis())()


class Parts:
    """`committed`: the offset that each group goes on from, by topic and partition.

    `passed`: how much later it is than by the machine's clock.
    """

    def __init__(self, app: Flask, effects: Effects) -> None:
        self.settings: Settings = app.config["PRESSBOX"]
        self.effects = effects
        self.topics = ListTopics(effects)
        self.committed = {
            (topic.name, partition): 0
            for topic in (GAME_EVENTS, SCORE_EVENTS)
            for partition in range(PARTITIONS)
        }
        self.passed = timedelta()
        self.is_locked = False
        self._workers: dict[str, JobWorker] = {}
        self._relay: psycopg.Connection[Any] | None = None

    def die(self) -> None:
        """Nothing is left in memory."""
        self._workers.clear()
        if self._relay is not None:
            self._relay.close()
            self._relay = None

    def rewind(self, topic: str) -> None:
        """The group of this topic begins again at its first message."""
        self.committed |= {place: 0 for place in self.committed if place[0] == topic}

    def relay(self, most: int) -> None:
        if self._relay is None or self._relay.closed:
            self._relay = connect(
                self.settings.database(Use.INGEST), autocommit=True, row_factory=dict_row
            )
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(relay, "BATCH", most)
            relay.publish(_Watched(self._relay, self.effects), self.topics, _Going)  # type: ignore[arg-type]

    def bridge(self, most: int) -> None:
        for partition in (0, 1):
            place = (GAME_EVENTS.name, partition)
            messages = self.topics.read(*place, self.committed[place], most)
            if messages:
                ingest_events.run(
                    [message.to_json() for message in messages], len(messages) == most
                )
                self.committed[place] += len(messages)

    def scores(self, most: int) -> None:
        reconcile.reconcile(clock.now())
        batch, ends = Batch(clock.now(), judge), dict(self.committed)
        for partition in (0, 1):
            place = (SCORE_EVENTS.name, partition)
            messages = self.topics.read(*place, ends[place], most)
            if messages:
                batch.take(messages)
                ends[place] += len(messages)
        if batch.size:
            batch.write()
            self.committed = ends

    def ingest(self, most: int) -> None:
        self.jobs("ingest", most)

    def refresh(self, most: int) -> None:
        self.jobs("refresh", most)

    def settlement(self, most: int) -> None:
        self.jobs("settlement", most)

    def jobs(self, kind: str, most: int) -> None:
        if kind not in self._workers:
            self._workers[kind] = make_worker(KINDS[kind], self.settings)
        for name in KINDS[kind].queues:
            queue = jobs.queue(name)
            for _ in range(most):
                job_id: Any = jobs_redis().lpop(queue.key)
                if job_id is None:
                    break
                job = Job.fetch(
                    job_id.decode(), connection=jobs_redis(), serializer=jobs.JsonSerializer
                )
                self._workers[kind].execute_job(job, queue)

    def clock(self, most: int) -> None:
        """A minute passes: what runs by the clock is sent, what failed is tried again."""
        self.passed += timedelta(seconds=CLOCK_SECONDS)
        end_every_pause()
        for job_type in SCHEDULE:
            name = job_type.name
            if name not in NOT_SENT and (self.is_locked or name not in BEFORE_LOCK):
                jobs.send_coalesced(job_type, "clock", timeout=900)
        for kind in ("upkeep", "providers"):
            self.jobs(kind, most)


class _Watched:
    """The relay's connection, its statements counted as effects."""

    def __init__(self, connection: psycopg.Connection[Any], effects: Effects) -> None:
        self._connection, self._effects = connection, effects

    def execute(self, *values: Any) -> Any:
        if self._effects.meets(SQL, CUT):
            self._connection.close()
        return self._connection.execute(*values)


WAITS = {
    "outbox": "SELECT count(*) FROM outbox WHERE published_at IS NULL",
    "a gameweek behind": """
        SELECT count(*) FROM game_states s LEFT JOIN game_refreshes r USING (game_id)
        WHERE (r.version, r.updated_at) IS DISTINCT FROM (s.version, s.updated_at)""",
    "a gameweek to settle": "SELECT count(*) FROM gameweeks WHERE week = 1 AND settled_at IS NULL",
    "a settlement": "SELECT count(*) FROM settlements WHERE state = 'pending'",
    "a match to settle": """
        SELECT count(*) FROM game_states s JOIN matches m ON m.external_id = s.game_id
        WHERE s.status = 'final' AND m.settled_at IS NULL""",
    "a board": "SELECT count(*) FROM boards WHERE stale_since IS NOT NULL",
    "a correction": "SELECT count(*) FROM score_corrections WHERE published_at IS NULL",
    "a sanction": "SELECT count(*) FROM sanctions WHERE shown_at IS NULL",
    "a dead job": "SELECT count(*) FROM dead_jobs WHERE done_at IS NULL",
    # A correction that was delivered long before its original becomes a dead letter, and comes
    # again in its order.
    "a dead letter": """
        SELECT count(*) FROM dead_letters
          WHERE NOT reason LIKE 'event: the event that this corrects never came%'
        AND NOT reason LIKE 'final: %'""",
}

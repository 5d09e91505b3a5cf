"""A history lived step by step in this process, on real PostgreSQL and Redis.

Fast, and the same each time.

The code of relay, ingestion, jobs and the consumer of scores is the product's; the topics are lists
(topics.py), so that a message can come thrice, in another order or from offset 0. What waits in
Redis's queues is done by RQ's own worker. Not here: real processes and a real broker
(processes.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import psycopg
import pytest
from flask import Flask
from sqlalchemy import text

from app.core import clock, jobs
from app.core.db import db
from app.core.redis.clients import boards_redis, jobs_redis
from app.scores.processing import reconcile
from app.scores.processing.apply import RetryBatchError
from app.scores.submission import sending
from app.settings import Settings
from app.stream.messages import Message
from app.stream.topics import GAME_EVENTS, SCORE_EVENTS
from tests.histories.acting import NO_ANSWER, Actor, Answer
from tests.histories.check import differences, invalid_rows, rebuilt
from tests.histories.effects import Effects, watched
from tests.histories.model import Model
from tests.histories.parts import WAITS, Parts
from tests.histories.schedule import PARTS, Act, Fault, Lock, Nemesis, Schedule, Work
from tests.histories.topics import PARTITIONS
from tests.histories.world import World, make
from workers.jobs import ingest_events
from workers.relay import PublishError

TRIES = 6
DELIVERED = 12  # messages at once
ROUNDS = 40  # of everything, until all has come to rest


@dataclass
class Lived:
    """What came of a history. `found`: sentences on what differs, none where all is well."""

    acts: int = 0
    acknowledged: int = 0
    refused: int = 0
    faults: int = 0
    found: list[str] = field(default_factory=list)


def live(app: Flask, schedule: Schedule) -> Lived:
    """In an application context with empty stores."""
    with history(app, schedule) as past:
        past.run()
        return past.lived


@contextmanager
def history(app: Flask, schedule: Schedule) -> Iterator[History]:
    """One that is about to begin; afterwards its stores are as it left them. As `live`."""
    with _lasting(app), watched() as effects:
        past = History(app, schedule, effects)
        try:
            yield past
        finally:
            past.close()


@contextmanager
def _lasting(app: Flask) -> Iterator[None]:
    """The broker keeps its messages, nothing sleeps, and time passes as the clock's looks say."""
    before: Settings = app.config["PRESSBOX"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(
            app.config, "PRESSBOX", replace(before, kafka_in_memory=False, correction_wait_ms=0)
        )
        yield


class History:
    def __init__(self, app: Flask, schedule: Schedule, effects: Effects) -> None:
        self.schedule, self.effects, self.lived = schedule, effects, Lived()
        self.chance = Random(f"run {schedule.seed}")  # noqa: S311
        self.parts = Parts(app, effects)
        self.model = Model()
        self.invalid: set[tuple[Any, ...]] = set()
        self._patch = pytest.MonkeyPatch()
        now = clock.now
        self._patch.setattr(clock, "now", lambda: now() + self.parts.passed)
        self._patch.setitem(app.extensions, "score_producer", None)
        self._patch.setattr(sending, "producer", lambda *_, **__: self.parts.topics)
        self.world: World = make("h", schedule.aggregation, schedule.seed)
        self.actor = Actor(self.world)
        reconcile.reconcile(clock.now())

    def close(self) -> None:
        self._patch.undo()
        self.parts.die()
        db.session.rollback()

    def run(self) -> None:
        self._run()
        self.lived.faults = self.effects.happened

    def _run(self) -> None:
        for act in self.schedule.acts:
            self.lived.acts += 1
            match act:
                case Work():
                    self.work(act)
                case Nemesis():
                    with self.effects.armed(act.fault):
                        self.strike(act.what)
                    self.look_at_rows()
                case _:
                    self.ask(act)
            if self.lived.found:
                return
        if (unrest := self.rest()) is not None:
            self.lived.found.append(unrest)
            return
        self.lived.found += differences(self.world, self.model)
        if not self.lived.found:
            self.lived.found += self.rebuilt()

    # What people do.

    def ask(self, act: Act) -> None:
        if not self.actor.can(act):
            return
        answer = self.until_answered(act, act.fault)
        self.take(act, answer)
        for _ in range(act.again):
            self.take(act, self.until_answered(act, None))

    def take(self, act: Act, answer: Answer) -> None:
        self.lived.acknowledged += not answer.refused
        self.lived.refused += bool(answer.refused)
        if (wrong := self.model.answered(act, answer)) is not None:
            self.lived.found.append(f"answer: {wrong}")
        if isinstance(act, Lock):
            self.parts.is_locked = True

    def until_answered(self, act: Act, fault: Any) -> Answer:
        for turn in range(TRIES):
            answer: Answer | None = None
            with self.effects.armed(fault if turn == 0 else None):
                try:
                    answer = self.actor.do(act)
                except NO_ANSWER:
                    db.session.rollback()
            if answer is not None and not self.effects.died:
                return answer
        raise AssertionError(f"{act} was never answered")

    # What our processes do.

    def work(self, act: Work) -> None:
        self.as_process(act.part, act.most, act.fault)
        for _ in range(act.again):
            self.as_process(act.part, act.most, None)

    def as_process(self, part: str, most: int, fault: Fault | None) -> None:
        """What a process does, which may die of it; another one goes on later."""
        with self.effects.armed(fault):
            try:
                getattr(self.parts, part)(most)
            except (*NO_ANSWER, psycopg.Error, RetryBatchError, PublishError):
                db.session.remove()
        if self.effects.died:
            self.parts.die()
        self.look_at_rows()

    def look_at_rows(self) -> None:
        """What became invalid stays so."""
        now_invalid, now_valid = invalid_rows(self.world)
        back = self.invalid & now_valid
        if back:
            self.lived.found.append(f"valid: rows came back: {sorted(back)[:5]}")
        self.invalid |= now_invalid

    # What happens to all of them.

    def strike(self, what: str) -> None:
        match what:
            case "deliver shuffled":
                self.deliver(lambda messages: self.chance.sample(messages, 1 + len(messages) // 2))
            case "deliver thrice":
                self.deliver(lambda messages: messages * 3)
            case "replay events":
                self.parts.rewind(GAME_EVENTS.name)
            case "replay scores":
                self.parts.rewind(SCORE_EVENTS.name)
            case "empty redis":
                jobs_redis().flushall()
            case "wipe boards":
                for key in boards_redis().keys("lb:*"):
                    boards_redis().delete(key)

    def deliver(self, otherwise: Callable[[list[Message]], list[Message]]) -> None:
        """What follows on the topic, otherwise than it lies there.

        Nobody commits an offset, so it comes again.
        """
        for partition in range(PARTITIONS):
            place = (GAME_EVENTS.name, partition)
            if messages := self.parts.topics.read(*place, self.parts.committed[place], DELIVERED):
                with suppress(*NO_ANSWER):
                    ingest_events.run([message.to_json() for message in otherwise(messages)])

    # The end.

    def rest(self) -> str | None:
        """Everybody works until nothing waits, and once more; what waits still after that."""
        calm = 0
        for _ in range(ROUNDS):
            for part in ("clock", *(part for part in PARTS if part != "clock")):
                self.as_process(part, 1000, None)
            waits = self.waits()
            calm = 0 if waits else calm + 1
            if calm == 2 or self.lived.found:
                return None
        return f"rest: it never came to rest: {waits}"

    def waits(self) -> list[str]:
        db.session.rollback()
        waits = [name for name, statement in WAITS.items() if db.session.scalar(text(statement))]
        ends = {place: self.parts.topics.end(*place) for place in self.parts.committed}
        if ends != self.parts.committed:
            waits.append(f"messages: {self.parts.committed} of {ends}")
        for name in (jobs.INGEST_QUEUE, jobs.SETTLEMENT_QUEUE, jobs.BOARDS_QUEUE):
            queue = jobs.queue(name)
            if len(queue) or queue.scheduled_job_registry.count:
                waits.append(f"jobs in {name}")
        db.session.rollback()
        return waits

    def rebuilt(self) -> list[str]:
        lines = rebuilt(self.world, self.parts.topics)
        if (unrest := self.rest()) is not None:
            lines.append(f"{unrest}, after the rebuild")
        return lines or [
            f"after the rebuild, {difference}" for difference in differences(self.world, self.model)
        ]

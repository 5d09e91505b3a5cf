"""A history lived by real processes on a real broker.

Relay, bridge, workers and the consumer of scores, which are killed with SIGKILL wherever they are,
while a few threads act at once.

The same schedule as in stepping.py, but each subject's acts follow each other in a thread of their
own: each game, each member, scores with their moderators, and what breaks things. Where the
schedule has a fault of a process, that one is killed and started again; where it has one of a
connection, all connections to PostgreSQL are cut. One set of stores and processes for many
histories, each under a name of its own.
"""

from __future__ import annotations

import signal
import subprocess
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import psycopg
from flask import Flask
from redis.exceptions import RedisError
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from app.core import clock, jobs
from app.core.blob_store import blob_store
from app.core.db import db
from app.core.redis.clients import boards_redis, jobs_redis
from app.embedded.stack import Stack
from app.predictions.jobs import POLL_TOURNAMENT
from app.record.rebuild import Stream
from app.settings import Settings
from app.stream.kafka import ensure_topics
from tests.histories.acting import NO_ANSWER, Actor, Answer
from tests.histories.check import differences, invalid_rows, rebuilt
from tests.histories.model import Model
from tests.histories.parts import BEFORE_LOCK, NOT_SENT, WAITS, end_every_pause
from tests.histories.schedule import (
    CUT,
    DIE,
    UNHEARD,
    Act,
    Enter,
    Lock,
    Nemesis,
    Review,
    Rule,
    Sanction,
    Schedule,
    Score,
    Work,
)
from tests.histories.stepping import Lived
from tests.histories.stores import stores
from tests.histories.world import World, make
from tests.roles import commands_of_roles
from tests.waiting import comes_true, join, patience, rest, until
from workers import context
from workers.schedule import SCHEDULE
from workers.supervisor.children import Children
from workers.supervisor.processes import Command

NAMES = ("relay", "bridge", "scores", "worker-1", "refresh", "settlement")
# whom a fault in a part of the schedule meets
PARTS = {"ingest": "worker-1", "clock": "settlement"}
PATIENCE_SECONDS = 90.0
PAUSE_SECONDS = 0.05  # before an act without an answer is tried again
REFILL_SECONDS = 20.0  # in which Redis has again what it lost
TICK_SECONDS = 0.4  # between two looks at the clock
WORK_SECONDS = 0.02  # that an act of work takes here, where the processes work by themselves


@contextmanager
def in_processes() -> Iterator[Callable[[Schedule], Lived]]:
    """Lives histories, one after the other."""
    with stores() as (app, stack):
        stack.settings = replace(stack.settings, kafka_in_memory=False, correction_wait_ms=5)
        app.config["PRESSBOX"] = stack.settings
        context.use(app)
        ensure_topics(stack.settings)
        chosen = [command for command in commands_of_roles() if command.name in NAMES]
        children = Children(stack, chosen)
        children.start()
        try:
            yield lambda schedule: _Run(app, stack, children, schedule).live()
        finally:
            children.stop()


@dataclass
class _Run:
    app: Flask
    stack: Stack
    children: Children
    schedule: Schedule
    lived: Lived = field(default_factory=Lived)
    model: Model = field(default_factory=lambda: Model(thirteens=False))
    invalid: set[tuple[Any, ...]] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _over: threading.Event = field(default_factory=threading.Event)
    is_locked: bool = False

    def live(self) -> Lived:
        name = f"h{self.schedule.seed}x{time.time_ns() // 1_000_000 % 10**9}"
        with self.app.app_context():
            self.world: World = make(name, self.schedule.aggregation, self.schedule.seed)
        self.actor = Actor(self.world)
        ticking = threading.Thread(target=self._tick)
        ticking.start()
        try:
            self._act()
            with self.app.app_context():
                self._check()
        except AssertionError as error:
            self.lived.found.append(f"stuck: {error}")
        finally:
            self._over.set()
            join(ticking)
            with self.app.app_context():
                db.session.execute(
                    text("UPDATE tournaments SET is_active = false WHERE id = :t"),
                    {"t": self.world.tournament_id},
                )
                db.session.commit()
        return self.lived

    # The acts, by lane.

    def _act(self) -> None:
        first = next(n for n, act in enumerate(self.schedule.acts) if isinstance(act, Lock)) + 1
        self._lane(self.schedule.acts[:first])
        lanes: dict[object, list[Act]] = defaultdict(list)
        for act in self.schedule.acts[first:]:
            lanes[_lane_of(act)].append(act)
        with ThreadPoolExecutor(len(lanes)) as pool:
            for done in [pool.submit(self._lane, lane) for lane in lanes.values()]:
                done.result()

    def _lane(self, acts: Sequence[Act]) -> None:
        for act in acts:
            if isinstance(act, Work | Nemesis):
                self._strike(act)
            elif self.actor.can(act):
                for _ in range(1 + act.again):
                    self._ask(act)
            with self._lock:
                self.lived.acts += 1

    def _ask(self, act: Act) -> None:
        answers: list[Answer] = []

        def is_answered() -> bool:
            with self.app.app_context():
                try:
                    answers.append(self.actor.do(act))
                except NO_ANSWER:
                    db.session.remove()
            return bool(answers)

        until(is_answered, f"{act} is answered", PATIENCE_SECONDS, PAUSE_SECONDS)
        (answer,) = answers
        with self._lock:
            self.lived.acknowledged += not answer.refused
            self.lived.refused += bool(answer.refused)
            if (wrong := self.model.answered(act, answer)) is not None:
                self.lived.found.append(f"answer: {wrong}")
            if isinstance(act, Lock):
                self.is_locked = True

    def _strike(self, act: Work | Nemesis) -> None:
        if isinstance(act, Nemesis):
            with self.app.app_context():
                if act.what == "empty redis":
                    jobs_redis().flushall()
                elif act.what == "wipe boards":
                    for key in boards_redis().keys("lb:*"):
                        boards_redis().delete(key)
            self.lived.faults += 1
        elif act.fault is not None and act.fault.kind == DIE:
            self._kill(PARTS.get(act.part, act.part))
        elif act.fault is not None and act.fault.kind in (CUT, UNHEARD):
            self._cut()
        rest(WORK_SECONDS)  # the schedule's own tempo

    def _kill(self, name: str) -> None:
        process: subprocess.Popen[bytes] = self.children.running[name]
        process.send_signal(signal.SIGKILL)
        process.wait(patience(60))
        command: Command = next(
            command for command in self.children.commands if command.name == name
        )
        self.children._start(command)
        self.lived.faults += 1

    def _cut(self) -> None:
        with psycopg.connect(self.stack.settings.owner_url, autocommit=True) as owner:
            owner.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name "
                "LIKE 'pressbox%'"
            )
        self.lived.faults += 1

    def _tick(self) -> None:
        """The clock, which looks more often than in production.

        And that what became invalid stays so.
        """
        with self.app.app_context():
            while not self._over.wait(TICK_SECONDS):
                try:
                    self._look()
                except (SQLAlchemyError, RedisError):
                    db.session.remove()

    def _look(self) -> None:
        end_every_pause()
        for job_type in SCHEDULE:
            name = job_type.name
            if name in NOT_SENT or (name in BEFORE_LOCK and not self.is_locked):
                continue
            kind = (
                jobs.SETTLEMENT_QUEUE
                if job_type.queue in (jobs.UPKEEP_QUEUE, jobs.PROVIDERS_QUEUE)
                else job_type.queue
            )
            jobs.send_coalesced(replace(job_type, queue=kind), "clock", timeout=900)
        jobs.send_coalesced(
            replace(POLL_TOURNAMENT, queue=jobs.SETTLEMENT_QUEUE),
            str(self.world.tournament_id),
            str(self.world.tournament_id),
            timeout=60,
        )
        now_invalid, now_valid = invalid_rows(self.world)
        if back := self.invalid & now_valid:
            self.lived.found.append(f"valid: rows came back: {sorted(back)[:5]}")
        self.invalid |= now_invalid

    # The end.

    def _check(self) -> None:
        self._rest("it comes to rest")
        self.lived.found += self._differences()
        if self.lived.found:
            return
        settings: Settings = self.app.config["PRESSBOX"]
        self.lived.found += rebuilt(self.world, Stream(settings, blob_store(), clock.now()))
        self._rest("it comes to rest after the rebuild")
        self.lived.found += [
            f"after the rebuild, {difference}" for difference in self._differences()
        ]

    def _differences(self) -> list[str]:
        """The clock's next round fills what Redis lost late in a history.

        PostgreSQL says nothing about it.
        """
        lines: list[str] = []

        def is_refilled() -> bool:
            lines[:] = differences(self.world, self.model)
            return not lines or not all(" in Redis of " in line for line in lines)

        comes_true(is_refilled, REFILL_SECONDS, TICK_SECONDS)
        return lines

    def _rest(self, what: str) -> None:
        until(lambda: not self._waits(), lambda: f"{what}: {self._waits()}", PATIENCE_SECONDS)

    def _waits(self) -> list[str]:
        try:
            db.session.rollback()
            waits = [
                name for name, statement in WAITS.items() if db.session.scalar(text(statement))
            ]
            entered = sum(game.accepted for game in self.model.games)
            like = {"g": f"{self.world.name}-%"}
            recorded = db.session.scalar(
                text("SELECT count(*) FROM events WHERE game_id LIKE :g AND revision = 0"), like
            )
            stored = db.session.scalar(
                text("SELECT count(*) FROM score_attempts WHERE mode_id = :m"),
                {"m": self.world.mode_id},
            )
            if (recorded, stored) != (entered, len(self.model.scores)):
                waits.append(
                    f"{recorded} of {entered} events, {stored} of {len(self.model.scores)} scores"
                )
            db.session.rollback()
            waits += [name for name in (jobs.INGEST_QUEUE,) if len(jobs.queue(name))]
            return waits
        except (SQLAlchemyError, RedisError) as error:
            db.session.remove()
            return [type(error).__name__]


def _lane_of(act: Act) -> object:
    match act:
        case Enter() | Rule():
            return "game", act.game
        case Score() | Review() | Sanction():
            return "scores"
        case Work() | Nemesis():
            return "nemesis"
    return "member", act.member  # type: ignore[attr-defined]

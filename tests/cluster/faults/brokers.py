"""Faults of Kafka: brokers that die or hang, topics read again, deleted or written by others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from kafka import KafkaAdminClient, KafkaProducer, TopicPartition
from kafka.admin import OffsetSpec
from sqlalchemy import text

from app.core.db import db
from app.stream.kafka import connection, ensure_topics, producer
from app.stream.topics import GAME_EVENTS, INGESTION_GROUP, SCORE_EVENTS, SCORES_GROUP, TOPICS
from tests.cluster.machines import PARTITIONS
from tests.cluster.pressbox import Pressbox
from tests.waiting import patience, rest, until

PAUSED_SECONDS = 9.0  # longer than a member of a consumer group may be silent (6 s)
NAMES = [topic.name for topic in TOPICS]


@contextmanager
def leader_killed(box: Pressbox, chance: Random) -> Iterator[None]:
    """The broker that leads most of the games' partitions dies and comes back."""
    kafka = box.machines.kafka
    broker = kafka.leader_of(GAME_EVENTS.name, 0)
    broker.kill()
    yield
    rest(3)
    kafka.revive(broker)
    until(lambda: kafka.is_in_sync(NAMES), "every replica is in step again")


@contextmanager
def two_brokers_killed(box: Pressbox, chance: Random) -> Iterator[None]:
    """Of three brokers one is left: nothing may be acknowledged by Kafka, and nothing vanish."""
    kafka = box.machines.kafka
    dead = kafka.brokers[:2]
    for broker in dead:
        broker.kill()
    yield
    rest(2)  # what was acknowledged just before is noted by now
    before = _published(box)
    rest(4)
    assert _published(box) == before, "something was acknowledged by one broker alone"
    kafka.revive(*dead)
    until(lambda: kafka.is_in_sync(NAMES), "every replica is in step again")


@contextmanager
def no_broker_at_the_start(box: Pressbox, chance: Random) -> Iterator[None]:
    """Scorers begin while no broker answers.

    What they enter waits in the outbox, and can be seen there.
    """
    kafka = box.machines.kafka
    for broker in kafka.brokers:
        broker.kill()
    yield
    until(lambda: _waiting(box) > 50, "events waiting in the outbox")
    kafka.revive(*kafka.brokers)
    until(lambda: kafka.is_in_sync(NAMES), "every replica is in step again")


@contextmanager
def broker_hangs(box: Pressbox, chance: Random) -> Iterator[None]:
    """A broker stops where it is, its connections open."""
    kafka = box.machines.kafka
    broker = kafka.leader_of(SCORE_EVENTS.name, 0)
    broker.pause()
    yield
    rest(PAUSED_SECONDS)
    broker.resume()
    until(lambda: kafka.is_in_sync(NAMES), "every replica is in step again")


@contextmanager
def read_again_from_the_first(box: Pressbox, chance: Random) -> Iterator[None]:
    """The groups' offsets are lost: every message comes once more, three times over."""
    yield
    for _ in range(3):
        with box.paused("bridge", "scores"):
            rest(PAUSED_SECONDS)  # until the group knows that its members are gone
            _reset(box, INGESTION_GROUP, GAME_EVENTS.name)
            _reset(box, SCORES_GROUP, SCORE_EVENTS.name)
        rest(2)


@contextmanager
def backlog(box: Pressbox, chance: Random) -> Iterator[None]:
    """Nobody reads while ten minutes' worth of events and all scores come in.

    Then all of it is drained.
    """
    with box.paused("bridge", "scores"):
        yield
        until(lambda: _waiting(box) == 0, "all of the day is in Kafka")
        rest(8)


@contextmanager
def topic_deleted(box: Pressbox, chance: Random) -> Iterator[None]:
    """The topic of the games is deleted while they are played, and made anew."""
    yield
    admin = KafkaAdminClient(**connection(box.machines.settings))
    try:
        admin.delete_topics([GAME_EVENTS.name])
        until(lambda: GAME_EVENTS.name not in admin.list_topics(), "the topic is gone")
    finally:
        admin.close()
    ensure_topics(box.machines.settings)
    with box.app.app_context():
        query = text("SELECT count(*) FROM notices WHERE title LIKE 'Topic replaced: game-events%'")
        until(lambda: bool(db.session.scalar(query)), "an operator is told")


@contextmanager
def poison(box: Pressbox, chance: Random) -> Iterator[None]:
    """Somebody writes into every partition of every topic.

    Garbage, and messages that are signed and make no sense.
    """
    settings = box.machines.settings
    stranger, own_producer = KafkaProducer(**connection(settings)), producer(settings)
    worst = [
        b"",
        b"\x00" * 30_000,
        b"{",
        b"{}",
        b"[1]",
        b'{"type":"snap"}',
        b'"' + b"a" * 40_000 + b'"',
        b"\xff\xfe",
    ]
    for writer in (stranger, own_producer):
        for name in NAMES:
            for number in range(PARTITIONS):
                for value in worst:
                    writer.send(name, value, key=b"nobody", partition=number)
        writer.flush(30)
    yield
    for writer in (stranger, own_producer):
        writer.close(timeout=patience(10))


def _reset(box: Pressbox, group: str, topic: str) -> None:
    admin = KafkaAdminClient(**connection(box.machines.settings))
    try:
        places = {
            TopicPartition(topic, number): OffsetSpec.EARLIEST for number in range(PARTITIONS)
        }
        done = admin.reset_group_offsets(group, places)
        assert all(outcome["error"].errno == 0 for outcome in done.values()), done
    finally:
        admin.close()


def _published(box: Pressbox) -> int:
    return _count(box, "SELECT count(*) FROM outbox WHERE published_at IS NOT NULL")


def _waiting(box: Pressbox) -> int:
    return _count(box, "SELECT count(*) FROM outbox WHERE published_at IS NULL AND NOT is_practice")


def _count(box: Pressbox, statement: str) -> int:
    with box.app.app_context():
        return int(db.session.scalar(text(statement)) or 0)

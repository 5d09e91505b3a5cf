"""How a consumer of the embedded broker learns of new messages without asking all the time."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from uuid import uuid4

import pytest
import redis
from flask import Flask
from kafka import TopicPartition

from app.core.redis.connections import connect
from app.settings import Settings
from app.stream.announcements import Announcements, announce, announcements_of
from app.stream.kafka import ingestion_consumer, producer
from app.stream.topics import GAME_EVENTS, SCORE_EVENTS, Topic
from tests.waiting import patience, until
from workers import group, relay
from workers.group import Member, Partitions
from workers.process import Progress
from workers.relay import PublishError


@pytest.fixture
def settings(app: Flask) -> Settings:
    return replace(app.config["PRESSBOX"], kafka_in_memory=True)


@pytest.fixture
def client(settings: Settings) -> Iterator[redis.Redis]:
    with connect(settings.redis_url) as client:
        yield client


@pytest.fixture
def announcements(settings: Settings, client: redis.Redis) -> Iterator[Announcements]:
    with announcements_of(settings, client, GAME_EVENTS) as subscribed:
        assert subscribed is not None
        assert subscribed.wait(patience(10)), "what came before it listens is not known"
        yield subscribed


def test_whoever_sends_messages_announces_them() -> None:
    root = Path(__file__).parents[2]
    senders = {
        str(path.relative_to(root))
        for folder in ("app", "workers", "benchmarks")
        for path in (root / folder).rglob("*.py")
        if re.search(r"from app\.stream\.kafka import .*\bproducer\b", path.read_text())
    }
    assert {"workers/relay.py", "app/scores/submission/sending.py"} < senders
    assert [name for name in sorted(senders) if "announce(" not in (root / name).read_text()] == []


def test_everything_announced_since_the_last_look_is_one_reason_to_look(
    settings: Settings, client: redis.Redis, announcements: Announcements
) -> None:
    for _ in range(3):
        announce(settings, client, GAME_EVENTS)
    assert announcements.wait(patience(10))
    assert not announcements.wait(0)


def test_other_topics_and_other_brokers_are_no_reason(
    settings: Settings, client: redis.Redis, announcements: Announcements
) -> None:
    announce(settings, client, SCORE_EVENTS)
    announce(replace(settings, kafka_in_memory=False), client, GAME_EVENTS)
    assert not announcements.wait(0.1)


def test_the_relay_announces_what_it_published_beside_games_that_failed(
    own_broker: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    announced: list[Topic] = []
    monkeypatch.setattr(
        relay, "announce", lambda _settings, _client, topic: announced.append(topic)
    )
    counts = iter([2, PublishError("1 games wait for Kafka")])

    def publish(*_: object) -> int:
        count = next(counts)
        if isinstance(count, PublishError):
            raise count
        return count

    monkeypatch.setattr(relay, "publish", publish)
    process = SimpleNamespace(settings=own_broker, redis=None, stopping=threading.Event())
    with pytest.raises(PublishError):
        relay.work(process, Progress())  # type: ignore[arg-type]
    assert announced == [GAME_EVENTS, GAME_EVENTS]


def test_after_an_error_there_may_be_something_that_was_not_heard(
    client: redis.Redis, announcements: Announcements
) -> None:
    client.client_kill_filter(_type="pubsub")
    until(lambda: announcements.wait(0.01), "it listens again, and has its consumer look")
    assert not announcements.wait(0)


def test_a_consumer_that_ends_leaves_no_subscription(
    settings: Settings, client: redis.Redis
) -> None:
    def listeners() -> int:
        ((_, count),) = client.pubsub_numsub(f"pressbox:announced:{GAME_EVENTS.name}")
        return int(count)

    before = listeners()
    with announcements_of(settings, client, GAME_EVENTS) as subscribed:
        assert subscribed is not None
        subscribed.wait(patience(10))
        assert listeners() == before + 1
    until(lambda: listeners() == before, "the subscription is gone")
    with announcements_of(replace(settings, kafka_in_memory=False), client, GAME_EVENTS) as none:
        assert none is None


def test_while_redis_is_away_the_wait_ends_all_the_same() -> None:
    away = connect("redis://127.0.0.1:1/0")
    assert not Announcements(away, GAME_EVENTS).wait(0.01)
    announce(Settings(redis_url="redis://127.0.0.1:1/0", kafka_in_memory=True), away, GAME_EVENTS)


def test_a_member_waits_only_when_it_has_read_everything(
    own_broker: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group, "UNANNOUNCED_SECONDS", 0.0)
    own_group = replace(own_broker, kafka_group_prefix=f"{uuid4()}-", kafka_in_memory=True)
    waits: list[float] = []
    announced = False

    class Counted(Announcements):
        def wait(self, seconds: float) -> bool:
            waits.append(seconds)
            return announced

    with (
        closing(producer(own_group)) as kafka,
        closing(ingestion_consumer(own_group, GAME_EVENTS)) as consumer,
    ):
        counted = Counted(connect("redis://127.0.0.1:1/0"), GAME_EVENTS)
        member = Member(consumer, GAME_EVENTS, lambda: "", lambda: None, counted)
        until(lambda: bool(member.poll(timeout_ms=200) or consumer.assignment()), "it joins")
        monkeypatch.setattr(group, "UNANNOUNCED_SECONDS", 3600.0)
        until(lambda: not member.poll(timeout_ms=200), "it has read everything")
        kafka.send(GAME_EVENTS.name, b"{}", key=b"k").get(timeout=patience(10))
        waits.clear()
        assert not member.poll(timeout_ms=200), "it does not ask for what is not announced"
        announced = True
        assert member.poll(timeout_ms=200)
        assert waits == [0.2, 0.2]
        member.poll(timeout_ms=200)
        assert waits == [0.2, 0.2]


def test_what_is_announced_is_looked_for_until_it_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The announcement may be faster than the broker on a busy machine."""
    monkeypatch.setattr(group, "UNANNOUNCED_SECONDS", 0.0)
    place = TopicPartition(GAME_EVENTS.name, 0)
    answers: list[dict[TopicPartition, list[str]]] = [{}, {}, {}, {place: ["message"]}]
    consumer = SimpleNamespace(
        subscribe=lambda _topics, listener: listener.on_partitions_assigned([place]),
        assignment=lambda: {place},
        committed=lambda *_, **__: None,
        poll=lambda **_: answers.pop(0),
    )
    waits: list[float] = []

    class Once(Announcements):
        def wait(self, seconds: float) -> bool:
            waits.append(seconds)
            return True

    announcements = Once(connect("redis://127.0.0.1:1/0"), GAME_EVENTS)
    member = Member(consumer, GAME_EVENTS, lambda: "", lambda: None, announcements)  # type: ignore[arg-type]
    monkeypatch.setattr(group, "ANNOUNCED_SECONDS", 3600.0)
    assert [member.poll(timeout_ms=200) for _ in range(4)] == [{}, {}, {}, {place: ["message"]}]
    assert waits == [0.2], "it waits once, and looks three times"


def test_a_member_that_joins_again_waits_for_no_announcement(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another member died. Only polls take this one through the group's next generation."""
    monkeypatch.setattr(group, "UNANNOUNCED_SECONDS", 0.0)
    place = TopicPartition(GAME_EVENTS.name, 0)
    listeners: list[Partitions] = []
    polls: list[int] = []
    consumer = SimpleNamespace(
        subscribe=lambda _topics, listener: listeners.append(listener),
        assignment=lambda: {place},  # until it has joined, its old ones
        committed=lambda *_, **__: None,
        poll=lambda timeout_ms: polls.append(timeout_ms) or {},
    )

    class Never(Announcements):
        def wait(self, seconds: float) -> bool:
            return False

    announcements = Never(connect("redis://127.0.0.1:1/0"), GAME_EVENTS)
    member = Member(consumer, GAME_EVENTS, lambda: "", lambda: None, announcements)  # type: ignore[arg-type]
    (listener,) = listeners
    listener.on_partitions_assigned([place])
    monkeypatch.setattr(group, "UNANNOUNCED_SECONDS", 3600.0)
    member.poll(timeout_ms=200)
    polls.clear()
    member.poll(timeout_ms=200)
    assert polls == [], "it has read everything, and waits"
    listener.on_partitions_revoked([place])
    for _ in range(3):
        member.poll(timeout_ms=200)
    assert polls == [200, 200, 200]
    listener.on_partitions_lost([place])
    member.poll(timeout_ms=200)
    assert polls == [200] * 4


def test_what_was_not_announced_is_read_all_the_same(own_broker: Settings) -> None:
    own_group = replace(own_broker, kafka_group_prefix=f"{uuid4()}-", kafka_in_memory=True)
    with (
        closing(producer(own_group)) as kafka,
        closing(ingestion_consumer(own_group, GAME_EVENTS)) as consumer,
    ):
        away = Announcements(connect("redis://127.0.0.1:1/0"), GAME_EVENTS)
        member = Member(consumer, GAME_EVENTS, lambda: "", lambda: None, away)
        until(lambda: bool(member.poll(timeout_ms=200) or consumer.assignment()), "it joins")
        until(lambda: not member.poll(timeout_ms=200), "it has read everything")
        kafka.send(GAME_EVENTS.name, b"{}", key=b"k").get(timeout=patience(10))
        until(lambda: bool(member.poll(timeout_ms=200)), "it has read the message")

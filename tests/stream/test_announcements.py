"""How a consumer of the embedded broker learns of new messages without asking all the time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from uuid import uuid4

import pytest
import redis
from flask import Flask

from app.core.redis.connections import connect
from app.settings import Settings
from app.stream.announcements import Announcements, announce
from app.stream.kafka import ingestion_consumer, producer
from app.stream.topics import GAME_EVENTS, SCORE_EVENTS
from tests.waiting import patience, until
from workers import group
from workers.group import Member


@pytest.fixture
def settings(app: Flask) -> Settings:
    return replace(app.config["PRESSBOX"], kafka_in_memory=True)


@pytest.fixture
def client(settings: Settings) -> Iterator[redis.Redis]:
    with connect(settings.redis_url) as client:
        yield client


@pytest.fixture
def announcements(client: redis.Redis) -> Announcements:
    subscribed = Announcements(client, GAME_EVENTS)
    subscribed.wait(patience(10))
    return subscribed


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

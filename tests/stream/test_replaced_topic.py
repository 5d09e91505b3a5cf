"""Offsets of a topic that was deleted and made anew.

They would skip what stands before them in the new one.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from uuid import uuid4

import pytest
from flask import Flask
from sqlalchemy.exc import OperationalError

from app.settings import Settings
from app.stream.kafka import TopicIds, ingestion_consumer, producer
from app.stream.tolerant_consumer import TolerantConsumer
from app.stream.topics import GAME_EVENTS
from tests.waiting import until
from workers import group
from workers.group import Member, TopicReplacedError

KEYS = [f"{uuid4()}".encode() for _ in range(3)]


@pytest.fixture
def settings(app: Flask, own_broker: Settings) -> Settings:
    """With groups of the test's own; three messages of KEYS are in the topic."""
    own_groups = replace(own_broker, kafka_group_prefix=f"{uuid4()}-")
    with closing(producer(own_groups)) as kafka:
        for key in KEYS:
            kafka.send(GAME_EVENTS.name, b"{}", key=key)
        kafka.flush(30)
    return own_groups


def read(
    consumer: TolerantConsumer,
    topic_id: str,
    replaced: Callable[[], None] = lambda: None,
    *,
    count: int,
) -> set[bytes]:
    """The keys that a new member gets until it has seen so many of KEYS.

    Commits what it was given.
    """
    keys: set[bytes] = set()
    member = Member(consumer, GAME_EVENTS, lambda: topic_id, replaced)

    def polled() -> bool:
        records = member.poll(timeout_ms=200)
        keys.update(record.key for messages in records.values() for record in messages)
        member.commit({place: messages[-1].offset + 1 for place, messages in records.items()})
        return bool(consumer.assignment()) and len(keys & set(KEYS)) >= count

    until(polled, f"{count} messages are read")
    return keys & set(KEYS)


def test_they_are_used_in_the_same_topic_and_not_in_another_one(
    settings: Settings, broker: str
) -> None:
    if not broker:
        pytest.skip(
            "the embedded broker keeps no metadata of an offset: `make test-cluster` runs this"
        )
    replacements: list[str] = []
    with closing(ingestion_consumer(settings, GAME_EVENTS)) as consumer:
        assert read(consumer, "first", lambda: replacements.append("at once"), count=3) == set(KEYS)
    with closing(ingestion_consumer(settings, GAME_EVENTS)) as consumer:
        assert (
            read(consumer, "first", lambda: replacements.append("without a reason"), count=0)
            == set()
        )
    assert replacements == []
    with closing(ingestion_consumer(settings, GAME_EVENTS)) as consumer:
        assert read(consumer, "second", lambda: replacements.append("replaced"), count=3) == set(
            KEYS
        )
    assert replacements == ["replaced"]


def test_where_the_broker_says_no_id_offsets_are_trusted(settings: Settings) -> None:
    """One consumer for both members.

    The embedded broker's group may get stuck when one leaves and another comes.
    """
    replacements: list[str] = []
    with closing(ingestion_consumer(settings, GAME_EVENTS)) as consumer:
        assert read(consumer, "first", count=3) == set(KEYS)
        assert read(consumer, "", lambda: replacements.append("replaced"), count=0) == set()
    assert replacements == []


def test_a_topic_that_is_replaced_meanwhile_ends_the_membership(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group, "LOOK_SECONDS", 0.0)
    ids = iter(["first", "first", "second"])
    with closing(ingestion_consumer(settings, GAME_EVENTS)) as consumer:
        member = Member(consumer, GAME_EVENTS, lambda: next(ids), lambda: None)
        member.poll(timeout_ms=10)
        with pytest.raises(TopicReplacedError):
            member.poll(timeout_ms=10)


def test_where_postgresql_is_away_it_is_found_out_again(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise what was polled beside it would be skipped and the old topic's offsets be used."""

    def replaced() -> None:
        raise OperationalError("SELECT", {}, ConnectionError("away"))

    monkeypatch.setattr(Member, "_is_of_another", lambda self, place: True)
    with closing(ingestion_consumer(settings, GAME_EVENTS)) as consumer:
        member = Member(consumer, GAME_EVENTS, lambda: "second", replaced)

        def raises() -> bool:
            try:
                member.poll(timeout_ms=200)
            except TopicReplacedError:
                return True
            return False

        until(raises, "its partitions are assigned")
        with pytest.raises(TopicReplacedError):
            member.poll(timeout_ms=200)


def test_an_id_stays_the_same(settings: Settings) -> None:
    with TopicIds(settings) as ids:
        assert ids.of(GAME_EVENTS) == ids.of(GAME_EVENTS)

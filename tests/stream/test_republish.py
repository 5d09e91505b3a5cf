"""After a loss of Kafka, an empty broker is filled from the outbox (PRODUCT G3)."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import psycopg
import pytest
from flask import Flask
from psycopg.rows import dict_row
from sqlalchemy import func, select

from app.core import clock
from app.core.db import db
from app.core.postgres.connections import PostgresAway
from app.record.backlog import ingested_count
from app.record.events import Timeout
from app.settings import Settings
from app.stream.kafka import end_offsets, producer
from app.stream.models import OutboxMessage
from app.stream.republish import republish_game, republish_if_empty
from app.stream.topic_reader import read
from app.stream.topics import GAME_EVENTS, SCORE_EVENTS
from scorer_console.record.numbering import Entry
from tests.read_only import postgres_without_writes
from tests.stream.topic import new_broker
from tests.waiting import patience, until
from tests.worlds.entered_game import enter_simulated, every_row, publish, take_in
from tests.worlds.games import make_game
from tests.worlds.scorer import submit
from workers import relay
from workers.supervisor.children import Children
from workers.supervisor.processes import Command, worker


def on_topic(settings: Settings) -> dict[bytes | None, list[bytes]]:
    """The messages by key, in order."""
    messages: dict[bytes | None, list[bytes]] = {}
    for message in read(settings):
        messages.setdefault(message.key, []).append(message.value)
    return messages


def places() -> list[tuple[int | None, int | None]]:
    return [
        tuple(row)
        for row in db.session.execute(
            select(OutboxMessage.partition, OutboxMessage.offset).order_by(OutboxMessage.id)
        )
    ]


def test_an_empty_kafka_is_filled_from_the_outbox_and_the_record_stays(
    app: Flask, own_broker: Settings, tmp_path: Path, broker: str, game: str
) -> None:
    games = [game, f"{game}z"]
    for number, game_id in enumerate(games, start=3):
        enter_simulated(game_id, seed=number, steps=200)
        take_in(publish(own_broker, game_id, clock.now()), clock.now())
    published = on_topic(own_broker)
    expected = {game.encode(): published[game.encode()] for game in games}
    before = every_row()
    with new_broker(own_broker, tmp_path / "new", real_kafka=bool(broker)) as stack:
        assert on_topic(stack.settings) == {}
        assert republish_if_empty(stack.settings) == 400
        assert republish_if_empty(stack.settings) == 0, "all are waiting already"
        python = sys.executable
        children = Children(
            stack,
            [
                Command("relay-1", [python, "-m", "workers.relay"]),
                Command("bridge-1", [python, "-m", "workers.bridge"]),
                worker(1),
            ],
        )
        children.start()
        try:
            make_game(f"{game}-after")
            until(lambda: on_topic(stack.settings) == expected, "the topic holds what it held")
            submit(f"{game}-after", [Entry(Timeout(), "last")], clock.now())
            until(
                lambda: ingested_count(f"{game}-after") == 1,
                "the road is open, and what came before is through",
            )
            until(
                lambda: None not in {offset for _, offset in places()},
                "the relay has noted every place",
            )
        finally:
            children.stop()
        assert republish_if_empty(stack.settings) == 0, "a topic that holds something is left alone"
    after = every_row()
    for table in ("events", "corrections", "stat_lines", "player_points", "ledger"):
        assert set(before[table]) <= set(after[table]), table
        assert [row for row in after[table] if f"{game}-after" not in row] == before[table], table


def test_one_game_can_be_published_again_whatever_the_topic_holds(
    app: Flask, own_broker: Settings, game: str
) -> None:
    for game_id in (game, f"{game}z"):
        enter_simulated(game_id, seed=3, steps=20)
        publish(own_broker, game_id, clock.now())
    assert any(end_offsets(own_broker, GAME_EVENTS).values())
    assert republish_if_empty(own_broker) == 0
    assert republish_game(own_broker, game) == 20
    waiting = db.session.execute(
        select(OutboxMessage.game_id, func.count())
        .where(OutboxMessage.published_at.is_(None))
        .group_by("game_id")
    ).all()
    assert [tuple(row) for row in waiting] == [(game, 20)]


def test_a_game_that_goes_on_does_not_wait_until_seasons_are_published_again(
    app: Flask, own_broker: Settings, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relay, "BATCH", 10)
    monkeypatch.setattr(relay, "LATEST", 2)
    for number in range(3):
        enter_simulated(f"{game}old{number}", seed=3 + number, steps=30)
    enter_simulated(game, seed=7, steps=8)
    process = SimpleNamespace(stopping=threading.Event())
    kafka = producer(own_broker)
    try:
        with psycopg.connect(
            own_broker.psycopg_url, autocommit=True, row_factory=dict_row
        ) as connection:
            assert relay.publish(connection, kafka, process) == 18  # type: ignore[arg-type]
            assert len(on_topic(own_broker)[game.encode()]) == 8
            while relay.publish(connection, kafka, process):  # type: ignore[arg-type]
                pass
    finally:
        kafka.close()
    entered = select(OutboxMessage.payload).order_by(OutboxMessage.event_number)
    for game_id in (game, *(f"{game}old{number}" for number in range(3))):
        assert on_topic(own_broker)[game_id.encode()] == list(
            db.session.scalars(entered.where(OutboxMessage.game_id == game_id))
        )


@pytest.mark.fault(17)
def test_nothing_is_published_that_could_not_be_noted(
    app: Flask, own_broker: Settings, game: str
) -> None:
    """Else it would be sent again with each look, for as long as PostgreSQL takes no writes."""
    enter_simulated(game, seed=5, steps=3)
    process = SimpleNamespace(stopping=threading.Event())
    kafka = producer(own_broker)
    try:
        with (
            postgres_without_writes(app.config["PRESSBOX"]),
            psycopg.connect(
                own_broker.psycopg_url, autocommit=True, row_factory=dict_row
            ) as connection,
            pytest.raises(PostgresAway),
        ):
            relay.publish(connection, kafka, process)  # type: ignore[arg-type]
        kafka.flush(timeout=patience(30))
        assert game.encode() not in on_topic(own_broker)
        with psycopg.connect(
            own_broker.psycopg_url, autocommit=True, row_factory=dict_row
        ) as connection:
            assert relay.publish(connection, kafka, process) == 3  # type: ignore[arg-type]
    finally:
        kafka.close()
    assert len(on_topic(own_broker)[game.encode()]) == 3


def test_a_topic_ends_after_the_last_message_of_the_last_batch(own_broker: Settings) -> None:
    before = end_offsets(own_broker, SCORE_EVENTS)
    kafka = producer(own_broker)
    try:
        sent = [kafka.send(SCORE_EVENTS.name, key=b"one", value=b"x") for _ in range(300)]
        last = [future.get(timeout=patience(60)) for future in sent][-1]
    finally:
        kafka.close()
    assert end_offsets(own_broker, SCORE_EVENTS) == before | {last.partition: last.offset + 1}

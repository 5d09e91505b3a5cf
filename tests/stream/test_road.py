"""The road on real stores.

Outbox -> relay -> Kafka -> bridge -> RQ worker -> PostgreSQL, and what faults do to it.
"""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable

import psutil
import psycopg
import pytest
from sqlalchemy import func, select, text

from app.core import clock
from app.core.db import db
from app.core.postgres.advisory_locks import Lock
from app.core.redis.clients import jobs_redis
from app.embedded.stack import Stack
from app.record.backlog import ingested_count
from app.record.events import Timeout, decode
from app.record.models import GameState, RecordedEvent
from app.stream.models import OutboxMessage
from app.stream.topics import GAME_EVENTS
from scorer_console.record.numbering import Entry
from tests.stream.topic import ends, values_of
from tests.waiting import patience, until
from tests.worlds.games import make_game, touchdown_drive
from tests.worlds.scorer import submit
from workers.process import heartbeat_key
from workers.supervisor.children import Children


def enter(game_id: str, copies: int = 1) -> int:
    """Enters the touchdown drive `copies` times; returns how many events the game has now."""
    drive = touchdown_drive()
    for copy in range(copies):
        accepted = submit(
            game_id, [Entry(body, f"{copy}:{i}") for i, body in enumerate(drive)], clock.now()
        )
    return accepted[-1].event_number


def published() -> int:
    return (
        db.session.scalar(select(func.count()).where(OutboxMessage.published_at.is_not(None))) or 0
    )


@pytest.fixture
def in_kafka(stack: Stack) -> Callable[[str], list[int]]:
    """Return the event numbers that the test put on the topic, in the order of the log."""
    begin = ends(stack.settings, GAME_EVENTS)
    return lambda game_id: [
        decode(value).event_number for value in values_of(stack.settings, game_id, begin)
    ]


def test_the_relay_publishes_in_order_and_notes_where(
    start: Callable[..., Children], in_kafka: Callable[[str], list[int]]
) -> None:
    make_game("relay-order")
    count = enter("relay-order", 3)
    start("relay")
    until(lambda: published() == count, "all published")
    assert in_kafka("relay-order") == list(range(1, count + 1))
    places = db.session.execute(
        select(OutboxMessage.partition, OutboxMessage.offset).order_by(OutboxMessage.event_number)
    ).all()
    assert len({partition for partition, _ in places}) == 1
    assert [offset for _, offset in places] == sorted(offset for _, offset in places)


def test_nothing_of_a_practice_game_is_published(
    start: Callable[..., Children], in_kafka: Callable[[str], list[int]]
) -> None:
    make_game("real")
    make_game("practice").is_practice = True
    db.session.commit()
    enter("practice")
    count = enter("real")
    start("relay")
    until(lambda: published() == count, "the real game published")
    assert in_kafka("real") == list(range(1, count + 1))
    assert in_kafka("practice") == []


@pytest.mark.everyday("an entry's whole path")
def test_an_entry_reaches_the_record_and_doubles_change_nothing(
    start: Callable[..., Children], in_kafka: Callable[[str], list[int]]
) -> None:
    make_game("whole-road")
    start("worker", "bridge", "relay")
    count = enter("whole-road", 2)
    until(lambda: ingested_count("whole-road") == count, "all in the record")
    until(lambda: db.session.get(GameState, "whole-road") is not None, "a state")
    until(lambda: published() == count, "the relay has noted all that it published")
    before = rows("whole-road")
    # Published once more, as after a relay killed between the acknowledgement and its note.
    db.session.execute(text("UPDATE outbox SET published_at = NULL"))
    db.session.commit()
    until(lambda: published() == count, "published again")
    extra = enter_more("whole-road")
    until(lambda: ingested_count("whole-road") == extra, "what came after the doubles")
    assert len(in_kafka("whole-road")) == 2 * count + 1
    assert rows("whole-road")[:-1] == before


def rows(game_id: str) -> list[tuple[object, ...]]:
    recorded = db.session.execute(
        select(
            RecordedEvent.event_number,
            RecordedEvent.revision,
            RecordedEvent.valid,
            RecordedEvent.offset,
        )
        .where(RecordedEvent.game_id == game_id)
        .order_by(RecordedEvent.event_number)
    )
    return [tuple(row) for row in recorded]


def enter_more(game_id: str) -> int:
    return submit(game_id, [Entry(Timeout(reason="last"), "last")], clock.now())[0].event_number


@pytest.mark.everyday("an entry's whole path")
def test_killed_processes_lose_nothing_and_double_nothing(start: Callable[..., Children]) -> None:
    make_game("kills")
    children = start("worker", "worker", "bridge", "bridge", "relay", "relay")
    victims = {3: "relay", 6: "bridge", 9: "worker"}
    total = 0
    drive = touchdown_drive()
    for copy in range(12):
        entries = [Entry(body, f"{copy}:{i}") for i, body in enumerate(drive)]
        total = submit("kills", entries, clock.now())[-1].event_number
        if copy in victims:
            process = next(
                p for name, p in children.running.items() if name.startswith(victims[copy])
            )
            process.send_signal(signal.SIGKILL)
            process.wait(timeout=patience(60))
    until(
        lambda: ingested_count("kills") == total,
        "all in the record although three were killed",
        seconds=300,
    )
    assert [number for number, *_ in rows("kills")] == list(range(1, total + 1))


def broker_processes(stack: Stack) -> list[psutil.Process]:
    """The brokers of this session, embedded or Apache's, found by the ports they listen on."""
    ports = {int(address.rsplit(":", 1)[1]) for address in stack.settings.kafka_servers}
    listening = (
        connection
        for connection in psutil.net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    )
    return [
        psutil.Process(connection.pid) for connection in listening if connection.laddr.port in ports
    ]


def is_at_work(relay: subprocess.Popen[bytes]) -> bool:
    """Whether the relay has something in hand, and not only just now.

    Its heartbeat says since when.
    """
    beat = jobs_redis().get(heartbeat_key("relay", relay.pid))
    return beat is not None and b" " in beat


@pytest.mark.fault(2)
def test_while_kafka_does_not_answer_entries_are_accepted_and_published_in_order_when_it_does(
    start: Callable[..., Children], stack: Stack, in_kafka: Callable[[str], list[int]]
) -> None:
    make_game("away")
    relay = start("worker", "bridge", "relay").running["relay-2"]
    count = enter("away")
    until(lambda: ingested_count("away") == count, "the first drive in the record")
    until(lambda: published() == count, "the relay has noted all that it published")
    until(lambda: not is_at_work(relay), "the relay rests")
    brokers = broker_processes(stack)
    for broker in brokers:
        broker.suspend()
    try:
        total = submit(
            "away", [Entry(body, f"x:{i}") for i, body in enumerate(touchdown_drive())], clock.now()
        )
        until(lambda: is_at_work(relay), "the relay waits for an answer")
        assert published() == count, "published without an answer"
    finally:
        for broker in brokers:
            broker.resume()
    until(
        lambda: ingested_count("away") == total[-1].event_number, "all in the record", seconds=300
    )
    first_copies = list(dict.fromkeys(in_kafka("away")))
    assert first_copies == list(range(1, total[-1].event_number + 1))


def test_only_one_relay_publishes_at_a_time(start: Callable[..., Children], stack: Stack) -> None:
    make_game("two-relays")
    since = db.session.scalar(text("SELECT clock_timestamp()"))
    asks = text(
        "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_try_advisory_lock%' AND "
        "query_start > :since"
    )
    with psycopg.connect(stack.settings.psycopg_url, autocommit=True) as holder:
        holder.execute("SELECT pg_advisory_lock(%s)", (Lock.RELAY,))
        start("relay")
        count = enter("two-relays")
        until(lambda: db.session.scalar(asks, {"since": since}) == 1, "the relay asks for the lock")
        assert published() == 0, "published while another relay holds the lock"
        holder.execute("SELECT pg_advisory_unlock(%s)", (Lock.RELAY,))
        until(lambda: published() == count, "published once the lock is free")

"""A stranger who reaches the broker writes into the topics with a plain client.

Nothing of it is taken in.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace
from uuid import UUID

import psycopg
import pytest
from flask import Flask
from kafka import KafkaProducer
from psycopg.rows import dict_row
from sqlalchemy import func, select

from app.boards.models import Mode
from app.core import clock
from app.core.blob_store import BlobStore
from app.core.db import db
from app.embedded.stack import Stack
from app.record import events as ev
from app.record.backlog import ingested_count
from app.record.models import GameState, RecordedEvent
from app.record.rebuild import Stream, identifier
from app.scores import events as score_events
from app.scores.models import ScoreAttempt
from app.scores.submission import submit as submitting
from app.settings import Settings
from app.stream import archive as archiving
from app.stream.kafka import connection, producer
from app.stream.models import DeadLetter, RefusedMessages
from app.stream.refused_messages import KEPT, KEPT_BYTES
from app.stream.republish import republish_game
from app.stream.signing import SIGNATURE, StreamKeys
from app.stream.tail import tail
from app.stream.topics import GAME_EVENTS, SCORE_EVENTS
from scorer_console.record.numbering import Entry
from tests.scores.conftest import game as score_game
from tests.scores.conftest import make_mode, players
from tests.stream.topic import ends, not_ours
from tests.waiting import patience, until
from tests.worlds.claims import claim, send
from tests.worlds.games import make_game, touchdown_drive
from tests.worlds.score_log import check_boards, score_event
from tests.worlds.scorer import submit
from workers.relay import publish
from workers.supervisor.children import Children

__all__ = ["make_mode", "players", "score_game"]

Start = Callable[..., Children]
COPIES = 8


@pytest.fixture
def game(score_game: object) -> object:
    """The game of the scores, for the fixtures of tests/scores."""
    return score_game


@contextmanager
def stranger(settings: Settings) -> Iterator[KafkaProducer]:
    """A client of somebody who reaches the brokers and knows nothing else.

    Not the key of signatures.
    """
    producer = KafkaProducer(**connection(settings))
    try:
        yield producer
    finally:
        producer.close()


def forged_events(game_id: str, number: int) -> list[bytes]:
    """A touchdown, a nullify of the first play and a final score, as the game's next events."""
    bodies: list[ev.Body] = [
        ev.Run(
            team="SUM", player="S3", kind="rush", start_yard=25, end_yard=100, is_touchdown=True
        ),
        ev.Nullify(events=(1,), reason="did not happen"),
        ev.Final(home_score=0, away_score=99),
    ]
    return [
        ev.encode(
            ev.GameEvent(
                game_id=game_id,
                event_number=number + place,
                play_number=1,
                epoch=1,
                recorded_at=1_789_000_000_000,
                body=body,
            )
        )
        for place, body in enumerate(bodies)
    ]


def forge(kafka: KafkaProducer, game_id: str, number: int) -> int:
    """Sends forged events without a signature and with one of the stranger's own.

    Returns how many messages.
    """
    forger = StreamKeys(["a key that the stranger made up, long enough"])
    key, values = game_id.encode(), forged_events(game_id, number)
    for value in values:
        kafka.send(GAME_EVENTS.name, key=key, value=value)
        kafka.send(
            GAME_EVENTS.name,
            key=key,
            value=value,
            headers=forger.headers(GAME_EVENTS.name, key, value),
        )
    return 2 * len(values)


def refused(topic: str) -> int:
    return (
        db.session.scalar(
            select(func.sum(RefusedMessages.messages)).where(RefusedMessages.topic == topic)
        )
        or 0
    )


def letters(topic: str, key: str | None = None) -> list[DeadLetter]:
    db.session.rollback()
    which = [DeadLetter.topic == topic] + ([] if key is None else [DeadLetter.key == key])
    return list(db.session.scalars(select(DeadLetter).where(*which).order_by(DeadLetter.id)))


def test_forged_events_and_scores_are_dead_letters_while_real_ones_flow(
    start: Start,
    stack: Stack,
    make_mode: Callable[..., Mode],
    players: Callable[[int], list[UUID]],
    measured: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(submitting, "WAIT_SECONDS", patience(60))
    game_id = "forged-live"
    make_game(game_id)
    mode = make_mode(aggregation="sum")
    ann, bob = players(2)
    begin = ends(stack.settings, GAME_EVENTS, SCORE_EVENTS)
    start("worker", "bridge", "relay", "scores")
    entered, forged = 0, 0
    with stranger(stack.settings) as kafka:
        for copy in range(COPIES):
            entries = [
                Entry(body, f"{copy}:{place}") for place, body in enumerate(touchdown_drive())
            ]
            # Before the real entries of these numbers, so that they would be taken in their place.
            forged += forge(kafka, game_id, entered + 1)
            entered = submit(game_id, entries, clock.now())[-1].event_number
            score = score_event(mode, bob, 9_000 + copy)
            kafka.send(
                SCORE_EVENTS.name, key=score_events.key_of(score), value=score_events.encode(score)
            )
            forged += 1
            kafka.flush(120)
            send(claim(mode, ann, 100 + copy))
    until(lambda: ingested_count(game_id) == entered, "all real entries in the record", seconds=300)
    # A client that had no answer sends a message twice, so what lies on the topics counts, not what
    # was sent.
    strangers = not_ours(stack.settings, begin)
    assert len(strangers) >= forged
    until(
        lambda: refused(GAME_EVENTS.name) + refused(SCORE_EVENTS.name) >= len(strangers),
        "all forged ones seen",
    )
    db.session.rollback()

    rows = db.session.execute(
        select(RecordedEvent.event_number, RecordedEvent.type).where(
            RecordedEvent.game_id == game_id
        )
    ).all()
    numbers = sorted(number for number, _ in rows)
    lost = len(set(range(1, entered + 1)) - set(numbers))
    doubled = len(numbers) - len(set(numbers))
    taken_in = sum(kind in ("nullify", "final") for _, kind in rows)
    state = db.session.get_one(GameState, game_id)
    assert (lost, doubled, taken_in, state.status) == (0, 0, 0, "live")
    assert (state.home_score, state.away_score) == (7 * COPIES, 0)

    attempts = db.session.execute(select(ScoreAttempt.player_id, ScoreAttempt.score)).all()
    assert sorted(attempts, key=lambda row: row.score) == [
        (ann, 100 + copy) for copy in range(COPIES)
    ]
    check_boards(mode)

    stored = letters(GAME_EVENTS.name) + letters(SCORE_EVENTS.name)
    assert sorted((letter.topic, letter.partition, letter.offset) for letter in stored) == sorted(
        strangers
    )
    assert not any(letter.is_ours for letter in stored)
    reasons = Counter((letter.reason.split(":")[0], letter.payload) for letter in stored)
    assert Counter(reason for reason, _ in reasons) == {
        "unsigned": 4 * COPIES,
        "bad-signature": 3 * COPIES,
    }
    measured(
        f"forged messages beside {entered} entries and {COPIES} scores: forged {forged}, taken in "
        f"{taken_in}, "
        f"real lost {lost}, doubled {doubled}, shown to the operator {len(stored)}"
    )


def test_a_signed_message_cannot_be_sent_on_in_another_game(start: Start, stack: Stack) -> None:
    for game_id in ("moved-from", "moved-to"):
        make_game(game_id)
    start("worker", "bridge", "relay")
    count = submit(
        "moved-from", [Entry(body, str(n)) for n, body in enumerate(touchdown_drive())], clock.now()
    )
    until(lambda: ingested_count("moved-from") == len(count), "the first game in the record")
    keys = StreamKeys.of(stack.settings)
    signed = next(
        value
        for _, _, value in tail(
            stack.settings, from_beginning=True, game_id="moved-from", until_end=True
        )
    )
    headers = keys.headers(GAME_EVENTS.name, b"moved-from", signed)
    with stranger(stack.settings) as kafka:
        moved = signed.replace(b"moved-from", b"moved-to")
        kafka.send(GAME_EVENTS.name, key=b"moved-to", value=moved, headers=headers)
        kafka.send(GAME_EVENTS.name, key=b"moved-to", value=signed, headers=headers)
        # a double of ours: harmless
        kafka.send(GAME_EVENTS.name, key=b"moved-from", value=signed, headers=headers)
        kafka.flush(120)
    until(lambda: len(letters(GAME_EVENTS.name, "moved-to")) == 2, "both refused")
    assert ingested_count("moved-to") == 0
    assert {letter.reason.split(":")[0] for letter in letters(GAME_EVENTS.name)} == {
        "bad-signature"
    }


def test_neither_rebuilding_nor_archive_nor_tail_reads_a_forged_message(
    app: Flask, own_broker: Settings
) -> None:
    make_game("forged-g")
    with stranger(own_broker) as kafka:
        for value in forged_events("forged-g", 1):
            kafka.send(
                GAME_EVENTS.name, key=b"forged-g", value=value, headers=[(SIGNATURE, b"\0" * 32)]
            )
        kafka.flush(120)
    assert list(tail(own_broker, from_beginning=True, until_end=True)) == []
    store = BlobStore(str(own_broker.var / "blobs"))
    assert Stream(own_broker, store, clock.now()).on_topic("forged-g") == {}
    outcome = archiving.archive(
        own_broker,
        archiving.ArchiveRun(store, clock.now(), identifier(), lambda _: None),
        before=clock.now(),
    )
    assert (outcome.messages, outcome.strangers) == (0, 3)


def test_a_flood_is_counted_and_does_not_fill_the_dead_letters(start: Start, stack: Stack) -> None:
    make_game("flooded")
    flood = 2 * KEPT
    with stranger(stack.settings) as kafka:
        for number in range(flood):
            kafka.send(
                GAME_EVENTS.name,
                key=b"flooded" * 100,
                value=b"x" * (2 * KEPT_BYTES if number % 500 == 0 else 9),
            )
        kafka.flush(300)
    start("worker", "bridge", "relay")
    count = submit(
        "flooded", [Entry(body, str(n)) for n, body in enumerate(touchdown_drive())], clock.now()
    )
    until(
        lambda: ingested_count("flooded") == len(count),
        "the real entries in the record",
        seconds=300,
    )
    until(lambda: refused(GAME_EVENTS.name) >= flood, "every one counted", seconds=300)
    stored = letters(GAME_EVENTS.name)
    assert KEPT <= len(stored) < KEPT + 500
    assert max(len(letter.payload) for letter in stored) == KEPT_BYTES
    assert max(len(letter.key or "") for letter in stored) == 200


def test_the_messages_of_a_removed_key_are_dead_letters_and_come_in_once_they_are_published_anew(
    start: Start, stack: Stack
) -> None:
    make_game("rotated")
    signed_with_old = replace(stack.settings, stream_keys="o" * 32)
    submit(
        "rotated", [Entry(body, str(n)) for n, body in enumerate(touchdown_drive())], clock.now()
    )
    start("worker", "bridge")
    _relay_once(signed_with_old)
    until(lambda: len(letters(GAME_EVENTS.name, "rotated")) == 11, "refused")
    assert {letter.reason for letter in letters(GAME_EVENTS.name, "rotated")} == {
        "bad-signature: it is signed with a key that is not among STREAM_KEYS"
    }
    republish_game(stack.settings, "rotated")
    start("relay")
    until(lambda: ingested_count("rotated") == 11, "in the record after all")


def _relay_once(settings: Settings) -> None:
    """One look of a relay into the outbox."""
    process = SimpleNamespace(stopping=threading.Event())
    kafka = producer(settings)
    try:
        with psycopg.connect(
            settings.psycopg_url, autocommit=True, row_factory=dict_row
        ) as connection:
            publish(connection, kafka, process)  # type: ignore[arg-type]
    finally:
        kafka.close()

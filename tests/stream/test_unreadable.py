"""What kafka-python cannot parse stops no consumer.

It is refused at its own offset, and nothing else is.
"""

from __future__ import annotations

import gzip
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from uuid import UUID, uuid4

import pytest
from kafka import KafkaAdminClient, KafkaProducer, TopicPartition
from kafka.admin import NewTopic
from kafka.errors import KafkaError
from kafka.record.default_records import DefaultRecordBatchBuilder
from kafka.record.util import calc_crc32c
from sqlalchemy import func, select

from app.boards.models import Mode
from app.core import clock
from app.core.db import db
from app.embedded.stack import Stack
from app.record.backlog import ingested_count
from app.scores.models import ScoreAttempt
from app.scores.submission import submit as submitting
from app.settings import Settings
from app.stream.kafka import connection, producer
from app.stream.models import DeadLetter, RefusedMessages
from app.stream.signing import StreamKeys
from app.stream.tail import tail
from app.stream.tolerant_consumer import INFLATED_BYTES, TolerantConsumer, fault_of
from app.stream.topics import GAME_EVENTS, SCORE_EVENTS
from scorer_console.record.numbering import Entry
from tests.scores.conftest import game as score_game
from tests.scores.conftest import make_mode, players
from tests.waiting import join, patience, until
from tests.worlds.claims import claim, send
from tests.worlds.games import make_game, touchdown_drive
from tests.worlds.scorer import submit
from workers.supervisor.children import Children

__all__ = ["make_mode", "players", "score_game"]

Tamper = Callable[[bytearray], None]
HEADER_BYTES = 61  # of a batch, before its records
ATTRIBUTES, LAST_DELTA, COUNT = 21, 23, 57
BAD = b"bad"


@pytest.fixture
def game(score_game: object) -> object:
    """The game of the scores, for the fixtures of tests/scores."""
    return score_game


class NotUtf8(str):
    def encode(self, *_: object) -> bytes:  # type: ignore[override]
        return b"\xff\xfe"


def sealed(batch: bytearray) -> None:
    struct.pack_into(">i", batch, 8, len(batch) - 12)
    struct.pack_into(">I", batch, 17, calc_crc32c(memoryview(batch)[ATTRIBUTES:]))


def field(layout: str, place: int, value: int) -> Tamper:
    def tamper(batch: bytearray) -> None:
        struct.pack_into(layout, batch, place, value)
        sealed(batch)

    return tamper


def compressed(codec: int, pack: Callable[[bytes], bytes]) -> Tamper:
    def tamper(batch: bytearray) -> None:
        batch[HEADER_BYTES:] = pack(bytes(batch[HEADER_BYTES:]))
        field(">h", ATTRIBUTES, codec)(batch)

    return tamper


def zstd(data: bytes) -> bytes:
    """A true frame of Zstandard: one block, stored as it is."""
    return (
        b"\x28\xb5\x2f\xfd\x20"
        + bytes([len(data)])
        + (1 | len(data) << 3).to_bytes(3, "little")
        + data
    )


def wrong_checksum(batch: bytearray) -> None:
    batch[-3] ^= 0xFF


def garbage(batch: bytearray) -> None:
    batch[HEADER_BYTES:] = b"\xff" * (len(batch) - HEADER_BYTES)
    sealed(batch)


def beyond_its_batch(batch: bytearray) -> None:
    assert batch[HEADER_BYTES + 3] == 0, "offset 0 of the batch"
    batch[HEADER_BYTES + 3] = 100  # as a varint: 50
    sealed(batch)


def old_format(batch: bytearray) -> None:
    batch[16] = 1


TAMPERED: dict[str, Tamper] = {
    "header": sealed,
    "zstd": compressed(4, zstd),
    "lz4": compressed(3, lambda _: b"no lz4"),
    "snappy": compressed(2, lambda _: b"no snappy"),
    "no gzip": compressed(1, lambda _: b"no gzip"),
    "half a gzip": compressed(1, lambda data: gzip.compress(data)[:-12]),
    "a gzip that swells": compressed(1, lambda _: gzip.compress(b"\0" * (INFLATED_BYTES + 1))),
    "wrong checksum": wrong_checksum,
    "garbage": garbage,
    "fewer records than it says": field(">i", COUNT, 100),
    "an offset beyond its batch": beyond_its_batch,
    "old format": old_format,
}


@contextmanager
def tampering(how: Tamper, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    build = DefaultRecordBatchBuilder.build

    def tampered(builder: DefaultRecordBatchBuilder) -> bytearray:
        batch = bytearray(build(builder))
        how(batch)
        return batch

    with monkeypatch.context() as patch:
        patch.setattr(DefaultRecordBatchBuilder, "build", tampered)
        yield


def write_unreadable(
    settings: Settings, topic: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> int | None:
    """Its offset; None when the broker did not take it."""
    stranger = KafkaProducer(
        **connection(settings), enable_idempotence=False, retries=0, delivery_timeout_ms=31_000
    )
    headers = [(NotUtf8("x"), b"")] if name == "header" else []
    try:
        with tampering(TAMPERED[name], monkeypatch):
            offset = (
                stranger.send(topic, BAD, headers=headers, partition=0)
                .get(timeout=patience(60))
                .offset
            )
            return int(offset)
    except KafkaError:
        return None
    finally:
        stranger.close(timeout=1)


def new_topic(settings: Settings) -> str:
    name = f"unreadable-{uuid4().hex[:8]}"
    admin = KafkaAdminClient(**connection(settings))
    try:
        admin.create_topics([NewTopic(name, num_partitions=1, replication_factor=1)])
    finally:
        admin.close()
    return name


def polled(settings: Settings, topic: str, start: int, end: int) -> list:
    """What `poll` returns between two offsets, in a thread, because a poll may never return."""
    records: list = []

    def read() -> None:
        consumer = TolerantConsumer(
            **connection(settings), enable_auto_commit=False, max_poll_records=1
        )
        place = TopicPartition(topic, 0)
        consumer.assign([place])
        consumer.seek(place, start)
        while consumer.position(place) < end:
            for batch in consumer.poll(timeout_ms=200).values():
                records.extend(batch)
        consumer.close()

    reading = threading.Thread(target=read, daemon=True)
    reading.start()
    join(reading)
    return records


@pytest.mark.parametrize("name", TAMPERED)
def test_an_unreadable_record_is_refused_alone(
    own_broker: Settings, broker: str, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    topic = new_topic(own_broker)
    keys = StreamKeys.of(own_broker)
    signing = producer(own_broker)
    try:
        signing.send(topic, b"one").get(timeout=patience(60))
        bad = write_unreadable(own_broker, topic, name, monkeypatch)
        assert bad is not None or broker, "only Apache Kafka may refuse it itself"
        two, three = (
            signing.send(topic, value).get(timeout=patience(60)).offset
            for value in (b"two", b"three")
        )
    finally:
        signing.close()
    records = polled(own_broker, topic, 0, three + 1)
    assert [
        (record.offset, record.value) for record in records if fault_of(keys, record) is None
    ] == [
        (0, b"one"),
        (two, b"two"),
        (three, b"three"),
    ]
    refused = [record for record in records if fault_of(keys, record) is not None]
    assert [record.offset for record in refused] == ([] if bad is None else [bad])
    # Begun anew at any offset, as after a restart, it gives the rest.
    for start in range(three + 1):
        again = polled(own_broker, topic, start, three + 1)
        assert [record.offset for record in again] == [
            record.offset for record in records if record.offset >= start
        ]


def refused_as_unreadable(topic: str) -> int:
    db.session.rollback()
    which = (RefusedMessages.topic == topic, RefusedMessages.reason.startswith("unreadable"))
    return db.session.scalar(select(func.sum(RefusedMessages.messages)).where(*which)) or 0


@pytest.mark.fault(11)
def test_the_record_and_the_scores_go_on_past_unreadable_messages(
    start: Callable[..., Children],
    stack: Stack,
    make_mode: Callable[..., Mode],
    players: Callable[[int], list[UUID]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(submitting, "WAIT_SECONDS", patience(60))
    game_id = f"unreadable-{uuid4().hex[:8]}"
    make_game(game_id)
    mode = make_mode(aggregation="sum")
    (ann,) = players(1)
    for topic in (GAME_EVENTS.name, SCORE_EVENTS.name):
        assert write_unreadable(stack.settings, topic, "header", monkeypatch) is not None
        assert write_unreadable(stack.settings, topic, "zstd", monkeypatch) is not None
    start("worker", "bridge", "relay", "scores")
    entered = submit(
        game_id, [Entry(body, str(n)) for n, body in enumerate(touchdown_drive())], clock.now()
    )
    send(claim(mode, ann, 100))
    until(lambda: ingested_count(game_id) == len(entered), "all entries in the record")
    until(
        lambda: (
            [refused_as_unreadable(topic.name) >= 2 for topic in (GAME_EVENTS, SCORE_EVENTS)]
            == [True, True]
        ),
        "the unreadable ones counted",
    )
    assert db.session.scalars(select(ScoreAttempt.score)).all() == [100]
    letters = db.session.scalars(select(DeadLetter)).all()
    assert len(letters) == 4
    assert not any(letter.is_ours for letter in letters)
    assert sum(BAD in letter.payload for letter in letters) == 4
    assert len(
        list(tail(stack.settings, from_beginning=True, game_id=game_id, until_end=True))
    ) == len(entered)

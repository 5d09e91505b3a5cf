"""The archive finds damaged or lost objects and rewrites them, or names what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import text

from app.core.blob_store import BlobStore
from app.core.db import db
from app.record.events import decode
from app.record.rebuild import identify
from app.settings import Settings
from app.stream.archive import ArchiveFailedError, ArchiveRun, check
from app.stream.messages import Message
from app.stream.models import OutboxMessage
from app.stream.restore import ArchiveBrokenError, archived
from tests.stream.archives import NOW, OLD, numbers, objects, rows, run
from tests.stream.topic import new_broker, put
from tests.worlds.games import make_game, messages, touchdown_drive


def break_object(store: BlobStore, name: str) -> None:
    data = store.get(name)
    middle = len(data) // 2
    store.put(name, data[: middle - 200] + bytes(200) + data[middle:])


def test_a_broken_object_is_reported_and_written_again_from_the_topic(
    app: Flask, own_broker: Settings, each_store: BlobStore, game: str
) -> None:
    put(own_broker, messages(touchdown_drive(), game), OLD)
    run(own_broker, each_store, game)
    name = rows()[0][0]
    break_object(each_store, name)
    outcome = run(own_broker, each_store, game)
    assert len(outcome.faults) == 1
    assert outcome.faults[0].startswith(f"{name} was broken: it cannot be read as Parquet")
    assert outcome.faults[0].endswith("it was rewritten.")
    assert (numbers(each_store, game), outcome.unrepaired) == (list(range(1, 12)), 0)
    assert run(own_broker, each_store, game).faults == []


def to_outbox(published: list[Message]) -> None:
    for message in published:
        event = decode(message.value)
        db.session.add(
            OutboxMessage(
                game_id=event.game_id,
                event_number=event.event_number,
                play_number=event.play_number,
                idempotency_key=str(event.event_number),
                payload=message.value,
                published_at=OLD,
                partition=message.partition,
                offset=message.offset,
            )
        )
    db.session.commit()


def test_what_the_topic_no_longer_has_is_repaired_from_the_outbox_or_reported(
    app: Flask, own_broker: Settings, store: BlobStore, game: str
) -> None:
    make_game(game)
    to_outbox(put(own_broker, messages(touchdown_drive(), game), OLD))
    run(own_broker, store, game)
    name = rows()[0][0]
    whole = objects(store, game)
    break_object(store, name)
    repaired = check(ArchiveRun(store, NOW, identify, lambda _: None))
    assert (len(repaired.faults), repaired.unrepaired) == (1, 0)
    for part, was in zip(objects(store, game).values(), whole.values(), strict=True):
        assert [(r["offset"], r["payload"]) for r in part] == [
            (r["offset"], r["payload"]) for r in was
        ]

    db.session.execute(text("DELETE FROM outbox"))
    db.session.commit()
    break_object(store, name)
    lost = check(ArchiveRun(store, NOW, identify, lambda _: None))
    assert lost.unrepaired == 1
    assert f"{name} is broken" in lost.faults[0]
    assert "Restore the object from a backup" in lost.faults[0]
    assert [verified for *_, verified in rows()] == [False]
    again = run(own_broker, store, game)
    assert (again.unrepaired, "rewritten" in again.faults[0]) == (0, True)
    assert [verified for *_, verified in rows()] == [True]


def test_what_is_left_of_a_lost_object_is_archived_anew_without_doubles(
    app: Flask, own_broker: Settings, store: BlobStore, tmp_path: Path, broker: str, game: str
) -> None:
    whole = messages(touchdown_drive(), game)
    put(own_broker, whole, OLD)
    run(own_broker, store, game)
    name = rows()[0][0]
    whole_object = store.get(name)
    break_object(store, name)
    with new_broker(own_broker, tmp_path / "new", real_kafka=bool(broker)) as stack:
        put(stack.settings, whole[6:], OLD)
        outcome = run(stack.settings, store, game)
        assert (outcome.messages, outcome.unrepaired) == (5, 1)
        assert [(events, verified) for _, _, events, verified in rows()] == [
            (list(range(1, 12)), False),
            (list(range(7, 12)), True),
        ]
        with pytest.raises(ArchiveBrokenError, match=r"0001.parquet \(events 1-11\) is broken"):
            archived(store, game, NOW, identify)
        store.put(name, whole_object)  # brought back from a backup
        assert run(stack.settings, store, game).messages == 0
    assert list(archived(store, game, NOW, identify)) == list(range(1, 12))
    assert sorted(n for *_, events, verified in rows() if verified for n in events) == list(
        range(7, 12)
    )


class ForgetfulStore(BlobStore):
    """Keeps only the beginning of what it is given."""

    def put(self, name: str, data: bytes) -> None:
        super().put(name, data[: len(data) // 2])


def test_an_object_that_is_not_read_back_whole_does_not_count(
    app: Flask, own_broker: Settings, tmp_path: Path, game: str
) -> None:
    put(own_broker, messages(touchdown_drive(), game), OLD)
    with pytest.raises(
        ArchiveFailedError,
        match="could not be read back correctly: it cannot be read as Parquet",
    ):
        run(own_broker, ForgetfulStore(str(tmp_path)), game)
    assert rows() == []
    assert run(own_broker, BlobStore(str(tmp_path)), game).messages == 11
    assert numbers(BlobStore(str(tmp_path)), game) == list(range(1, 12))


def test_an_archive_outlives_its_database(
    app: Flask, own_broker: Settings, store: BlobStore, game: str
) -> None:
    put(own_broker, messages(touchdown_drive(), game), OLD)
    run(own_broker, store, game)
    before = rows()
    db.session.execute(text("TRUNCATE archived_segments"))
    db.session.commit()
    outcome = run(own_broker, store, game)
    assert (outcome.adopted, outcome.messages, rows()) == (1, 0, before)


def test_half_an_object_without_a_row_is_written_over(
    app: Flask, own_broker: Settings, store: BlobStore, game: str
) -> None:
    put(own_broker, messages(touchdown_drive(), game), OLD)
    run(own_broker, store, game)
    name = rows()[0][0]
    db.session.execute(text("TRUNCATE archived_segments"))
    db.session.commit()
    store.put(name, store.get(name)[:500])
    outcome = run(own_broker, store, game)
    assert (outcome.messages, outcome.faults) == (11, [])
    assert numbers(store, game) == list(range(1, 12))

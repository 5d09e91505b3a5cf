"""The archive on a real broker and a real blob store.

Whole and without doubles, even when it is killed.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest
from flask import Flask
from sqlalchemy import event, text

from app.core import clock
from app.core.blob_store import BlobStore, BlobStoreError
from app.core.db import db
from app.core.postgres.advisory_locks import Lock
from app.core.postgres.connections import connect
from app.core.postgres.timeouts import Database
from app.record.events import Timeout
from app.record.rebuild import identify
from app.settings import Settings
from app.stream.archive import ArchiveBusyError, ArchiveRun, archive, folder
from app.stream.messages import Message
from tests.killing import Killed
from tests.stream.archives import DAY, NOW, OLD, numbers, objects, rows, run
from tests.stream.topic import new_broker, put
from tests.worlds.games import messages, touchdown_drive
from workers.jobs import archive_stream


def test_old_messages_become_one_object_a_game_and_day(
    app: Flask, own_broker: Settings, each_store: BlobStore, game: str
) -> None:
    drive = touchdown_drive()
    first = put(own_broker, messages(drive[:4], game), OLD)
    second = put(own_broker, messages(drive[4:], game, first=5), OLD + DAY)
    other = put(own_broker, messages(drive, f"{game}z"), OLD)
    put(own_broker, messages(drive[:2], game, first=12), NOW)
    outcome = run(own_broker, each_store, game, f"{game}z")
    assert (outcome.messages, outcome.segments, outcome.faults) == (22, 3, [])
    days = [(OLD + n * DAY).date().isoformat() for n in (0, 1)]
    archived = objects(each_store, game)
    assert list(archived) == [f"day={days[0]}/0001.parquet", f"day={days[1]}/0001.parquet"]
    expected = [
        {
            "topic": m.topic,
            "partition": m.partition,
            "offset": m.offset,
            "key": game.encode(),
            "timestamp": datetime.fromtimestamp(clock.to_ms(at) / 1000, UTC),
            "payload": m.value,
        }
        for part, at in ((first, OLD), (second, OLD + DAY))
        for m in part
    ]
    assert [row for part in archived.values() for row in part] == expected
    assert [
        row["payload"] for row in objects(each_store, f"{game}z")[f"day={days[0]}/0001.parquet"]
    ] == [m.value for m in other]
    assert [row[1:] for row in rows()] == [
        (4, [1, 2, 3, 4], True),
        (7, [5, 6, 7, 8, 9, 10, 11], True),
        (11, list(range(1, 12)), True),
    ]


def test_a_second_run_adds_only_what_has_come_of_age(
    app: Flask, own_broker: Settings, store: BlobStore, game: str
) -> None:
    put(own_broker, messages(touchdown_drive(), game), OLD)
    put(own_broker, messages([Timeout()], game, first=12), OLD + DAY * 2.5)
    assert run(own_broker, store, game).messages == 11
    before = rows()
    again = run(own_broker, store, game)
    assert (again.messages, again.known, rows()) == (0, 11, before)
    assert run(own_broker, store, game, older_than=timedelta(0)).messages == 1
    assert numbers(store, game) == list(range(1, 13))


def test_a_later_message_of_the_same_day_gets_a_segment_of_its_own(
    app: Flask, own_broker: Settings, store: BlobStore, game: str
) -> None:
    put(own_broker, messages(touchdown_drive(), game), OLD)
    run(own_broker, store, game)
    put(own_broker, messages([Timeout()], game, first=12), OLD)
    run(own_broker, store, game)
    assert [name[-12:] for name, *_ in rows()] == ["0001.parquet", "0002.parquet"]
    assert numbers(store, game) == list(range(1, 13))


class MortalStore(BlobStore):
    """Dies before or after any of its acts, when `tick` says so."""

    def __init__(self, store: BlobStore, tick: Callable[[], None]) -> None:
        self.__dict__ |= store.__dict__
        self.tick = tick

    def put(self, name: str, data: bytes) -> None:
        self.tick()
        super().put(name, data)
        self.tick()

    def get(self, name: str) -> bytes:
        self.tick()
        return super().get(name)

    def names(self, prefix: str) -> list[str]:
        self.tick()
        return super().names(prefix)


@pytest.fixture
def killed_at(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> Callable[[int, Callable[[Callable[[], None]], object]], int]:
    """Run an act, kill it before step `at`, and return how many steps began.

    A step is a statement (of the lock's own connection too) or an act of the store.
    """

    def kill(at: int, act: Callable[[Callable[[], None]], object]) -> int:
        begun = 0

        def tick(*_: object) -> None:
            nonlocal begun
            if begun == at:
                raise Killed
            begun += 1

        def connected(database: Database, autocommit: bool) -> psycopg.Connection[Any]:
            connection = connect(database, autocommit=autocommit)
            execute = connection.execute

            def execute_after_tick(*arguments: Any) -> psycopg.Cursor[Any]:
                tick()
                return execute(*arguments)

            connection.execute = execute_after_tick  # type: ignore[method-assign]
            return connection

        event.listen(db.engine, "before_cursor_execute", tick)
        try:
            with monkeypatch.context() as patch:
                patch.setattr("app.core.db.connect", connected)
                act(tick)
        except Killed:
            db.session.rollback()
        finally:
            event.remove(db.engine, "before_cursor_execute", tick)
        return begun

    return kill


def test_killed_between_any_two_steps_nothing_is_lost_or_doubled(
    killed_at: Callable[..., int], own_broker: Settings, tmp_path: Path, game: str
) -> None:
    put(own_broker, messages(touchdown_drive()[:6], game), OLD)
    put(own_broker, messages(touchdown_drive()[6:], game, first=7), OLD + DAY)
    for at in count():
        db.session.execute(text("TRUNCATE archived_segments"))
        db.session.commit()
        store = BlobStore(str(tmp_path / str(at)))
        begun = killed_at(
            at, lambda tick, store=store: run(own_broker, MortalStore(store, tick), game)
        )
        run(own_broker, store, game)
        assert numbers(store, game) == list(range(1, 12)), f"killed at step {at}"
        assert sorted(n for _, _, events, verified in rows() for n in events if verified) == list(
            range(1, 12)
        )
        assert {name for name, *_ in rows()} == set(store.names(folder(game)))
        if begun < at:
            break  # it came to its end before it could be killed
    assert at > 15, "each step was a place to die at"


def test_a_refilled_topic_is_not_archived_twice(
    app: Flask, own_broker: Settings, store: BlobStore, tmp_path: Path, broker: str, game: str
) -> None:
    all_of_it = messages(touchdown_drive(), game)
    put(own_broker, messages([Timeout()] * 5, "another-game"), OLD)
    before = put(own_broker, all_of_it, OLD)
    run(own_broker, store, game)
    with new_broker(own_broker, tmp_path / "new", real_kafka=bool(broker)) as stack:
        refilled = stack.settings
        late = messages([Timeout()], game, first=12)
        after = put(refilled, [*all_of_it, *late], NOW - DAY * 2)
        assert after[0].offset == 0
        outcome = run(refilled, store, game)
    assert (outcome.messages, outcome.known, outcome.faults) == (1, 11, [])
    assert numbers(store, game) == list(range(1, 13))
    archived = [row for part in objects(store, game).values() for row in part]
    assert [row["offset"] for row in archived] == [m.offset for m in [*before, after[-1]]]


def test_another_message_with_an_archived_number_is_reported_and_not_archived(
    app: Flask, own_broker: Settings, store: BlobStore, tmp_path: Path, broker: str, game: str
) -> None:
    put(own_broker, messages(touchdown_drive(), game), OLD)
    run(own_broker, store, game)
    with new_broker(own_broker, tmp_path / "new", real_kafka=bool(broker)) as stack:
        other = stack.settings
        put(other, messages([Timeout(reason=game)], game), OLD)
        outcome = run(other, store, game)
    assert len(outcome.faults) == 1
    assert f"Game {game}, event 1" in outcome.faults[0]
    assert numbers(store, game) == list(range(1, 12))


def test_what_is_no_event_is_counted_and_left_out(
    app: Flask, own_broker: Settings, store: BlobStore, game: str
) -> None:
    good = messages([Timeout()], game)
    put(
        own_broker,
        [*good, Message("t", 0, 0, None, b"not json"), Message("t", 0, 0, game, b"{}")],
        OLD,
    )
    outcome = archive(
        own_broker, ArchiveRun(store, NOW, identify, lambda _: None), before=NOW - DAY
    )
    assert outcome.strangers >= 2
    assert numbers(store, game) == [1]


def test_only_one_run_is_at_work(
    app: Flask, own_broker: Settings, store: BlobStore, game: str
) -> None:
    with db.engine.connect() as other:
        other.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": Lock.STREAM_ARCHIVE})
        with pytest.raises(ArchiveBusyError, match="Another archive run"):
            run(own_broker, store, game)
    assert run(own_broker, store, game).messages == 0


def test_a_store_that_is_away_gets_one_sentence(
    own_broker: Settings, app: Flask, tmp_path: Path, game: str
) -> None:
    put(own_broker, messages([Timeout()], game), OLD)
    (tmp_path / "file").write_text("")
    for store in (
        BlobStore(str(tmp_path / "file")),
        BlobStore(
            "s3://nowhere/x",
            endpoint="http://127.0.0.1:9",
            key_id="k",
            secret="s",
            region="eu-central-1",
        ),
    ):
        with pytest.raises(BlobStoreError, match="BLOBS_URL"):
            run(own_broker, store, game)
    assert rows() == []


def test_a_bucket_that_does_not_exist_gets_one_sentence(
    own_broker: Settings, app: Flask, s3: dict[str, str], game: str
) -> None:
    put(own_broker, messages([Timeout()], game), OLD)
    with pytest.raises(BlobStoreError, match="that the folder or bucket exists"):
        run(own_broker, BlobStore("s3://no-such-bucket/x", **s3), game)


def test_the_job_archives_what_is_older_than_the_setting_and_twice_changes_nothing(
    app: Flask, own_broker: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    store = BlobStore(str(tmp_path))
    monkeypatch.setitem(app.extensions, "blobs", store)
    # the session's topic may hold thousands of messages
    monkeypatch.setitem(app.config, "PRESSBOX", own_broker)
    put(own_broker, messages(touchdown_drive()[:4], game), clock.now() - DAY * 1.1)
    put(own_broker, messages([Timeout()], game, first=5), clock.now() - DAY * 0.9)
    archive_stream.run()
    before = rows()
    archive_stream.run()
    assert (numbers(store, game), rows()) == ([1, 2, 3, 4], before)

"""Back from the archive: onto the topic, and into a database that lost the game."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from sqlalchemy import select, text

from app.core import clock
from app.core.blob_store import BlobStore
from app.core.db import db
from app.embedded.stack import Stack
from app.fantasy.scoring.points import store_player_points
from app.record.backlog import ingested_count
from app.record.events import Overturn, Run, Timeout, decode
from app.record.ingest import ingest_batch
from app.record.models import Game, RecordedEvent
from app.record.rebuild import NoSuchGameError, identify
from app.record.recovery import ArchiveGapsError, GameNotEmptyError, recover
from app.settings import Settings
from app.stream.archive import ArchiveRun, archive
from app.stream.messages import Message
from app.stream.models import ArchivedSegment, OutboxMessage
from app.stream.restore import ArchiveBrokenError, archived, ranges, restore
from app.stream.topic_reader import read
from scorer_console.record.numbering import Entry
from scorer_console.record.replay import replay
from tests.stream.topic import put
from tests.waiting import until
from tests.worlds.entered_game import enter_simulated, publish
from tests.worlds.games import make_game, messages, touchdown_drive
from tests.worlds.scorer import submit
from workers.supervisor.children import Children

NOW = clock.now()
DAY = timedelta(days=1)


def archive_game(settings: Settings, store: BlobStore, game: str) -> list[Message]:
    """Three days of a game, archived.

    11 events, a correction on the next day, a time-out on the third.
    """
    longer = Overturn(
        event=6,
        ruling=Run(team="HRB", player="H3", kind="rush", start_yard=25, end_yard=40),
        reason="spot",
    )
    sent = put(settings, messages(touchdown_drive(), game), NOW - 5 * DAY)
    sent += put(settings, messages([longer], game, first=12), NOW - 4 * DAY)
    sent += put(settings, messages([Timeout(team="SUM")], game, first=13), NOW - 3 * DAY)
    archive(settings, ArchiveRun(store, NOW, only(game), lambda _: None), before=NOW - DAY)
    return sent


def only(game: str) -> Callable[[bytes], tuple[str, int] | None]:
    def of(value: bytes) -> tuple[str, int] | None:
        identity = identify(value)
        return identity if identity is not None and identity[0] == game else None

    return of


def forget(*tables: str) -> None:
    db.session.execute(text(f"TRUNCATE {', '.join(tables)}"))
    db.session.commit()


def on_topic(settings: Settings, game: str) -> list[int]:
    return [decode(m.value).event_number for m in read(settings) if m.key == game.encode()]


def events(game: str) -> list[tuple[object, ...]]:
    rows = db.session.execute(
        select(
            RecordedEvent.event_number,
            RecordedEvent.revision,
            RecordedEvent.valid,
            RecordedEvent.play_number,
            RecordedEvent.epoch,
            RecordedEvent.recorded_at,
            RecordedEvent.body,
        )
        .where(RecordedEvent.game_id == game)
        .order_by(RecordedEvent.event_number, RecordedEvent.revision)
    )
    return [tuple(row) for row in rows]


def test_restored_messages_come_in_order_and_change_nothing_that_is_there(
    app: Flask, own_broker: Settings, each_store: BlobStore, game: str
) -> None:
    make_game(game)
    sent = archive_game(own_broker, each_store, game)
    ingest_batch(sent, NOW, store_player_points)
    before = events(game)
    steps = list(restore(own_broker, each_store, game, NOW, identify))
    assert steps[-1] == (13, 13)
    assert on_topic(own_broker, game) == [*range(1, 14), *range(1, 14)]
    again = [
        Message(m.topic, m.partition, m.offset, game, m.value)
        for m in read(own_broker)
        if m.key == game.encode()
    ]
    assert [m.value for m in again[:13]] == [m.value for m in again[13:]]
    outcome = ingest_batch(again[13:], NOW, store_player_points)
    assert (outcome.inserted, outcome.corrected, outcome.duplicates, outcome.dead) == (0, 0, 13, 0)
    assert events(game) == before
    ages = [m.timestamp for m in read(own_broker) if m.key == game.encode()]
    assert min(ages[13:]) > clock.to_ms(NOW - DAY), "the topic keeps them as long as new ones"


def test_a_missing_and_a_broken_object_are_named_and_nothing_is_sent(
    app: Flask, own_broker: Settings, store: BlobStore, game: str
) -> None:
    archive_game(own_broker, store, game)
    segments = db.session.scalars(select(ArchivedSegment).order_by(ArchivedSegment.day)).all()
    missing, broken = segments[0].name, segments[1].name
    files, root = store._store
    files.rm_file(f"{root}/{missing}")
    store.put(broken, store.get(segments[2].name))
    with pytest.raises(ArchiveBrokenError) as caught:
        list(restore(own_broker, store, game, NOW, identify))
    assert f"{missing} (events 1-11) is broken: it is missing." in str(caught.value)
    assert f"{broken} (events 12) is broken: the hash of its payloads is not the one" in str(
        caught.value
    )
    assert "backup" in str(caught.value)
    assert len(on_topic(own_broker, game)) == 13


def test_a_game_without_an_archive_gets_one_sentence(
    app: Flask, own_broker: Settings, store: BlobStore
) -> None:
    with pytest.raises(ArchiveBrokenError, match="has nothing of game nobody"):
        list(restore(own_broker, store, "nobody", NOW, identify))


def test_a_database_that_lost_the_game_gets_it_back_with_its_numbers_epochs_and_times(
    app: Flask, own_broker: Settings, store: BlobStore, game: str
) -> None:
    sent = archive_game(own_broker, store, game)
    forget("archived_segments")
    make_game(game)
    assert recover(store, game, NOW) == 13
    rows = db.session.scalars(
        select(OutboxMessage).where(OutboxMessage.game_id == game).order_by(OutboxMessage.id)
    ).all()
    assert [(row.event_number, row.payload, row.published_at) for row in rows] == [
        (decode(m.value).event_number, m.value, None) for m in sent
    ]
    registered = db.session.get_one(Game, game)
    assert (registered.last_event_number, registered.last_play_number, registered.epoch) == (
        13,
        4,
        1,
    )
    assert recover(store, game, NOW) == 13, "a second time changes nothing"
    assert len(db.session.scalars(select(OutboxMessage.id)).all()) == 13
    assert submit(game, [Entry(Timeout(), "next")], NOW)[0].event_number == 14, (
        "the scorer goes on where it was"
    )
    assert recover(store, game, NOW) == 14


def test_a_replay_from_the_archive_goes_the_whole_road(
    start: Callable[..., Children], stack: Stack, store: BlobStore, game: str
) -> None:
    make_game(game)
    sent = archive_game(stack.settings, store, game)
    ingest_batch(sent, NOW, store_player_points)
    before = events(game)
    assert len(before) == 14
    forget(
        "events",
        "corrections",
        "archived_segments",
        "outbox",
        "ledger",
        "stat_lines",
        "player_points",
        "runs",
    )
    start("worker", "bridge", "relay")
    recover(store, game, NOW)
    until(lambda: ingested_count(game) == 13, "all in the record again")
    assert events(game) == before


def test_a_stored_games_steps_are_not_entered_again_after_it_came_from_the_archive(
    app: Flask, own_broker: Settings, store: BlobStore, game: str
) -> None:
    enter_simulated(game, seed=4, steps=200)
    publish(own_broker, game, NOW - 2 * DAY)
    archive(own_broker, ArchiveRun(store, NOW, only(game), lambda _: None), before=NOW - DAY)
    forget("outbox", "archived_segments")
    db.session.execute(text("UPDATE games SET last_event_number = 0, last_play_number = 0"))
    db.session.commit()
    recover(store, game, NOW)
    assert [progress.done for progress in replay(game, until=200)] == [200]
    assert db.session.get_one(Game, game, populate_existing=True).last_event_number == 200


def test_a_game_with_other_events_is_refused(
    app: Flask, own_broker: Settings, store: BlobStore, game: str
) -> None:
    make_game(game)
    archive_game(own_broker, store, game)
    submit(game, [Entry(Timeout(reason="mine"), "mine")], NOW)
    with pytest.raises(GameNotEmptyError, match="pressbox rebuild record"):
        recover(store, game, NOW)


def test_gaps_in_the_archive_and_unknown_games_are_named(
    app: Flask, own_broker: Settings, store: BlobStore, game: str
) -> None:
    with pytest.raises(NoSuchGameError, match="register or import it first"):
        recover(store, game, NOW)
    make_game(game)
    with pytest.raises(ArchiveGapsError, match="has nothing of game"):
        recover(store, game, NOW)
    whole = messages(touchdown_drive(), game)
    put(own_broker, [*whole[:3], *whole[5:8], whole[10]], NOW - 2 * DAY)
    archive(own_broker, ArchiveRun(store, NOW, only(game), lambda _: None), before=NOW - DAY)
    with pytest.raises(ArchiveGapsError, match="lacks events 4-5, 9-10"):
        recover(store, game, NOW)
    assert list(archived(store, game, NOW, identify)) == [1, 2, 3, 6, 7, 8, 11]
    assert db.session.scalars(select(OutboxMessage.id)).all() == []


@pytest.mark.parametrize(
    ("numbers", "text"),
    [([], ""), ([5], "5"), ([1, 2], "1-2"), ([9, 1, 3, 2, 2, 8, 12], "1-3, 8-9, 12")],
)
def test_ranges_read_like_a_person_would_write_them(numbers: list[int], text: str) -> None:
    assert ranges(numbers) == text

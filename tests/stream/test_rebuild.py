"""`pressbox rebuild record`.

Every derived row of a game comes back as it was, from Kafka and from the archive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import select, text

from app.accounts.models import Member
from app.core import clock
from app.core.blob_store import BlobStore
from app.core.db import db
from app.fantasy.gameweeks.live import refresh_game
from app.fantasy.scoring.points import forget_player_points, store_player_points
from app.fantasy.standings.boards import publish_all_boards
from app.record.models import GameState, StatLine
from app.record.play_tables import PLAY_TABLES
from app.record.rebuild import (
    DERIVED,
    IncompleteStreamError,
    NoSuchGameError,
    Rebuilt,
    Stream,
    begun_games,
    identify,
    rebuild_game,
)
from app.settings import Settings
from app.stream.archive import ArchiveRun, archive
from app.stream.messages import Message
from app.stream.restore import ArchiveBrokenError
from tests.killing import kill_before_statement
from tests.stream.topic import new_broker, put
from tests.worlds.entered_game import enter_simulated, every_row, publish, take_in
from tests.worlds.leagues import make_league, make_sheet

NOW = clock.now()
DAY = timedelta(days=1)
# four overturns and six nullifies in 588 events, all four and three of them in the first 345
SEED = 4
TABLES = [table.__tablename__ for table in DERIVED] + ["player_points"]


@pytest.fixture
def blobs(tmp_path: Path) -> BlobStore:
    return BlobStore(str(tmp_path / "blobs"))


@pytest.fixture
def steps() -> int | None:
    """How much of the game is played; None: all of it."""
    return 345


@pytest.fixture
def played(
    app: Flask, own_broker: Settings, game: str, steps: int | None, member: Callable[..., Member]
) -> list[Message]:
    """The simulated game published and taken in.

    Two members have a sheet in a league whose table it moves.
    """
    enter_simulated(game, SEED, steps)
    sent = publish(own_broker, game, NOW - 2 * DAY)
    take_in(sent, NOW)
    best = db.session.scalars(
        select(StatLine.player_id).where(StatLine.game_id == game).order_by(StatLine.player_id)
    ).all()
    ann, bob = member("ann"), member("bob")
    league = make_league(
        ann.id, {who.id: who.username for who in (ann, bob)}, rules="ppr", weeks=99
    )
    for who, players in ((ann, best[:9]), (bob, best[9:18])):
        make_sheet(who.id, league, players, week=99)
    db.session.commit()
    assert len(refresh_game(game, NOW)) == 1
    return sent


def rebuild(settings: Settings, store: BlobStore, game: str) -> Rebuilt:
    built = rebuild_game(
        game, Stream(settings, store, NOW), NOW, store_player_points, forget_player_points
    )
    refresh_game(game, NOW)
    publish_all_boards()
    return built


def version(game: str) -> int:
    return db.session.scalar(select(GameState.version).where(GameState.game_id == game)) or 0


def tampered(game: str) -> Iterator[str]:
    """Statements that falsify the record, each in another way."""
    where = f"WHERE game_id = '{game}'"
    yield f"UPDATE stat_lines SET stats = '{{\"passing_yards\": 999}}' {where}"
    yield f"UPDATE player_points SET points = points + 60000 {where}"
    yield (
        f"INSERT INTO player_points (game_id, player_id, rules, points) VALUES ('{game}', "
        f"'nobody', 'ppr', 1)"
    )
    yield f"UPDATE ledger SET amount = amount * 2, closed_by = NULL {where}"
    yield f"DELETE FROM ledger {where} AND event_number % 2 = 0"
    yield f"UPDATE game_states SET home_score = 99, state = '{{}}' {where}"
    yield f"DELETE FROM corrections {where}"
    yield (
        f"UPDATE events SET body = jsonb_set(body, '{{end_yard}}', '100') {where} AND type = 'run'"
    )
    yield f"UPDATE events SET valid = false {where} AND event_number % 7 = 0"
    yield (
        "INSERT INTO events (game_id, event_number, revision, play_number, type, valid, body, "
        "epoch, recorded_at)"
        f" VALUES ('{game}', 9999, 0, 1, 'timeout', true, '{{\"type\": \"timeout\"}}', 1, 0)"
    )
    for table in PLAY_TABLES:
        yield f"DELETE FROM {table.__tablename__} {where} AND event_number % 3 < 2"
    yield "UPDATE counted_footballers SET points = points + 1"


@pytest.mark.everyday("the rebuild's promise")
@pytest.mark.parametrize("steps", [None])
def test_a_rebuilt_record_is_the_old_one_row_for_row(
    own_broker: Settings, blobs: BlobStore, game: str, played: list[Message]
) -> None:
    before, was = every_row(), version(game)
    assert len(before["corrections"]) >= 7
    assert any(
        '"closed_by": ' in row and '"closed_by": null' not in row for row in before["ledger"]
    )
    assert before["counted_footballers"]
    assert rebuild(own_broker, blobs, game) == Rebuilt(game, len(played), 0)
    assert every_row() == before
    assert version(game) == was + 1, "open pages ask again"
    times = db.session.scalars(
        text("SELECT opened_at FROM ledger UNION SELECT closed_at FROM ledger")
    ).all()
    entered = {
        datetime.fromtimestamp(ms / 1000, UTC)
        for ms in db.session.scalars(text("SELECT recorded_at FROM events WHERE revision = 0"))
    }
    assert set(times) - {None} <= entered, "the ledger has the times of the entries"


def test_tampered_rows_come_back_as_they_were_though_messages_come_twice_or_are_no_events(
    own_broker: Settings, blobs: BlobStore, game: str, played: list[Message]
) -> None:
    before = every_row()
    for statement in tampered(game):
        db.session.execute(text(statement))
    db.session.commit()
    after = every_row()
    touched = [table for table in TABLES if before[table] != after[table]]
    assert set(TABLES) - set(touched) <= {
        t.__tablename__ for t in PLAY_TABLES if not before[t.__tablename__]
    }
    put(own_broker, [*played[100:300], Message("t", 0, 0, game, b"{"), *played[:50]], NOW)
    rebuild(own_broker, blobs, game)
    versions = {"live_gameweeks": []}  # they rise, because the refresh mends what footballers count
    assert every_row() | versions == before | versions


def test_lost_tables_come_back_from_the_archive_when_kafka_has_nothing_unless_it_is_broken(
    own_broker: Settings,
    blobs: BlobStore,
    game: str,
    played: list[Message],
    tmp_path: Path,
    broker: str,
) -> None:
    archive(own_broker, ArchiveRun(blobs, NOW, identify, lambda _: None), before=NOW - DAY)
    before = every_row()
    db.session.execute(text(f"TRUNCATE {', '.join(TABLES)}"))
    db.session.commit()
    with new_broker(own_broker, tmp_path / "new", real_kafka=bool(broker)) as empty:
        assert rebuild(empty.settings, blobs, game) == Rebuilt(game, len(played), len(played))
        assert every_row() == before
        name = next(name for name in blobs.names("game-events.v1") if game in name)
        whole = blobs.get(name)
        blobs.put(name, whole[:-100])
        with pytest.raises(ArchiveBrokenError, match=f"{name} .* is broken"):
            rebuild(empty.settings, blobs, game)
        assert every_row() == before
        blobs.put(name, whole)
        # Kafka has the second half, the archive the rest.
        put(empty.settings, played[200:], NOW)
        assert rebuild(empty.settings, blobs, game) == Rebuilt(game, len(played), 200)
    assert every_row() == before


def test_what_is_missing_is_named_with_where_it_can_come_from_and_nothing_changes(
    own_broker: Settings,
    blobs: BlobStore,
    game: str,
    played: list[Message],
    tmp_path: Path,
    broker: str,
) -> None:
    before, was, last = every_row(), version(game), len(played)
    with new_broker(own_broker, tmp_path / "new", real_kafka=bool(broker)) as other:
        put(other.settings, [*played[:100], *played[110:250], *played[251:-2]], NOW)
        db.session.execute(
            text(f"UPDATE outbox SET published_at = NULL WHERE event_number > {last - 2}")
        )
        db.session.execute(text("DELETE FROM outbox WHERE event_number = 251"))
        db.session.commit()
        with pytest.raises(IncompleteStreamError) as caught:
            rebuild(other.settings, blobs, game)
    for words in (
        f"Game {game} cannot be rebuilt: the topic and the archive lack 13 of its events.",
        f"Events {last - 1}-{last} wait in the outbox for the relay",
        f"Events 101-110 are in the outbox: `pressbox stream republish --game {game}`",
        "Events 251 are lost. Restore the blob store or the database from a backup.",
        "Nothing was changed.",
    ):
        assert words in str(caught.value)
    assert {name: rows for name, rows in every_row().items() if name != "outbox"} == {
        name: rows for name, rows in before.items() if name != "outbox"
    }
    assert version(game) == was


def test_killed_on_its_way_a_rebuild_has_changed_nothing(
    own_broker: Settings, blobs: BlobStore, game: str, played: list[Message]
) -> None:
    stream = Stream(own_broker, blobs, NOW)

    def act() -> None:
        rebuild_game(game, stream, NOW, store_player_points, forget_player_points)

    whole = kill_before_statement(10_000, act)
    refresh_game(game, NOW)
    before, was = every_row(), version(game)
    for at in (3, 10, 25, whole // 2, whole - 10, whole - 1):
        assert kill_before_statement(at, act) == at
        assert (every_row(), version(game)) == (before, was), f"killed before statement {at}"
    act()
    refresh_game(game, NOW)
    assert (every_row(), version(game)) == (before, was + 1)


def test_events_taken_in_after_the_topic_was_read_are_not_lost(
    own_broker: Settings, blobs: BlobStore, app: Flask, game: str
) -> None:
    enter_simulated(game, SEED, steps=100)
    take_in(publish(own_broker, game, NOW), NOW)
    stream = Stream(own_broker, blobs, NOW)
    enter_simulated(game, SEED, steps=150)
    take_in(publish(own_broker, game, NOW), NOW)
    before = every_row()
    built = rebuild_game(game, stream, NOW, store_player_points, forget_player_points)
    assert built.events == 150
    assert every_row() == before


def test_an_unknown_game_gets_one_sentence_and_games_that_began_are_listed(
    own_broker: Settings, blobs: BlobStore, app: Flask, game: str
) -> None:
    assert begun_games() == []
    with pytest.raises(NoSuchGameError, match="register or import it first"):
        rebuild(own_broker, blobs, game)
    enter_simulated(game, SEED, steps=1)
    assert begun_games() == [game]

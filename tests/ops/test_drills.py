"""Each drill after its store was destroyed.

What comes back is compared with what was there, row for row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import text

from app.accounts.models import Member
from app.boards import services
from app.boards.catalogue import queries as catalogue
from app.boards.layouts.board import open_board
from app.boards.models import BoardRecord, Mode, ScoreGame
from app.core.blob_store import BlobStore, init_app
from app.core.db import db
from app.core.redis.clients import boards_redis
from app.fantasy.standings.boards import league_board, publish_all_boards
from app.ops.drills import DRILLS
from app.record.models import StatLine
from app.record.rebuild import DERIVED
from app.settings import Settings
from app.stream.models import OutboxMessage
from tests.boards.test_verification import HELD, WINDOW, make_board
from tests.stream.conftest import game as game
from tests.stream.conftest import own_broker as own_broker
from tests.stream.test_rebuild import DAY, NOW, SEED
from tests.stream.topic import new_broker
from tests.worlds.entered_game import enter_simulated, every_row, publish, take_in
from tests.worlds.leagues import make_league
from tests.worlds.score_games import make_score_game

Boards = dict[str, list[tuple[int, str, int]]]


def silent(text: str) -> None:
    """Progress that nobody reads."""


@pytest.fixture
def settings(app: Flask, own_broker: Settings, tmp_path: Path) -> Iterator[Settings]:
    """The application on a broker and a blob store of its own."""
    before, blobs = app.config["PRESSBOX"], app.extensions["blobs"]
    app.config["PRESSBOX"] = own_broker
    init_app(app, BlobStore(str(tmp_path / "blobs")))
    yield own_broker
    app.config["PRESSBOX"] = before
    app.extensions["blobs"] = blobs


def test_the_record_comes_back_row_for_row_the_ledger_included(
    settings: Settings, game: str
) -> None:
    enter_simulated(game, SEED, 345)
    take_in(publish(settings, game, NOW - 2 * DAY), NOW)
    before = every_row()
    assert len(before["ledger"]) > 300
    assert DRILLS["record"].plan() == (
        f"1 game with {len(before['events'])} recorded events would be rebuilt, each in one "
        "transaction."
    )
    assert every_row() == before, "a dry run changes nothing"
    tables = ", ".join(table.__tablename__ for table in DERIVED)
    db.session.execute(text(f"TRUNCATE {tables}, player_points"))
    db.session.commit()
    assert every_row()["ledger"] == []
    assert DRILLS["record"].run(silent).splitlines() == [
        "1 game rebuilt from 345 messages.",
        "1 game, 345 rows: equal to their messages",
        "0 league tables, 0 rows: equal to PostgreSQL",
    ]
    assert every_row() == before
    DRILLS["record"].run(silent)
    assert every_row() == before, "twice is as once"


def everything_shown(boards: list[tuple[ScoreGame, Mode, BoardRecord]]) -> Boards:
    """What Redis itself holds of the boards, in their order."""
    tables = {}
    for score_game, mode, record in boards:
        db.session.refresh(record)
        board = open_board(catalogue.spec_of(score_game, mode, record))
        tables[mode.slug] = [(row.rank, row.member, row.score) for row in board.page(0, 1000)]
    return tables


def test_every_board_comes_back_row_for_row(app: Flask, member: Callable[..., Member]) -> None:
    game = make_score_game()
    boards = [
        (game, *make_board(game, layout=layout, ties=ties, aggregation=aggregation))
        for layout in ("hash", "range")
        for ties, aggregation in (("shared", "sum"), ("dense", "latest"), ("earliest", "highest"))
    ]
    ann, bob = member("ann"), member("bob")
    league_id = make_league(
        ann.id, {who.id: who.username for who in (ann, bob)}, rules="ppr", weeks=1
    ).id
    columns = "league_id, gameweek_id, version, game_statuses, updated_at"
    versions = f"INSERT INTO league_versions ({columns}) SELECT :league, id, 3, '', now()"
    db.session.execute(text(f"{versions} FROM gameweeks LIMIT 1"), {"league": league_id})
    db.session.commit()
    publish_all_boards()
    week = db.session.scalar(text("SELECT gameweek_id FROM league_versions"))
    table = league_board(league_id, week).published()
    assert table is not None
    before = everything_shown(boards)
    assert [len(rows) for rows in before.values()] == [len(HELD)] * 6
    boards_redis().flushall()
    assert "6 boards" in DRILLS["boards"].plan()
    assert everything_shown(boards) == {slug: [] for slug in before}, "a dry run changes nothing"
    assert DRILLS["boards"].run(silent).splitlines() == [
        f"6 boards rebuilt with {6 * len(HELD)} places; 1 league tables written.",
        f"6 boards, {6 * len(HELD)} rows: equal to PostgreSQL",
        "1 league table, 3 rows: equal to PostgreSQL",
    ]
    assert everything_shown(boards) == before
    assert league_board(league_id, week).published() == table


def test_dropped_caches_are_made_again_the_same(app: Flask) -> None:
    game = make_score_game()
    mode, _ = make_board(game)

    def top() -> list[tuple[int, str, int]]:
        reading = services.read(game, mode, WINDOW)
        reading.remember(dict.fromkeys(HELD, "Nova"), 600)
        return [(row.rank, row.member, row.score) for row in reading.top(10).rows]

    before = top()
    tops = sorted(key for key in boards_redis().scan_iter("*top}"))
    assert tops
    plan = DRILLS["caches"].plan()
    assert not plan.startswith("0 ")
    DRILLS["caches"].run(silent)
    assert DRILLS["caches"].plan().startswith("0 ")
    assert services.read(game, mode, WINDOW).board.count() == len(HELD), "boards are no caches"
    assert top() == before
    assert sorted(key for key in boards_redis().scan_iter("*top}")) == tops


def test_an_empty_topic_gets_every_event_again(
    app: Flask, settings: Settings, game: str, tmp_path: Path, broker: str
) -> None:
    enter_simulated(game, SEED, 60)
    with new_broker(settings, tmp_path / "new", real_kafka=bool(broker)) as empty:
        app.config["PRESSBOX"] = empty.settings
        _republish(empty.settings, game)


def _republish(settings: Settings, game: str) -> None:
    for row in db.session.query(OutboxMessage):
        # on a broker that was lost
        row.published_at, row.partition, row.offset = NOW, 0, row.event_number
    db.session.commit()
    assert (
        DRILLS["stream"].plan()
        == "60 events would be published again; ingestion skips what it knows."
    )
    assert DRILLS["stream"].run(silent) == "60 events are published again by the relay."
    waiting = db.session.scalar(text("SELECT count(*) FROM outbox WHERE published_at IS NULL"))
    assert waiting == 60
    take_in(publish(settings, game, NOW), NOW)
    assert DRILLS["stream"].run(silent) == "Nothing to do: the topic holds messages."
    assert db.session.query(StatLine).count() > 0

"""Lowest is best and second numbers, the whole way.

Every store says what plain Python works out of the scores sent.

Plain Python sorts tuples of score and subscore; nothing here knows of keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from itertools import product
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import pytest
from flask import Flask

from app.boards import services
from app.boards.archive.services import archive_boards
from app.boards.catalogue import queries as catalogue
from app.boards.groups import small_board
from app.boards.groups.player_list import player_list
from app.boards.groups.small_board import FRIENDS, Group, ModeWindow
from app.boards.layouts import balance, moving
from app.boards.layouts.board import open_board
from app.boards.layouts.ranged import NOWHERE, RangeBoard
from app.boards.models import BoardRecord, Mode, ScoreGame
from app.boards.reads import Row, RowRange
from app.boards.services import ARCHIVE, POSTGRESQL, REDIS
from app.boards.sql_board import SqlBoard
from app.boards.verification import rebuild
from app.boards.verification.services import Verifier
from app.boards.windows.rules import parse_window
from app.core import clock
from app.core.blob_store import BlobStore
from app.core.db import db
from app.scores.review import corrections
from app.scores.review.corrections import ScoreCorrection
from app.scores.standings import history, mode_boards, mode_change
from tests.scores.ordered import DAY, HIGH, LOW, SUBSCORES, Played, assert_alike, dice
from tests.worlds.score_log import NOW, Log, all_clean, later, score_event

MakeMode = Callable[..., Mode]
Players = Callable[[int], list[UUID]]


def assert_everywhere(played: Played, what: str) -> None:
    """Redis, PostgreSQL, among friends, in a list and as of now; and the verifier finds nothing."""
    db.session.expire_all()
    mode = played.mode
    game = catalogue.game_of(mode)
    reading = services.read(game, mode, DAY)
    assert_alike(played, reading.board, f"{what}: Redis")
    assert reading.source == REDIS, what
    assert reading.record is not None
    record_id = reading.record.id
    assert_alike(
        played, SqlBoard(record_id, reading.spec.ties, mode.ordering), f"{what}: PostgreSQL"
    )  # type: ignore[union-attr]
    rows = played.rows()
    members = [UUID(row.member) for row in rows[::2]]
    listed = player_list(reading, members)
    assert [row.standing for row in listed] == [
        played.standings()[str(member)] for member in members
    ], what
    among = Played(mode, [event for event in played.sent if event.player_id in members]).rows()
    assert [row.rank_among for row in listed] == [row.rank for row in among], what
    for live_below in (200, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(small_board, "LIVE_BELOW", live_below)
            group = Group(FRIENDS, f"{record_id}-{what}", members, members[0])
            for _ in range(2):  # the second time as it was kept
                board = small_board.small_board(
                    ModeWindow(game, mode, DAY), group, RowRange(0, 100), NOW
                )
                assert list(board.rows) == among, (what, live_below)
    then = history.board_at(mode, parse_window(DAY, "UTC"), clock.now(), 0, 100)
    assert list(then.rows) == rows, f"{what}: as of now"
    verifier = Verifier()
    assert verifier.quick(NOW) == 0, what
    while verifier.step(clock.now()) is not None:
        pass
    assert db.session.get_one(BoardRecord, record_id, populate_existing=True).fault is None, what


def play(mode: Mode, everybody: list[UUID], random: Random) -> Played:
    """Sixty scores with many ties, sent in any order of time."""
    played = Played(mode)
    for _ in range(60):
        subscore = None if mode.subscore is None else random.choice([LOW, -1, 3, 3, 4, HIGH])
        at = later(-random.randrange(4) - random.randrange(2) / 1_000_000)
        played.sent.append(
            score_event(
                mode, random.choice(everybody), random.randint(-4, 5), at, subscore=subscore
            )
        )
    log = Log()
    log.put(*played.sent)
    log.consume(judge=all_clean, polls=(20, 7))
    return played


def record_of(mode: Mode) -> BoardRecord:
    record = catalogue.find_board(mode, DAY)
    assert record is not None
    return record


def take_back_the_best(played: Played, how_many: int) -> None:
    for row in played.rows()[:how_many]:
        best = played.held()[row.member]
        done = corrections.roll_back(best.event_id, by=None, reason="a bot", now=clock.now())
        assert isinstance(done, ScoreCorrection)
        played.sent.remove(best)


def rebalance(mode: Mode) -> int:
    """All members into one partition, then even again; how many crossed over."""
    record = record_of(mode)
    with moving.alone(record.id) as (moving_record, locked):
        board = open_board(catalogue.spec_of(catalogue.game_of(locked), locked, moving_record))
        assert isinstance(board, RangeBoard)
    alone = partial(moving.alone, record.id)
    balance.move_split_points(board, [NOWHERE] * (board.spec.shards - 1), alone, lambda _: None)
    return balance.rebalance(board, alone)


WAYS = list(product(("highest", "lowest"), SUBSCORES, ("shared", "dense", "earliest")))
LAYOUTS = [("hash", 1), ("hash", 3), ("range", 3)]


def every_way_in_one_layout() -> list[Any]:
    """Every order, subscore and tie rule in every layout.

    `make test` tries each in one layout, in turns.
    """
    return [
        pytest.param(
            *case,
            *layout,
            marks=[] if layout == LAYOUTS[(number + number // 3) % 3] else [pytest.mark.full],
        )
        for number, case in enumerate(WAYS)
        for layout in LAYOUTS
    ]


@pytest.mark.parametrize(("order", "second", "ties", "layout", "shards"), every_way_in_one_layout())
def test_every_store_ranks_as_plain_python_does(
    make_mode: MakeMode,
    players: Players,
    order: str,
    second: str | None,
    ties: str,
    layout: str,
    shards: int,
) -> None:
    random = dice(f"{order} {second} {ties} {layout} {shards}")
    mode = make_mode(
        order=order, subscore=SUBSCORES[second], ties=ties, layout=layout, shards=shards
    )
    played = play(mode, players(12), random)
    assert_everywhere(played, "as it came")
    take_back_the_best(played, 3)
    assert_everywhere(played, "after a removal")
    rebuild.rebuild(record_of(mode).id, NOW)
    assert_everywhere(played, "after a rebuild")
    if layout == "range":
        assert rebalance(mode) > 0
        assert_everywhere(played, "after the points were moved")
    moving.move(record_of(mode).id, "hash" if layout == "range" else "range", 2)
    assert_everywhere(played, "after a move")
    mode_change.rewrite(mode, record_of(mode))
    db.session.commit()
    assert_everywhere(played, "worked out anew from the attempts")


@pytest.mark.parametrize(
    ("order", "second"), [("lowest", "highest"), ("lowest", None), ("highest", "lowest")]
)
def test_the_latest_score_counts_with_its_subscore(
    make_mode: MakeMode, players: Players, order: str, second: str | None
) -> None:
    mode = make_mode(order=order, subscore=SUBSCORES[second], aggregation="latest")
    played = play(mode, players(8), dice(f"latest {order} {second}"))
    assert_everywhere(played, "latest")
    rebuild.rebuild(record_of(mode).id, NOW)
    assert_everywhere(played, "latest, rebuilt")


def test_the_lowest_sum_is_best(game: ScoreGame, make_mode: MakeMode, players: Players) -> None:
    mode = make_mode(order="lowest", aggregation="sum", ties="dense")
    everybody, random = players(8), dice("sum")
    sums: dict[str, int] = {}
    log = Log()
    for _ in range(40):
        player, score = random.choice(everybody), random.randint(-3, 4)
        sums[str(player)] = sums.get(str(player), 0) + score
        log.put(score_event(mode, player, score))
    log.consume(judge=all_clean)
    rows = services.read(game, mode, DAY).board.page(0, 100)
    distinct = sorted(set(sums.values()))
    in_order = sorted(sums, key=lambda member: (sums[member], member))
    assert rows == [
        Row(distinct.index(sums[member]) + 1, member, sums[member]) for member in in_order
    ]


@pytest.fixture
def store(app: Flask, tmp_path: Path) -> Iterator[BlobStore]:
    """An empty store, which is the application's."""
    there = app.extensions["blobs"]
    empty = app.extensions["blobs"] = BlobStore(str(tmp_path))
    yield empty
    app.extensions["blobs"] = there


def every_way_in_turns() -> list[Any]:
    """Every order, subscore and tie rule.

    `make test` tries each tie rule with a third of the orders and subscores.
    """
    return [
        pytest.param(
            *case, marks=[] if (number + number // 3 + number // 9) % 3 == 0 else [pytest.mark.full]
        )
        for number, case in enumerate(WAYS)
    ]


@pytest.mark.parametrize(("order", "second", "ties"), every_way_in_turns())
def test_a_closed_board_is_read_from_the_archive_as_it_stood(
    store: BlobStore,
    make_mode: MakeMode,
    players: Players,
    order: str,
    second: str | None,
    ties: str,
) -> None:
    mode = make_mode(order=order, subscore=SUBSCORES[second], ties=ties)
    played = play(mode, players(12), dice(f"archive {order} {second} {ties}"))
    assert archive_boards(store, NOW + timedelta(days=30)).archived == 1
    db.session.expire_all()
    reading = services.read(catalogue.game_of(mode), mode, DAY)
    assert_alike(played, reading.board, "archive")
    assert reading.source == ARCHIVE


def test_a_board_that_is_stale_is_read_from_postgresql_in_the_same_order(
    game: ScoreGame, make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode(order="lowest", subscore=SUBSCORES["highest"])
    played = play(mode, players(6), dice("stale"))
    record_of(mode).stale_since = NOW
    db.session.commit()
    reading = services.read(game, mode, DAY)
    assert_alike(played, reading.board, "stale")
    assert reading.source == POSTGRESQL


def test_the_rank_that_a_score_would_get_goes_by_the_order(
    game: ScoreGame, make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode(order="lowest", subscore=SUBSCORES["highest"])
    ann, bob, newcomer = players(3)
    log = Log()
    log.put(score_event(mode, ann, 61, subscore=5), score_event(mode, bob, 63, subscore=5))
    log.consume(judge=all_clean)

    def rank(player: UUID, score: int, subscore: int) -> int:
        return mode_boards.provisional(mode, DAY, player, score, subscore)

    assert [rank(newcomer, score, 5) for score in (60, 61, 62, 64)] == [1, 1, 2, 3]
    assert [rank(newcomer, 61, subscore) for subscore in (4, 5, 6)] == [2, 1, 1]
    assert rank(bob, 64, 5) == 2, "worse than what stands"
    assert rank(bob, 60, 0) == 1


def test_a_players_history_says_what_stood_after_each_score(
    make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode(order="lowest", subscore=SUBSCORES["highest"])
    (ann,) = players(1)
    sent = [(70, 1), (65, 0), (66, 9), (65, 2), (65, 1)]
    log = Log()
    log.put(
        *(
            score_event(mode, ann, score, later(n), subscore=second)
            for n, (score, second) in enumerate(sent)
        )
    )
    log.consume(judge=all_clean)
    listed = history.history(mode, parse_window(DAY, "UTC"), ann, RowRange(0, 10))
    assert [(attempt.score, attempt.subscore) for attempt in reversed(listed)] == sent
    assert [(attempt.counted, attempt.counted_subscore) for attempt in reversed(listed)] == [
        (70, 1),
        (65, 0),
        (65, 0),
        (65, 2),
        (65, 2),
    ]


def test_who_moved_is_told_in_scores(make_mode: MakeMode, players: Players) -> None:
    mode = make_mode(order="lowest", subscore=SUBSCORES["lowest"])
    ann, bob = players(2)
    log = Log()
    log.put(score_event(mode, ann, 70, subscore=4), score_event(mode, bob, 71, subscore=4))
    log.consume(judge=all_clean)
    before = clock.now()
    log.put(score_event(mode, bob, 70, subscore=-3))
    log.consume(judge=all_clean)
    moves = history.movement(mode, parse_window(DAY, "UTC"), before, clock.now(), RowRange(0, 10))
    assert [
        (move.player_id, move.rank_before, move.rank_after, move.score_before, move.score_after)
        for move in moves
    ] == [
        (bob, 2, 1, 71, 70),
        (ann, 1, 2, 70, 70),
    ]
    assert [(move.subscore_before, move.subscore_after) for move in moves] == [(4, -3), (4, 4)]


def test_a_score_without_the_subscore_that_its_mode_wants_counts_nowhere(
    game: ScoreGame, make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode(subscore=SUBSCORES["highest"])
    ann, bob, eve = players(3)
    log = Log()
    log.put(
        score_event(mode, ann, 5),
        score_event(mode, bob, 6, subscore=21),
        score_event(mode, eve, 4, subscore=20),
    )
    (written,) = log.consume(judge=all_clean, polls=(10,))
    assert (written.inserted, written.not_clean) == (3, 2)
    assert services.read(game, mode, DAY).board.page(0, 10) == [Row(1, str(eve), 4, subscore=20)]

"""A frozen board: nothing public moves until it thaws; staff see both.

The feed hears everything once, afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import select

from app.accounts.models import Integrator
from app.boards import services
from app.boards.catalogue.rules import NewMode
from app.boards.groups.small_board import GUILD, Group, ModeWindow, small_board
from app.boards.models import FrozenScore, Mode, ScoreGame
from app.boards.reads import RowRange
from app.boards.windows.rules import parse_window
from app.core.db import db
from app.core.refusals import Refusal
from app.moderation import freezing, sanctions
from app.moderation.models import BoardFreeze
from app.scores.feed import changes as feed
from app.scores.standings.history import board_at
from tests.worlds.boards import all_time_board_id
from tests.worlds.score_games import make_score_game, make_score_mode
from tests.worlds.score_log import NOW, Log, check_boards, later, score_event

MakeMode = Callable[..., Mode]
Players = Callable[[int], list[UUID]]


def public(game: ScoreGame, mode: Mode) -> list[tuple[int, str, int]]:
    reading = services.read(game, mode, "all-time")
    rows = reading.top(9).rows
    assert rows == reading.board.page(0, 9) == reading.board.view(0, 9).rows
    return [(row.rank, row.member, row.score) for row in rows]


@pytest.mark.parametrize("shards", [1, 4])
def test_nothing_public_moves_while_a_board_is_frozen(
    game: ScoreGame, make_mode: MakeMode, players: Players, meg: int, shards: int
) -> None:
    mode = make_mode(aggregation="sum", shards=shards)
    ann, bob, cy = players(3)
    log = Log()
    log.put(score_event(mode, ann, 5), score_event(mode, bob, 7))
    log.consume()
    stood = [(1, str(bob), 7), (2, str(ann), 5)]
    assert public(game, mode) == stood
    assert isinstance(
        freezing.freeze(all_time_board_id(mode), by=meg, reason="a bot farm", now=NOW), BoardFreeze
    )
    log.put(score_event(mode, ann, 50, later(1)), score_event(mode, cy, 9, later(2)))
    log.consume()
    sanctions.impose(bob, sanctions.Measure(sanctions.BAN), by=None, reason="a bot", now=NOW)
    assert public(game, mode) == stood
    group = Group(GUILD, "g", [ann, cy], ann)
    assert [
        row.score
        for row in small_board(ModeWindow(game, mode, "all-time"), group, RowRange(0, 9), NOW).rows
    ] == [5]
    live = services.read(game, mode, "all-time", live=True).board.page(0, 9)
    assert [(row.member, row.score) for row in live] == [(str(ann), 55), (str(cy), 9)]
    assert isinstance(
        freezing.thaw(all_time_board_id(mode), by=meg, reason="clean now", now=later(60)),
        BoardFreeze,
    )
    assert public(game, mode) == [(1, str(ann), 55), (2, str(cy), 9)]
    assert db.session.scalars(select(FrozenScore)).all() == []
    sanctions.lift(bob, by=None, reason="was none", now=NOW)
    check_boards(mode)


def test_the_past_of_a_frozen_board_ends_when_it_was_frozen(
    game: ScoreGame, make_mode: MakeMode, players: Players, meg: int
) -> None:
    mode = make_mode()
    (ann,) = players(1)
    log = Log()
    log.put(score_event(mode, ann, 5))
    log.consume()
    now = db.session.scalars(db.select(db.func.now())).one()
    freezing.freeze(all_time_board_id(mode), by=meg, reason="a bot farm", now=now)
    log.put(score_event(mode, ann, 9, later(1)))
    log.consume()
    window = parse_window("all-time", "UTC")
    assert [row.score for row in board_at(mode, window, now + timedelta(hours=1), 0, 9).rows] == [5]


def test_the_change_feed_hears_of_a_frozen_board_when_it_thaws(
    make_mode: MakeMode, players: Players, meg: int
) -> None:
    ann, bob = players(2)
    integrator = db.session.scalars(select(Integrator)).one()
    new = NewMode("solo", "Solo", "highest", "shared", 0, 1000, windows=("all-time",))
    mode = make_score_mode(
        make_score_game("own-game", "Own", integrator.id), new, NOW - timedelta(days=9)
    )
    log = Log()
    log.put(score_event(mode, ann, 5), score_event(mode, bob, 6))
    log.consume()
    token = feed.newest()
    freezing.freeze(all_time_board_id(mode), by=meg, reason="a bot farm", now=NOW)
    log.put(score_event(mode, ann, 8, later(1)), score_event(mode, ann, 9, later(2)))
    log.consume()
    sanctions.impose(bob, sanctions.Measure(sanctions.BAN), by=None, reason="a bot", now=NOW)
    assert feed.read(integrator.id, token).changes == []
    freezing.thaw(all_time_board_id(mode), by=meg, reason="clean now", now=NOW)
    heard = {(change.player_id, change.score) for change in feed.read(integrator.id, token).changes}
    assert heard == {(str(ann), 9), (str(bob), None)}


def test_a_board_is_frozen_once_and_only_with_a_reason(
    make_mode: MakeMode, players: Players, meg: int
) -> None:
    mode = make_mode()
    log = Log()
    log.put(score_event(mode, players(1)[0], 5))
    log.consume()

    def code(done: BoardFreeze | Refusal) -> str:
        assert isinstance(done, Refusal)
        return done.code

    board = all_time_board_id(mode)
    assert code(freezing.freeze(board, by=meg, reason="", now=NOW)) == "no_reason"
    assert code(freezing.thaw(board, by=meg, reason="x", now=NOW)) == "not_frozen"
    freezing.freeze(board, by=meg, reason="x", now=NOW)
    assert code(freezing.freeze(board, by=meg, reason="x", now=NOW)) == "frozen"
    assert [name for _, name, _ in freezing.standing(None)] == [f"nova-run:{mode.slug}:all-time"]
    assert freezing.standing([]) == []

"""Modes that update their boards every so many seconds (seed 003, sections 4.4 and 4.12)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import pytest
import redis
from sqlalchemy import func, select

from app import scores
from app.accounts.models import Player
from app.boards import services
from app.boards.archive.services import archive_boards
from app.boards.catalogue import queries as catalogue
from app.boards.catalogue import services as catalogue_services
from app.boards.layouts.board import Board, open_board
from app.boards.models import BoardRecord, BoardScore, Mode, WaitingScore
from app.boards.pages.page import rule_words
from app.boards.rules import Budget
from app.boards.verification.rebuild import rebuild
from app.core.blob_store import blob_store
from app.core.db import db
from app.scores.models import ScoreAttempt
from app.scores.processing import batched_updates, reconcile
from app.scores.review import corrections
from app.scores.standings import placing
from app.scores.standings.waiting_scores import next_update
from tests.killing import kill_at_line
from tests.sizes import size
from tests.worlds.score_log import NOW, Log, check_boards, later, score_event, widest

MakeMode = Callable[..., Mode]
Players = Callable[[int], list[UUID]]

EVERY = size("PRESSBOX_KILL_EVERY", 9, 1)  # 1: at each line, some minutes


def shown(mode: Mode) -> dict[str, dict[UUID, int]]:
    """What every board of the mode shows, by window and player: PostgreSQL and Redis agree."""
    db.session.rollback()
    boards = {}
    for record in db.session.scalars(select(BoardRecord).where(BoardRecord.mode_id == mode.id)):
        stored = select(BoardScore.player_id, BoardScore.score).where(
            BoardScore.board_id == record.id
        )
        boards[record.window_id] = dict(db.session.execute(stored).all())
        spec = catalogue.spec_of(catalogue.game_of(mode), mode, record)
        in_redis = {UUID(row.member): row.score for row in open_board(spec).page(0, 100)}
        assert in_redis == boards[record.window_id]
    return boards


def consumed(mode: Mode, *sent: tuple[UUID, int, float]) -> Log:
    """A consumer has taken these scores: player, score, seconds after NOW."""
    log = Log()
    log.put(*(score_event(mode, player, score, later(after)) for player, score, after in sent))
    log.consume()
    return log


def test_updates_come_at_multiples_of_the_seconds() -> None:
    assert next_update(later(7), 30) == next_update(later(29.9), 30) == later(30)
    assert next_update(later(30), 30) == later(60)


def test_scores_are_stored_at_once_and_shown_at_the_next_update(
    make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode(aggregation="sum", update_seconds=30)
    ann, ben = players(2)
    consumed(mode, (ann, 5, 1), (ann, 7, 2), (ben, 9, 3))
    assert db.session.scalar(select(func.count()).select_from(ScoreAttempt)) == 3
    assert shown(mode) == {"daily:2026-04-05": {}, "all-time": {}}
    assert batched_updates.publish_due(later(29)) == 0
    assert shown(mode) == {"daily:2026-04-05": {}, "all-time": {}}
    assert batched_updates.publish_due(later(30)) == 4  # two players on two boards
    assert shown(mode) == {
        "daily:2026-04-05": {ann: 12, ben: 9},
        "all-time": {ann: 12, ben: 9},
    }
    check_boards(mode)
    assert batched_updates.publish_due(later(60)) == 0


def test_a_player_waits_no_longer_for_sending_more(make_mode: MakeMode, players: Players) -> None:
    mode = make_mode(windows=("all-time",), update_seconds=30)
    (ann,) = players(1)
    log = consumed(mode, (ann, 5, 1))
    log.put(score_event(mode, ann, 8, later(2)))
    log.consume()
    assert db.session.scalars(select(WaitingScore.due_at)).all() == [later(30)]
    batched_updates.publish_due(later(30))
    assert shown(mode) == {"all-time": {ann: 8}}


@pytest.mark.sized
def test_killed_at_any_line_nothing_is_lost_or_doubled(
    make_mode: MakeMode, players: Players
) -> None:
    everybody = players(3)

    def life(at: tuple[str, int] | None) -> tuple[Mode, Log, dict[tuple[str, int], int]]:
        mode = make_mode(aggregation="sum", ties="earliest", update_seconds=30)
        log = Log()
        first = [score_event(mode, player, n, later(n)) for n, player in enumerate(everybody)]
        log.put(*first, first[0], score_event(mode, everybody[0], 13))
        log.put(*(score_event(mode, player, 4, later(9)) for player in everybody))
        with kill_at_line(at, scores) as steps:
            log.consume(polls=(4, 3))
            batched_updates.publish_due(later(30))
        return mode, log, steps.lines

    mode, log, lines = life(None)
    check_boards(mode)
    assert {"apply.py", "waiting_scores.py", "batched_updates.py"} <= {name for name, _ in lines}
    for line in list(lines)[::EVERY]:
        mode, log, _ = life(line)
        log.consume()
        batched_updates.publish_due(later(30))
        check_boards(mode)
        stored = select(func.count()).where(ScoreAttempt.mode_id == mode.id)
        assert db.session.scalar(stored) == 7, line


def test_a_rollback_shows_at_once_and_takes_nothing_back_later(
    make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode(aggregation="sum", windows=("all-time",), update_seconds=30)
    (ann,) = players(1)
    log = Log()
    wrong = score_event(mode, ann, 7, later(2))
    log.put(score_event(mode, ann, 5, later(1)), wrong)
    log.consume()
    corrections.roll_back(wrong.event_id, by=None, reason="-", now=later(3))
    assert shown(mode) == {"all-time": {ann: 5}}
    batched_updates.publish_due(later(30))
    assert shown(mode) == {"all-time": {ann: 5}}


@pytest.mark.parametrize("most_put", [0, placing.MOST_PUT], ids=["whole board", "player by player"])
def test_a_hidden_player_does_not_come_back_with_the_update(
    make_mode: MakeMode, players: Players, monkeypatch: pytest.MonkeyPatch, most_put: int
) -> None:
    monkeypatch.setattr(placing, "MOST_PUT", most_put)
    mode = make_mode(windows=("all-time",), update_seconds=30)
    ann, ben = players(2)
    consumed(mode, (ann, 5, 1), (ben, 4, 1))
    db.session.get_one(Player, ann).hidden_at = NOW
    modes = placing.hold([ann])
    placing.recount(modes[mode.id], [ann], later(2))
    db.session.commit()
    reconcile.reconcile(later(3))
    batched_updates.publish_due(later(30))
    assert shown(mode) == {"all-time": {ben: 4}}


def test_a_change_to_real_time_shows_what_waits(make_mode: MakeMode, players: Players) -> None:
    mode = make_mode(aggregation="sum", windows=("all-time",), update_seconds=3600)
    (ann,) = players(1)
    log = consumed(mode, (ann, 5, 1))
    catalogue_services.change_mode(mode.id, {"update_seconds": 0}, by=1, now=later(2))
    log.put(score_event(mode, ann, 7, later(3)))
    log.consume()  # before the update: the standing must not be shown in two pieces
    assert batched_updates.publish_due(later(4)) == 1
    assert shown(mode) == {"all-time": {ann: 12}}
    log.put(score_event(mode, ann, 1, later(5)))
    log.consume()
    assert shown(mode) == {"all-time": {ann: 13}}
    check_boards(mode)


def test_a_rebuild_shows_what_the_board_showed(make_mode: MakeMode, players: Players) -> None:
    mode = make_mode(aggregation="sum", windows=("all-time",), update_seconds=30)
    (ann,) = players(1)
    log = consumed(mode, (ann, 5, 1))
    batched_updates.publish_due(later(30))
    log.put(score_event(mode, ann, 7, later(31)))
    log.consume()
    board_id = db.session.scalars(select(BoardRecord.id)).one()
    rebuild(board_id, later(32))
    assert shown(mode) == {"all-time": {ann: 5}}
    batched_updates.publish_due(later(60))
    assert shown(mode) == {"all-time": {ann: 12}}


def test_an_update_that_redis_misses_is_made_up_for(
    make_mode: MakeMode, players: Players, monkeypatch: pytest.MonkeyPatch
) -> None:
    mode = make_mode(windows=("all-time",), update_seconds=30)
    (ann,) = players(1)
    consumed(mode, (ann, 5, 1))

    def away(*_: object) -> None:
        raise redis.ConnectionError

    reconcile.reconcile(NOW)
    with monkeypatch.context() as patched:
        patched.setattr(Board, "put", away)
        assert batched_updates.publish_due(later(30)) == 1
    record = db.session.scalars(select(BoardRecord)).one()
    assert record.stale_since == later(30)
    reconcile.reconcile(later(31))
    check_boards(mode)
    assert shown(mode) == {"all-time": {ann: 5}}


def test_a_total_that_waits_counts_towards_the_exact_range(
    make_mode: MakeMode, players: Players
) -> None:
    mode = widest(make_mode(aggregation="sum", windows=("all-time",), update_seconds=30))
    (ann,) = players(1)
    consumed(mode, (ann, Budget().limit, 1), (ann, 1, 2))
    states = dict(db.session.execute(select(ScoreAttempt.score, ScoreAttempt.fraud_state)).all())
    assert states == {Budget().limit: "clean", 1: "rejected"}


def test_the_page_of_a_board_says_how_often_it_is_updated(make_mode: MakeMode) -> None:
    sentence = rule_words(make_mode(update_seconds=30))
    assert sentence.endswith(" Updated every 30 seconds.")
    assert "Updated" not in rule_words(make_mode())


def test_a_board_is_not_archived_before_its_last_update(
    make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode(update_seconds=30)
    (ann,) = players(1)
    consumed(mode, (ann, 5, 1))
    store, much_later = blob_store(), NOW + timedelta(days=30)
    assert archive_boards(store, much_later).archived == 0
    batched_updates.publish_due(later(30))
    assert archive_boards(store, much_later).archived == 1
    reading = services.read(catalogue.game_of(mode), mode, "daily:2026-04-05")
    rows = reading.board.page(0, 10)
    assert [(row.member, row.score) for row in rows] == [(str(ann), 5)]

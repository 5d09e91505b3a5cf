"""The consumer dies anywhere, stores go away, two work at once.

Going on ends with the plain fold of the attempts.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
import redis
from flask import Flask
from sqlalchemy import event as sqlalchemy_event
from sqlalchemy import select, text
from sqlalchemy.exc import OperationalError

from app import scores
from app.boards.layouts import board as in_redis
from app.boards.models import BoardRecord, Mode
from app.core.db import db
from app.core.redis.clients import boards_redis
from app.scores.models import ScoreAttempt
from app.scores.processing import reconcile
from app.scores.processing.apply import Batch
from app.scores.review import corrections
from tests.killing import kill_at_line
from tests.sizes import size
from tests.waiting import patience, wait_for
from tests.worlds.score_log import (
    NOW,
    Log,
    all_clean,
    check_boards,
    flag_thirteens,
    later,
    score_event,
)

MakeMode = Callable[..., Mode]
Players = Callable[[int], list[UUID]]

EVERY = size("PRESSBOX_KILL_EVERY", 9, 1)  # 1: at each line, some minutes


def a_log(mode: Mode, everybody: Sequence[UUID]) -> Log:
    """Two scores of each, doubles, one to be flagged, one out of range, one broken."""
    log = Log()
    first_scores = [
        score_event(mode, player, 3 + n, later(n)) for n, player in enumerate(everybody)
    ]
    two = [score_event(mode, player, 4 - n, later(60 + n)) for n, player in enumerate(everybody)]
    log.put(
        *first_scores,
        b"{",
        first_scores[0],
        score_event(mode, everybody[0], 13),
        *two,
        score_event(mode, everybody[1], 1 << 52),
    )
    return log


@pytest.mark.sized
def test_killed_at_any_line_it_goes_on_to_the_same_end(
    make_mode: MakeMode, players: Players
) -> None:
    everybody = players(3)

    def life(at: tuple[str, int] | None) -> tuple[Mode, Log, dict[tuple[str, int], int]]:
        mode = make_mode(aggregation="sum", ties="earliest")
        log = a_log(mode, everybody)
        with kill_at_line(at, scores) as steps:
            log.consume(polls=(4, 3))
        return mode, log, steps.lines

    mode, log, lines = life(None)
    check_boards(mode)
    assert {"apply.py", "board_scores.py", "write_behind.py", "mode_boards.py", "outcomes.py"} <= {
        name for name, _ in lines
    }
    assert len(lines) > 150
    for line in list(lines)[::EVERY]:
        mode, log, _ = life(line)
        log.consume()
        check_boards(mode)
        assert (
            len(
                db.session.scalars(
                    select(ScoreAttempt).where(ScoreAttempt.mode_id == mode.id)
                ).all()
            )
            == 8
        ), line


@pytest.mark.parametrize("done", [True, False], ids=["after", "before"])
@pytest.mark.parametrize("step", ["apply_all", "forget_dedup_keys"])
def test_killed_before_or_after_redis_has_done(
    make_mode: MakeMode, players: Players, monkeypatch: pytest.MonkeyPatch, step: str, done: bool
) -> None:
    mode = make_mode(aggregation="sum")
    log = a_log(mode, players(3))
    call = getattr(in_redis, step)

    def die(*values: object) -> None:
        if done:
            call(*values)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(in_redis, step, die)
        with pytest.raises(KeyboardInterrupt):
            log.consume()
    log.consume()
    check_boards(mode)


def test_a_correction_between_a_death_and_the_replay_loses_nothing(
    make_mode: MakeMode, players: Players, monkeypatch: pytest.MonkeyPatch
) -> None:
    mode = make_mode(aggregation="sum")
    (ann,) = players(1)
    first = score_event(mode, ann, 5)
    log = Log()
    log.put(first)
    log.consume()
    log.put(score_event(mode, ann, 7))
    with monkeypatch.context() as patched:
        patched.setattr(db.session, "commit", _killed)
        with pytest.raises(KeyboardInterrupt):
            log.consume()  # the 7 is in Redis alone, with its mark
    corrections.roll_back(first.event_id, by=None, reason="-", now=NOW)
    log.consume()
    check_boards(mode)


def test_a_score_that_is_flagged_only_the_second_time_leaves_the_board_again(
    make_mode: MakeMode, players: Players, monkeypatch: pytest.MonkeyPatch
) -> None:
    mode = make_mode(aggregation="sum")
    ann, bob = players(2)
    log = Log()
    log.put(score_event(mode, bob, 5), score_event(mode, ann, 13))
    with monkeypatch.context() as patched:
        patched.setattr(db.session, "commit", _killed)
        with pytest.raises(KeyboardInterrupt):
            log.consume(judge=all_clean)
    log.consume()
    check_boards(mode)


def _killed() -> None:
    raise KeyboardInterrupt


def test_two_consumers_write_one_board_at_once(
    app: Flask, make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode(aggregation="sum", ties="dense")
    everybody = players(40)
    log = Log(2)
    for turn in range(5):
        log.put(
            *(
                score_event(mode, player, (turn + n) % 3, later(turn))
                for n, player in enumerate(everybody)
            )
        )
    assert all(log.messages)
    first, second = log.messages
    log.messages = [first[:1], second[:1]]
    log.consume()  # makes the boards: a new one is waited for until its maker commits
    log.messages = [first, second]
    # Both begin their write together, again and again: the same counts in the same moment.
    together = threading.Barrier(2)

    def consume(partition: int) -> None:
        with app.app_context():
            for turn in range(8):
                batch = Batch(NOW)
                batch.take(log.messages[partition][turn::8])
                together.wait(patience(60))
                batch.write()

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(consume, partition) for partition in (0, 1)]:
            done.result(patience(60))
    check_boards(mode)


def test_a_writer_that_lost_its_partition_meanwhile_is_waited_for(
    app: Flask, make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode(aggregation="sum")
    (ann,) = players(1)
    log = Log()
    log.put(score_event(mode, ann, 5), score_event(mode, ann, 6))
    slow = Batch(NOW)
    slow.take(log.messages[0])
    begun = threading.Event()

    def other() -> None:
        with app.app_context():
            batch = Batch(NOW)
            begun.set()
            batch.take(log.messages[0])
            batch.write()

    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(other)
        wait_for(begun, "the other writer has begun")
        slow.write()
        done.result(patience(60))
    check_boards(mode)


def test_with_redis_away_postgresql_goes_on_and_the_boards_are_rebuilt(
    make_mode: MakeMode, players: Players, monkeypatch: pytest.MonkeyPatch
) -> None:
    mode = make_mode(aggregation="sum", ties="earliest")
    everybody = players(3)
    reconcile.reconcile(NOW)
    log = a_log(mode, everybody[:2])
    log.consume()
    log.put(*(score_event(mode, player, 2, later(90)) for player in everybody))
    with monkeypatch.context() as patched:
        patched.setattr(in_redis, "apply_all", _away)
        patched.setattr(in_redis, "forget_dedup_keys", _away)
        log.consume()
    stored = db.session.scalars(select(BoardRecord).execution_options(populate_existing=True)).all()
    assert {record.stale_since for record in stored} == {NOW}
    log.put(score_event(mode, everybody[2], 1, later(91)))
    log.consume()  # Redis is back, the boards are not rebuilt yet: it leaves them alone
    reconcile.reconcile(NOW)
    check_boards(mode)
    log.put(score_event(mode, everybody[2], 1, later(92)))
    log.consume()
    check_boards(mode)


def _away(_: object) -> None:
    raise redis.ConnectionError("away")


@pytest.mark.fault(15)
def test_a_redis_that_lost_its_memory_is_filled_again(
    make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode(aggregation="sum")
    everybody = players(3)
    reconcile.reconcile(NOW)
    log = a_log(mode, everybody)
    log.consume()
    boards_redis().flushall()
    log.put(score_event(mode, everybody[2], 2, later(90)))
    log.consume()  # applied to an empty board: put right at once for this player
    reconcile.reconcile(NOW)
    check_boards(mode)
    before = {record.id: record.generation for record in db.session.scalars(select(BoardRecord))}
    reconcile.reconcile(NOW)
    after = {record.id: record.generation for record in db.session.scalars(select(BoardRecord))}
    assert after == before


def test_with_postgresql_away_nothing_is_skipped(make_mode: MakeMode, players: Players) -> None:
    mode = make_mode(aggregation="sum")
    log = a_log(mode, players(3))
    batch = Batch(NOW, flag_thirteens)
    batch.take(log.messages[0])
    connection = db.session.connection().connection.driver_connection
    with db.engine.connect() as other:
        other.execute(
            text("SELECT pg_terminate_backend(:pid)"), {"pid": connection.info.backend_pid}
        )  # type: ignore[union-attr]
    with pytest.raises(OperationalError):
        batch.write()
    assert log.committed == [0]
    log.consume()
    check_boards(mode)


def test_a_batch_takes_the_same_number_of_statements_whatever_its_size(
    make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode(aggregation="sum", windows=("daily", "all-time"))
    everybody = players(60)
    log = Log()
    log.put(score_event(mode, everybody[0], 1))
    log.consume()
    counts = []
    for many in (5, 50):
        log.put(*(score_event(mode, player, 1) for player in everybody[:many]))
        statements: list[str] = []
        sqlalchemy_event.listen(
            db.engine,
            "before_cursor_execute",
            lambda *values, into=statements: into.append(values[2]),
        )
        log.consume(polls=(100,))
        counts.append(len(statements))
    assert counts[1] <= counts[0]

"""Scores of a trusted game server.

Each decided by itself, and none lost or doubled wherever the call is cut off.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select

from app import scores as scores_package
from app.accounts.models import Player
from app.boards.catalogue import queries as catalogue
from app.boards.models import Mode
from app.core import clock
from app.core.db import db
from app.scores import events
from app.scores.models import ScoreAttempt
from app.scores.submission import arrivals, bulk, sending
from app.scores.submission.bulk import ServerScore
from app.scores.submission.claims import Origin, Outcome, Submitted, Unavailable
from tests.killing import Line, kill_at_line
from tests.sizes import size
from tests.worlds.claims import codes
from tests.worlds.score_log import NOW, Log, all_clean, check_boards

MakeMode = Callable[..., Mode]
Players = Callable[[int], list[UUID]]

EVERY = size("PRESSBOX_KILL_EVERY", 9, 1)  # 1: at each line


class Sent:
    """A producer that puts what it is given into a log, one by one."""

    def __init__(self, log: Log) -> None:
        self.log = log

    def send(self, _topic: str, *, key: bytes, value: bytes) -> Sent:
        assert key
        self.log.put(events.decode(value))
        return self

    def get(self, timeout: float) -> None:
        assert timeout > 0


@pytest.fixture
def log(lasting: None, monkeypatch: pytest.MonkeyPatch) -> Log:
    log = Log()
    monkeypatch.setattr(sending, "_producer", lambda _: Sent(log))
    return log


def scores(players: Sequence[UUID], *points: int) -> list[ServerScore]:
    """A score of these points of each player in turn."""
    return [
        ServerScore(players[n % len(players)], uuid4(), number) for n, number in enumerate(points)
    ]


def send(mode: Mode, sent: Sequence[ServerScore]) -> list[Outcome]:
    of = db.session.scalars(select(Player.integrator_id).order_by(Player.id)).first()
    assert of is not None
    return bulk.submit_bulk(mode, of, sent, clock.now())


def statuses(outcomes: Sequence[Outcome]) -> list[str]:
    return [
        outcome.status if isinstance(outcome, Submitted) else type(outcome).__name__
        for outcome in outcomes
    ]


def stored(mode: Mode) -> list[int]:
    query = (
        select(ScoreAttempt.score)
        .where(ScoreAttempt.mode_id == mode.id)
        .order_by(ScoreAttempt.score)
    )
    return list(db.session.scalars(query))


@pytest.mark.sized
def test_cut_off_at_any_line_and_sent_again_nothing_is_lost_or_doubled(
    log: Log, make_mode: MakeMode, players: Players
) -> None:
    def life(at: Line | None) -> tuple[Mode, list[ServerScore], dict[Line, int]]:
        # players who sent none this minute
        mode, sent = make_mode(aggregation="sum"), scores(players(2), 3, 4, 5)
        with kill_at_line(at, scores_package) as steps:
            send(mode, sent)
        return mode, sent, steps.lines

    _, _, lines = life(None)
    assert {"bulk.py", "arrivals.py", "submit.py", "sending.py"} <= {name for name, _ in lines}
    for line in list(lines)[::EVERY]:
        mode, sent, _ = life(line)
        log.consume(judge=all_clean)  # what was sent before the end is on the boards
        assert set(statuses(send(mode, sent))) <= {"accepted", "committed"}, line
        log.consume(judge=all_clean)
        assert statuses(send(mode, sent)) == ["committed"] * 3, line
        assert stored(mode) == [3, 4, 5], line
        check_boards(mode)


def test_each_score_is_decided_by_itself_in_the_order_given(
    log: Log, make_mode: MakeMode, players: Players
) -> None:
    ann, bob = players(2)
    mode = make_mode()
    first, wide, strange, last = scores([ann, bob], 5, 10_001, 6, 7)
    strange = replace(strange, player_id=uuid4())
    marked = replace(first, attempt_id=uuid4(), origin=Origin(client_meta={"level": 1.5}))
    outcomes = send(mode, [first, wide, strange, marked, last])
    assert statuses(outcomes) == ["accepted", "Refused", "Refused", "Refused", "accepted"]
    assert [codes(outcome) for outcome in outcomes[1:4]] == [
        ["out_of_bounds"],
        ["unknown_player"],
        ["bad_meta"],
    ]
    log.consume()
    assert stored(mode) == [5, 7]
    (again,) = send(mode, [replace(first, score=6)])
    assert codes(again) == ["attempt_reused"]


def test_a_player_sends_so_many_a_minute_and_a_repeated_one_is_one(
    log: Log, make_mode: MakeMode, players: Players, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrivals, "MOST_A_MINUTE", 2)
    monkeypatch.setattr(clock, "now", lambda: NOW.replace(second=50))
    ann, bob = players(2)
    mode, sent = make_mode(), scores([ann], 1, 2, 3)
    sent += scores([bob], 4)
    for _ in range(2):  # the same call again is limited at the same place
        outcomes = send(mode, sent)
        assert statuses(outcomes) == ["accepted", "accepted", "Unavailable", "accepted"]
        limited = outcomes[2]
        assert isinstance(limited, Unavailable)
        assert (limited.code, limited.retry_after) == ("limited", 10)
    monkeypatch.setattr(clock, "now", lambda: NOW.replace(minute=1))
    assert statuses(send(mode, sent)) == ["accepted"] * 2 + ["Unavailable", "accepted"]
    log.consume(judge=all_clean)
    assert statuses(send(mode, sent)) == ["committed", "committed", "Unavailable", "committed"]
    monkeypatch.setattr(clock, "now", lambda: NOW.replace(minute=2))
    assert statuses(send(mode, sent)) == ["committed", "committed", "accepted", "committed"]


def test_the_same_score_twice_in_one_call_counts_once(
    log: Log, make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode(aggregation="sum")
    (score,) = scores(players(1), 5)
    assert statuses(send(mode, [score, score, replace(score, score=6)])) == [
        "accepted",
        "accepted",
        "Refused",
    ]
    log.consume()
    assert stored(mode) == [5]
    check_boards(mode)


def test_a_score_counts_when_it_was_achieved_within_bounds(
    log: Log, make_mode: MakeMode, players: Players, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOW)
    mode = make_mode(late_hours=48)
    (ann,) = players(1)
    moments = {
        1: NOW - timedelta(hours=24),
        2: NOW - timedelta(hours=48),
        3: NOW - timedelta(hours=48, microseconds=1),
        4: NOW + timedelta(seconds=60),
        5: NOW + timedelta(seconds=60, microseconds=1),
        6: datetime.max.replace(tzinfo=UTC),
        7: datetime.min.replace(tzinfo=timezone(timedelta(hours=14))),
    }
    sent = [replace(score, achieved_at=moments[score.score]) for score in scores([ann], *moments)]
    outcomes = send(mode, sent)
    assert statuses(outcomes) == [
        "accepted",
        "accepted",
        "Refused",
        "accepted",
        "Refused",
        "Refused",
        "Refused",
    ]
    wrong = [codes(outcome) for outcome in (outcomes[2], *outcomes[4:])]
    assert wrong == [["too_late"], ["from_the_future"], ["from_the_future"], ["too_late"]]
    windows = [outcome.window_id for outcome in outcomes if isinstance(outcome, Submitted)]
    assert windows == ["daily:2026-04-04", "daily:2026-04-03", "daily:2026-04-05"]
    log.consume(judge=all_clean)
    stored = db.session.execute(
        select(ScoreAttempt.score, ScoreAttempt.achieved_at)
        .where(ScoreAttempt.mode_id == mode.id)
        .order_by(ScoreAttempt.score)
    ).all()
    assert [tuple(row) for row in stored] == [(1, moments[1]), (2, moments[2]), (4, NOW)]
    check_boards(mode)


def test_no_score_is_taken_into_an_archived_window_and_a_repeated_one_has_its_first_outcome(
    log: Log, make_mode: MakeMode, players: Players, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOW)
    mode = make_mode()
    (ann,) = players(1)
    yesterday = NOW - timedelta(hours=23)
    first, later = (replace(score, achieved_at=yesterday) for score in scores([ann], 5, 6))
    assert statuses(send(mode, [first])) == ["accepted"]
    log.consume(judge=all_clean)
    board = catalogue.find_board(mode, "daily:2026-04-04")
    assert board is not None
    board.archived_at, board.blob = NOW, "boards.v1/x"
    db.session.commit()
    repeated, refused = send(mode, [first, later])
    assert (statuses([repeated]), codes(refused)) == (["committed"], ["window_archived"])
    monkeypatch.setattr(clock, "now", lambda: NOW + timedelta(days=7))
    assert statuses(send(mode, [first])) == ["committed"]  # too late for a new one

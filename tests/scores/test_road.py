"""The whole road on real stores: submit -> Kafka -> the scores process -> Redis and PostgreSQL."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from uuid import UUID

import psutil
import pytest
from flask import Flask
from sqlalchemy import func, select

from app.boards.models import Mode
from app.core.db import db
from app.embedded.stack import Stack
from app.scores.models import ScoreAttempt
from app.scores.submission import submit
from app.scores.submission.claims import Claim, Outcome, Submitted
from tests.groups import own_groups
from tests.waiting import patience, until
from tests.worlds.claims import claim, codes, send
from tests.worlds.score_log import check_boards
from workers.supervisor.children import Children
from workers.supervisor.processes import Command

MakeMode = Callable[..., Mode]
Players = Callable[[int], list[UUID]]


@pytest.fixture
def processes(app: Flask, stack: Stack, monkeypatch: pytest.MonkeyPatch) -> Iterator[Children]:
    """One scores process, in a consumer group of its own."""
    monkeypatch.setattr(submit, "WAIT_SECONDS", patience(40))
    with own_groups(stack):
        children = Children(stack, [Command("scores", [sys.executable, "-m", "workers.scores"])])
        children.start()
        yield children
        children.stop()


def stored() -> int:
    return db.session.scalar(select(func.count()).select_from(ScoreAttempt)) or 0


@pytest.mark.everyday("a score's whole path")
@pytest.mark.usefixtures("processes")
def test_a_score_is_committed_on_every_window_and_answers_the_same_again(
    make_mode: MakeMode, players: Players, today: date
) -> None:
    mode = make_mode(windows=("daily", "monthly", "all-time"))
    ann, bob = players(2)
    (first,) = send(claim(mode, bob, 700))
    window = f"daily:{today}"
    assert first == Submitted("committed", bob, window, 1, 1, 700)
    mine = claim(mode, ann, 650)
    assert send(mine) == [Submitted("committed", ann, window, 2, 2, 650)]
    assert send(mine) == [Submitted("committed", ann, window, 2, 2, 650, repeated=True)]
    assert send(mine, wait=False) == [Submitted("committed", ann, window, 2, 2, 650, repeated=True)]
    check_boards(mode)

    solo, duo = mode, make_mode(aggregation="sum")
    outcomes = send(
        claim(solo, ann, 5),
        claim(duo, ann, 5),
        claim(duo, ann, 6),
        claim(solo, bob, 20_000),
        claim(duo, bob, 8),
    )
    assert [outcome.status for outcome in outcomes if isinstance(outcome, Submitted)] == [
        "committed"
    ] * 4
    assert codes(outcomes[3]) == ["above_cap", "out_of_bounds"]
    assert [
        (outcome.rank, outcome.effective_score)
        for outcome in outcomes[1:3]
        if isinstance(outcome, Submitted)
    ] == [(1, 11)] * 2
    for mode in (solo, duo):
        check_boards(mode)


@pytest.mark.usefixtures("processes", "lasting")
def test_without_waiting_a_score_is_accepted_and_comes_later(
    make_mode: MakeMode, players: Players, today: date
) -> None:
    mode = make_mode(aggregation="sum")
    ann, bob = players(2)
    send(claim(mode, bob, 700))
    (accepted,) = send(claim(mode, ann, 800), wait=False)
    assert accepted == Submitted("accepted", ann, f"daily:{today}", 1)
    until(lambda: stored() == 2, "stored")
    check_boards(mode)


@pytest.mark.usefixtures("processes")
def test_many_at_once_each_hear_of_their_own(
    app: Flask, make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode(aggregation="sum")
    everybody = players(12)
    claims = [claim(mode, player, number) for number, player in enumerate(everybody)]
    by_player: dict[UUID, Outcome] = {}

    def one(mine: Claim) -> None:
        with app.app_context():
            db.session.add(db.session.merge(mine.mode))
            (by_player[mine.player_id],) = send(mine)

    with ThreadPoolExecutor(len(claims)) as pool:
        list(pool.map(one, claims))
    assert {
        player: outcome.effective_score
        for player, outcome in by_player.items()
        if isinstance(outcome, Submitted)
    } == {player: number for number, player in enumerate(everybody)}
    check_boards(mode)


def test_a_killed_consumer_is_followed_by_one_that_loses_nothing(
    processes: Children, make_mode: MakeMode, players: Players, lasting: None
) -> None:
    mode = make_mode(aggregation="sum")
    ann, bob = players(2)
    claims = [claim(mode, player, number) for number in range(10) for player in (ann, bob)]
    for early in claims[:10]:
        assert isinstance(send(early, wait=False)[0], Submitted)
    psutil.Process(processes.running["scores"].pid).send_signal(signal.SIGKILL)
    processes.running["scores"].wait(patience(60))
    for late in claims[10:]:
        assert isinstance(send(late, wait=False)[0], Submitted)
    processes.start()
    until(lambda: stored() == 20, "all in PostgreSQL")
    check_boards(mode)
    outcomes = send(*claims)
    assert {outcome.effective_score for outcome in outcomes if isinstance(outcome, Submitted)} == {
        45
    }
    check_boards(mode)

"""Percentiles of a board: what a plain sort says, cached, and measured again by the clock."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

import pytest
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.boards import percentiles
from app.boards.catalogue import queries as catalogue
from app.boards.catalogue.rules import NewMode
from app.boards.layouts.board import Board, open_board
from app.boards.models import Mode, ScoreGame
from app.boards.percentiles import STEPS
from app.boards.rules import Held
from app.boards.services import Reading, read
from app.boards.windows.rules import Window
from app.core import clock
from app.core.db import db
from app.embedded.valkey import Valkey
from tests.statements import count_statements
from tests.worlds.boards import NOW, fill
from tests.worlds.score_games import make_score_game, make_score_mode
from workers.jobs import measure_percentiles

ALL_TIME = Window("all-time", "all-time")


@pytest.fixture
def mode(app: Flask) -> tuple[ScoreGame, Mode]:
    game = make_score_game()
    return game, make_score_mode(game, NewMode("m", "M", "highest", "shared", -100, 100))


def make_board(mode: tuple[ScoreGame, Mode], scores: list[int], shards: int = 1) -> Board:
    """The board of all time with these scores, in PostgreSQL and Redis."""
    mode[1].shards = shards
    record = catalogue.board_for(mode[1], ALL_TIME)
    spec = catalogue.spec_of(*mode, record)
    records = {
        str(UUID(int=number + 1)): Held(score, number) for number, score in enumerate(scores)
    }
    fill(record, spec, records)
    db.session.commit()
    board = open_board(spec)
    board.load(records.items())
    return board


def reading(mode: tuple[ScoreGame, Mode]) -> Reading:
    return read(*mode, "all-time")


def by_sorting(scores: list[int]) -> list[tuple[int, int]]:
    """The score of the last of the best (100 - step) %, players rounded up."""
    ranked = sorted(scores, reverse=True)
    return [(step, ranked[-(-len(ranked) * (100 - step) // 100) - 1]) for step in STEPS]


@pytest.mark.parametrize("shards", [1, 4])
@settings(
    max_examples=10,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(scores=st.lists(st.integers(-100, 100), min_size=1, max_size=60))
def test_they_are_those_of_a_plain_sort(
    mode: tuple[ScoreGame, Mode], shards: int, scores: list[int]
) -> None:
    """The real-time design: "90th percentile = score < 6500" lets a game say "in the top 10 %"."""
    board = make_board(mode, scores, shards)
    try:
        measured = percentiles.measure(reading(mode), NOW)
    finally:
        board.drop()
        db.session.delete(reading(mode).record)
        db.session.commit()
    assert measured.count == len(scores)
    assert [(row.percentile, row.score) for row in measured.rows] == by_sorting(scores)


def test_a_board_without_players_has_none(mode: tuple[ScoreGame, Mode]) -> None:
    assert percentiles.read(reading(mode), NOW).rows == []


def test_what_is_cached_is_measured_again_by_the_clock(
    mode: tuple[ScoreGame, Mode], monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = list(range(100))
    board = make_board(mode, scores)
    monkeypatch.setattr(clock, "now", lambda: NOW)
    first = percentiles.read(reading(mode), NOW)
    board.put({str(UUID(int=1000)): Held(100, 0)})
    here = reading(mode)
    with count_statements() as counted:
        assert percentiles.read(here, NOW) == first
    assert counted() == 0
    monkeypatch.setattr(clock, "now", lambda: NOW + timedelta(minutes=1))
    measure_percentiles.run()
    measure_percentiles.run()
    again = percentiles.read(reading(mode), clock.now())
    assert (again.as_of, again.count) == (NOW + timedelta(minutes=1), 101)
    assert [(row.percentile, row.score) for row in again.rows] == by_sorting([*scores, 100])


def test_a_board_that_nobody_asks_for_is_not_measured(mode: tuple[ScoreGame, Mode]) -> None:
    make_board(mode, [1])
    percentiles.read(reading(mode), NOW)
    assert percentiles.measure_wanted(NOW + timedelta(minutes=59)) == 1
    assert percentiles.measure_wanted(NOW + timedelta(minutes=61)) == 0


def test_a_board_that_cannot_be_measured_stops_no_other_and_the_job_fails(
    mode: tuple[ScoreGame, Mode], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One integrator's fault never stops what is done for another."""
    game = make_score_game("alpha")  # it comes first
    broken = game, make_score_mode(game, NewMode("m", "M", "highest", "shared", -100, 100))
    for scored_mode in (broken, mode):
        make_board(scored_mode, [1])
        percentiles.read(reading(scored_mode), NOW)
    measure = percentiles.measure

    def fail(asked: Reading, now: datetime) -> percentiles.Percentiles:
        if asked.game.slug == "alpha":
            raise ValueError("a board that cannot be read")
        return measure(asked, now)

    monkeypatch.setattr(percentiles, "measure", fail)
    later = NOW + timedelta(minutes=1)
    with pytest.raises(ValueError, match="cannot be read"):
        percentiles.measure_wanted(later)
    assert percentiles.read(reading(mode), later).as_of == later


def test_without_redis_they_are_measured_in_postgresql(
    mode: tuple[ScoreGame, Mode], own_valkey: Valkey
) -> None:
    make_board(mode, [1, 2, 3])
    own_valkey.stop()
    measured = percentiles.read(reading(mode), NOW)
    assert [(row.percentile, row.score) for row in measured.rows] == by_sorting([1, 2, 3])

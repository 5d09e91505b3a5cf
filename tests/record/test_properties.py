"""Whatever the road does to messages, the record ends as after a clean replay.

Row for row and point for point.

Hypothesis doubles messages, cuts them into batches of any size, delivers them in any order within a
window, kills the ingest before any statement, and enters wrong versions that are overturned or
nullified later.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from random import Random

import pytest
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.demo.seed import simulated_game
from app.record import events as ev
from app.record.script import GameScript
from app.record.services import store_script
from tests.killing import kill_before_statement
from tests.record.deliveries import (
    assert_it_stands,
    cut,
    deliver,
    derived_rows,
    forget,
    injected,
    mixed,
)
from tests.sizes import size
from tests.worlds.games import messages

SEEDS = (1, 2, 3)
EVENTS = 160
CASES = settings(
    max_examples=size("PRESSBOX_PROPERTY_CASES", 5, 30),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@cache
def script(seed: int) -> GameScript:
    return simulated_game(seed, datetime(2026, 9, 13, tzinfo=UTC))


def beginning(seed: int) -> list[ev.Body]:
    """The first EVENTS steps of a simulated game, with penalties, nullifies and overturns."""
    return [step.body for step in script(seed).events[:EVENTS]]


pytestmark = pytest.mark.sized


@pytest.fixture(autouse=True)
def _games(app: Flask) -> None:
    for seed in SEEDS:
        store_script(script(seed))


@CASES
@given(seed=st.sampled_from(SEEDS), randomness=st.randoms(use_true_random=False))
@pytest.mark.fault(3)
def test_doubled_reordered_and_cut_messages_end_like_a_clean_replay(
    seed: int, randomness: Random
) -> None:
    game = script(seed).game_id
    clean = messages(beginning(seed), game)
    forget()
    deliver([clean])
    expected = derived_rows()
    forget()
    deliver(cut(mixed(clean, randomness), randomness))
    assert derived_rows() == expected


@CASES
@given(
    seed=st.sampled_from(SEEDS), randomness=st.randoms(use_true_random=False), at=st.integers(0, 60)
)
def test_an_ingest_killed_before_any_statement_ends_like_a_clean_replay(
    seed: int, randomness: Random, at: int
) -> None:
    clean = messages(beginning(seed), script(seed).game_id)
    forget()
    deliver([clean])
    expected = derived_rows()
    forget()
    for batch in cut(clean, randomness):
        kill_before_statement(at, lambda batch=batch: deliver([batch]))
        deliver([batch])
    assert derived_rows() == expected


@CASES
@given(seed=st.sampled_from(SEEDS), randomness=st.randoms(use_true_random=False))
def test_wrong_entries_that_are_corrected_later_leave_no_trace_in_the_points(
    seed: int, randomness: Random
) -> None:
    """The record equals that of the game without its mistakes, in points and score too."""
    plain, game = beginning(seed), script(seed)
    forget()
    deliver(
        cut(mixed(messages(injected(plain, 12, randomness), game.game_id), randomness), randomness)
    )
    assert_it_stands(game.game_id, plain, game.home.id, game.away.id)

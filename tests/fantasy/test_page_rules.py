"""Ranks and points as they are shown."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.http import pagination
from app.fantasy.amounts import decimal_points
from app.fantasy.pages.league.page import is_over
from app.fantasy.standings.ranking import Rank, dense_ranks


@pytest.mark.parametrize(
    ("points", "ranks", "why"),
    [
        ({}, {}, "an empty league has no ranks"),
        ({7: 0}, {7: Rank(1, False)}, "one member is first, with nothing"),
        (
            {1: 5, 2: 5, 3: 4},
            {1: Rank(1, True), 2: Rank(1, True), 3: Rank(2, False)},
            "1, 1, 2: dense",
        ),
        (
            {1: -10, 2: 0},
            {1: Rank(2, False), 2: Rank(1, False)},
            "negative totals rank below nothing",
        ),
    ],
)
def test_ranks_are_dense(points: dict[int, int], ranks: dict[int, Rank], why: str) -> None:
    assert dense_ranks(points) == ranks, why


@given(st.dictionaries(st.integers(1, 50), st.integers(-5, 5)))
def test_ranks_follow_points_without_a_gap(points: dict[int, int]) -> None:
    ranks = dense_ranks(points)
    assert {rank.rank for rank in ranks.values()} == set(range(1, len(set(points.values())) + 1))
    for member in points:
        for other in points:
            assert (points[member] > points[other]) == (ranks[member].rank < ranks[other].rank)
            assert ranks[member].shared == (list(points.values()).count(points[member]) > 1)


@given(st.integers(-10_000_000, 10_000_000))
def test_shown_points_lose_nothing(thousandths: int) -> None:
    words = decimal_points(thousandths)
    whole, _, decimals = words.removeprefix("-").partition(".")
    assert (int(whole) * 1000 + int(decimals.ljust(3, "0"))) * (
        -1 if words.startswith("-") else 1
    ) == thousandths
    assert 2 <= len(decimals) <= 3


def test_a_small_loss_keeps_its_sign() -> None:
    assert decimal_points(-40) == "-0.04"


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        ((), False),
        (("final",), True),
        (("ended", "final"), True),
        (("final", "live"), False),
        (("scheduled",), False),
    ],
)
def test_a_gameweek_is_over_when_it_has_games_and_all_are(
    statuses: tuple[str, ...], expected: bool
) -> None:
    assert is_over(statuses) is expected


def test_the_examples_of_paging_hold() -> None:
    assert doctest.testmod(pagination).failed == 0

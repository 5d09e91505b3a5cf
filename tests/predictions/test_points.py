"""The points of a guess: examples of the published rules, and Python and SQL against each other."""

from __future__ import annotations

import pytest
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from app.core.db import db
from app.predictions import points
from app.predictions.points import PRESETS, Counting, PointRule, Terms
from tests.sizes import size

MARGIN, EXACT, WINNER = PRESETS["margin"], PRESETS["exact"], PRESETS["winner"]


@pytest.mark.parametrize(
    ("rule", "guess", "result", "expected"),
    [
        (WINNER, (21, 17), (24, 10), 100),
        (WINNER, (17, 21), (24, 10), 0),
        (WINNER, (7, 7), (20, 20), 100),
        (WINNER, (7, 7), (20, 17), 0),
        (MARGIN, (21, 17), (20, 11), 150),  # 4 guessed, 9 real: off by 5
        (MARGIN, (21, 17), (20, 10), 100),  # off by 6
        (MARGIN, (17, 18), (20, 18), 50),  # the wrong winner, but off by 3
        (EXACT, (2, 1), (2, 1), 300),
        (EXACT, (2, 1), (3, 2), 150),
        (EXACT, (2, 1), (3, 1), 150),
        (EXACT, (2, 1), (5, 1), 100),
        (EXACT, (2, 1), (1, 2), 0),
        (EXACT, (1, 1), (2, 2), 150),
    ],
)
def test_a_guess_earns_what_the_published_rules_say(
    rule: PointRule, guess: tuple[int, int], result: tuple[int, int], expected: int
) -> None:
    assert points.earned(*guess, Terms(*result, rule)).total == expected


def test_a_round_multiplies_and_the_closest_comes_on_top() -> None:
    terms = Terms(24, 10, MARGIN, multiplier=200, closest_distance=1, closest_share=50)
    earned = points.earned(23, 10, terms)
    assert (earned.winner, earned.margin, earned.closest, earned.total) == (100, 50, 50, 400)
    assert points.earned(10, 23, terms).closest == 0


@pytest.mark.parametrize(
    ("sharers", "each"), [(0, 0), (1, 100), (2, 50), (3, 33), (4, 25), (9, 25)]
)
def test_the_points_of_the_closest_are_shared_down_to_the_least(sharers: int, each: int) -> None:
    assert points.share_of_closest(MARGIN, sharers) == each


SCORES = st.integers(0, 200)
SMALL = st.integers(0, 12)
RULES = st.builds(
    PointRule,
    winner=st.integers(0, 300),
    margin=st.integers(0, 300),
    margin_within=SMALL,
    close=st.integers(0, 300),
    close_within=SMALL,
    exact=st.integers(0, 300),
    counting=st.sampled_from(Counting),
)
TERMS = st.builds(
    Terms,
    home=SMALL,
    away=SMALL,
    rule=RULES,
    multiplier=st.sampled_from([100, 150, 200, 300]),
    closest_distance=st.none() | st.integers(0, 4),
    closest_share=st.integers(0, 100),
    shootout=st.sampled_from([0, 1, -1]),
)


@pytest.mark.sized
@settings(
    max_examples=size("PRESSBOX_PROPERTY_CASES", 40, 400),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    guesses=st.lists(
        st.tuples(SMALL, SMALL, st.none() | st.integers(1, 16)), min_size=1, max_size=20
    ),
    terms=TERMS,
    before=st.none() | TERMS,
)
def test_sql_earns_what_python_earns(
    app: Flask, guesses: list[tuple[int, int, int | None]], terms: Terms, before: Terms | None
) -> None:
    statement = text(
        f"SELECT {points.earned_sql('after')}, {points.earned_sql('before')}"
        " FROM unnest(CAST(:home AS integer[]), CAST(:away AS integer[]),"
        " CAST(:confidence AS integer[])) WITH ORDINALITY AS g (home, away, confidence, place)"
        " ORDER BY place"
    )
    earned = db.session.execute(
        statement,
        dict(
            zip(("home", "away", "confidence"), map(list, zip(*guesses, strict=True)), strict=True)
        )
        | points.parameters("after", terms)
        | points.parameters("before", before),
    ).all()
    expected = [
        (
            points.earned(home, away, terms, confidence or 1).total,
            0 if before is None else points.earned(home, away, before, confidence or 1).total,
        )
        for home, away, confidence in guesses
    ]
    assert [tuple(row) for row in earned] == expected


def test_every_preset_is_said_in_words() -> None:
    assert points.words(WINNER) == ["Right winner (or draw): 1 point."]
    assert points.words(MARGIN) == [
        "Right winner (or draw): 1 point.",
        "Winning margin off by 5 or less: 0.5 points.",
        "Right winner and closest margin of everyone: 1 point (split if tied, min. 0.25 each).",
        "Perfect round (every winner right): +1 point.",
    ]
    assert points.words(EXACT) == [
        "Both scores right: 3 points.",
        "Right winner and scores off by 2 or less in total: 1.5 points.",
        "Right winner (or draw): 1 point.",
        "Only the best of these counts per match.",
    ]

"""A number far beyond usual scoring is saved only after a question.

The measure: more than ten times what any preset gives, which are the public defaults of nflverse,
Yahoo and ESPN.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from app.fantasy.leagues.rules import unusual_numbers
from app.fantasy.market.models import Season
from app.fantasy.scoring.rules import PRESETS
from tests.fantasy.leagues.test_pages import FORM, the_league


@pytest.mark.parametrize(
    ("stat", "points", "is_unusual"),
    [
        ("passing_yards", 6_000, True),
        ("passing_yards", -6_000, True),
        ("passing_yards", 400, False),
        ("passing_tds", 6_000, False),
        ("passing_tds", 100_000, True),
        ("receptions", 1_500, False),
    ],
)
def test_ten_times_the_most_of_all_presets_is_asked_about(
    stat: str, points: int, is_unusual: bool
) -> None:
    assert (stat in unusual_numbers({stat: points}, "football")) == is_unusual


@pytest.mark.parametrize("name", PRESETS)
def test_no_preset_is_unusual(name: str) -> None:
    assert unusual_numbers(PRESETS[name].milli_points, PRESETS[name].sport) == {}


def test_six_points_for_a_passing_yard_are_saved_only_after_a_question(
    sign_in: Callable[..., FlaskClient], season: Season
) -> None:
    ann = sign_in(username="ann")
    ann.post("/leagues/new", data=FORM)
    before, address = the_league().rules, "/leagues/the-row/scoring/preview"
    asked = ann.post(address, data={"points-passing_yards": "6"})
    assert asked.status_code == 422
    assert "6.00. 100 of these would score 600.00 points." in asked.text
    assert 'value="6"' in asked.text, "what was typed stays"
    assert the_league().rules == before
    assert ann.post(address, data={"points-passing_yards": "6", "sure": "1"}).status_code == 303
    assert the_league().rules != before
    assert (
        ann.post(address, data={"points-passing_yards": "6", "points-receptions": "2"}).status_code
        == 303
    )


def test_a_form_that_was_loaded_before_a_change_does_not_take_it_back(
    sign_in: Callable[..., FlaskClient], season: Season
) -> None:
    """It sends every number, also those that nobody touched."""
    ann = sign_in(username="ann")
    ann.post("/leagues/new", data=FORM)
    first_rules, address = the_league().rules, "/leagues/the-row/scoring/preview"
    first = {"rules": first_rules, "points-receptions": "0.75"}
    second = {"rules": first_rules, "points-receptions": "1", "points-passing_tds": "6"}
    assert ann.post(address, data=first).status_code == 303
    saved = the_league().rules
    late = ann.post(address, data=second)
    assert (late.status_code, the_league().rules) == (422, saved)
    assert "The scoring has changed since you opened this page." in late.text
    assert f'name="rules" value="{saved}"' in late.text
    assert ann.post(address, data=second | {"rules": saved}).status_code == 303

"""What footballers cost when a season begins."""

from __future__ import annotations

import pytest

from app.fantasy.market.formats import FORMATS
from app.fantasy.market.starting_prices import SPANS, start_prices


def test_the_best_of_a_position_costs_its_ceiling_and_who_had_nothing_its_floor() -> None:
    prices = start_prices(
        {"best": "RB", "half": "RB", "none": "RB"}, {"best": 200_000, "half": 100_000}
    )
    assert prices == {"best": 130, "half": 85, "none": 45}


def test_without_points_of_last_season_a_position_costs_the_usual_price() -> None:
    assert start_prices({"a": "TE", "b": "QB"}, {"b": 1}) == {"a": 60, "b": 120}


def test_points_below_nothing_cost_the_floor() -> None:
    assert start_prices({"a": "QB", "b": "QB"}, {"a": 5, "b": -5})["b"] == 50


def test_defenders_are_priced_together_and_apart_from_others_of_equal_span() -> None:
    prices = start_prices(
        {"lb": "LB", "cb": "CB", "k": "K", "gk": "GK"}, {"lb": 100, "cb": 50, "k": 10}
    )
    assert prices == {"lb": 80, "cb": 60, "k": 60, "gk": 45}


@pytest.mark.parametrize("name", FORMATS)
def test_every_position_of_a_format_has_a_price_and_usual_ones_fit_the_budget(name: str) -> None:
    roster_format = FORMATS[name]
    squad = dict(roster_format.squad)
    places = (
        []
        if squad
        else [max(SPANS[p].usual for p in slot.accepts) for slot in roster_format.places]
    )
    cost = sum(places) + sum(SPANS[position].usual * count for position, count in squad.items())
    assert cost <= roster_format.budget

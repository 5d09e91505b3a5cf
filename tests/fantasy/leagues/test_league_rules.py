"""Reading a league's settings: every fault at once, each at its field."""

from __future__ import annotations

import doctest

import pytest

from app.core.numbers import typed_decimal
from app.core.refusals import Refusal
from app.fantasy.leagues import gamers
from app.fantasy.leagues import rules as league_rules
from app.fantasy.leagues import words as league_words
from app.fantasy.leagues.rules import (
    name_refusals,
    read_numbers,
    read_table_rules,
    read_team_rules,
)
from app.fantasy.market.choice import TeamRulesChoice
from app.fantasy.pages.history import race_chart
from app.fantasy.scoring import statistics
from app.fantasy.scoring.rules import HALF_PPR
from app.fantasy.standings import fixtures

GOOD = {
    "format": "nfl-classic",
    "lock": "gameweek",
    "time_zone": "Europe/Berlin",
    "deadline": "thu 18:00",
    "budget": "100.5",
    "club_limit": "4",
    "free_transfers": "",
    "bank_limit": "5",
    "transfer_cost": "4",
    "postponed_games": "played",
}


def test_examples_hold() -> None:
    for module in (league_rules, league_words, statistics, gamers, fixtures, race_chart):
        assert doctest.testmod(module).failed == 0


def test_settings_are_read() -> None:
    assert read_team_rules(GOOD, "football") == TeamRulesChoice(
        "nfl-classic", "gameweek", "Europe/Berlin", "THU 18:00", 1005, 4, None, 5, 4000
    )


def test_every_fault_is_said_at_its_field() -> None:
    bad = {
        "format": "soccer",
        "lock": "never",
        "time_zone": "Mars",
        "deadline": "someday",
        "budget": "9.9",
        "club_limit": "0",
        "free_transfers": "-1",
        "bank_limit": "x",
        "transfer_cost": "4.00001",
        "postponed_games": "perhaps",
    }
    refused = read_team_rules(bad, "football")
    assert isinstance(refused, list)
    assert {refusal.field for refusal in refused} == set(bad)
    assert all(refusal.text.endswith(".") for refusal in refused)


def test_where_footballers_lock_one_by_one_there_is_no_other_deadline() -> None:
    refused = read_team_rules(GOOD | {"lock": "game"}, "football")
    assert isinstance(refused, list)
    assert [refusal.field for refusal in refused] == ["deadline"]
    assert isinstance(
        read_team_rules(GOOD | {"lock": "game", "deadline": ""}, "football"), TeamRulesChoice
    )


def test_own_numbers_stand_over_those_of_the_preset() -> None:
    numbers = read_numbers({"receptions": "0.75", "passing_tds": "0", "safeties": "2"}, HALF_PPR)
    assert isinstance(numbers, dict)
    assert numbers["receptions"] == 750
    assert numbers["safeties"] == 2000
    assert numbers["rushing_tds"] == 6000
    assert "passing_tds" not in numbers
    assert read_numbers({"receptions": "much", "rushing_tds": " "}, HALF_PPR) == [
        Refusal(
            "numbers", "receptions", "Enter points from -100 to 100, with up to three decimals."
        ),
        Refusal("numbers", "rushing_tds", "Enter points, or 0 if it does not count."),
    ]


@pytest.mark.parametrize(
    ("entered", "scale", "read"),
    [
        ("100", 10, 1000),
        ("1.05", 10, None),
        ("+2", 1, 2),
        ("--2", 1, None),
        ("", 1, None),
        ("NaN", 1, None),
    ],
)
def test_numbers(entered: str, scale: int, read: int | None) -> None:
    assert typed_decimal(entered, scale) == read


def test_names_are_printable() -> None:
    assert name_refusals("The Row") == []
    assert name_refusals("a\u202eb") != []
    assert name_refusals("a\nb") != []
    assert name_refusals("x" * 61) != []
    assert [refusal.field for refusal in read_table_rules("ladder", "coin")] == ["mode", "ties"]

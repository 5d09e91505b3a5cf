"""What a stat line is worth: thousandths, exact, by published rules."""

from __future__ import annotations

import pytest

from app.fantasy.scoring.rules import (
    HALF_PPR,
    PPR,
    PRESETS,
    STANDARD,
    YAHOO,
    ScoringRules,
    credit_points,
    points,
)
from app.fantasy.scoring.statistics import STATISTICS
from app.record.rules.statistics import LEVEL_STATS, STATS, TEAM_STATS

COUNTED = {*STATS, *TEAM_STATS, *LEVEL_STATS}

LINES = [
    (
        "a quarterback",
        {"passing_yards": 250, "passing_tds": 2, "passing_interceptions": 1, "rushing_yards": 20},
        18_000,
        18_000,
    ),
    (
        "a runner who loses the ball",
        {
            "rushing_yards": 87,
            "rushing_tds": 1,
            "receptions": 5,
            "receiving_yards": 41,
            "fumbles_lost": 1,
            "fumbles_lost_scoring": 1,
        },
        16_800,
        21_800,
    ),
    ("three interceptions and nothing else", {"passing_interceptions": 3}, -6_000, -6_000),
    (
        "a catcher with a conversion",
        {"receptions": 7, "receiving_yards": 101, "receiving_2pt": 1},
        12_100,
        19_100,
    ),
    ("an onside kick brought back", {"special_teams_tds": 1, "kickoff_returns": 1}, 6_000, 6_000),
    (
        "a defender",
        {"tackles_solo": 9, "half_sacks": 3, "def_tds": 1, "interceptions_made": 1},
        0,
        0,
    ),
    ("a fumble lost by a returner", {"fumbles": 1, "fumbles_lost": 1}, 0, 0),
    (
        "an own fumble returned for a touchdown",
        {"fumble_recovery_tds": 1, "own_fumble_recovery_tds": 1},
        0,
        0,
    ),
    ("yards lost", {"passing_yards": -3, "rushing_yards": -12}, -1_320, -1_320),
]


@pytest.mark.parametrize(
    ("word", "stats", "standard", "ppr"), LINES, ids=[line[0] for line in LINES]
)
def test_a_line_is_worth_what_nflverse_publishes(
    word: str, stats: dict[str, int], standard: int, ppr: int
) -> None:
    assert points(stats, STANDARD) == standard
    assert points(stats, PPR) == ppr
    assert 2 * points(stats, HALF_PPR) == standard + ppr


def test_yahoo_takes_one_point_for_an_interception_and_two_for_any_lost_fumble() -> None:
    assert points({"passing_interceptions": 1}, YAHOO) == -1_000
    assert points({"fumbles": 1, "fumbles_lost": 1}, YAHOO) == -2_000
    assert (
        points({"fg_made": 2, "fg_made_40_49": 1, "fg_made_50_59": 1, "pat_made": 3}, YAHOO)
        == 12_000
    )


def test_credits_add_up_to_the_line() -> None:
    stats = {"passing_yards": 313, "passing_tds": 3, "receptions": 1, "fumbles_lost_scoring": 1}
    for rules in (preset for preset in PRESETS.values() if preset.sport == "football"):
        assert sum(credit_points(stat, amount, rules) for stat, amount in stats.items()) == points(
            stats, rules
        )


def test_every_preset_knows_only_statistics_that_exist() -> None:
    for name, rules in PRESETS.items():
        assert rules.name == name
        assert rules.sport != "football" or set(rules.milli_points) <= COUNTED


def test_every_statistic_of_a_preset_has_words_and_is_offered_or_a_step() -> None:
    for rules in PRESETS.values():
        listed = [STATISTICS[stat] for stat in rules.milli_points]
        assert all(
            statistic.sport == rules.sport and statistic.is_offered for statistic in listed
        ), rules.name
        assert all(STATISTICS[step.stat].sport == rules.sport for step in rules.steps), rules.name


def test_the_record_counts_every_statistic_of_football_that_is_listed() -> None:
    assert {
        statistic.name for statistic in STATISTICS.values() if statistic.sport == "football"
    } <= COUNTED


def test_a_league_may_have_rules_of_its_own() -> None:
    assert (
        points(
            {"tackles_solo": 4}, ScoringRules("own", "Rules of our own", {"tackles_solo": 1_500})
        )
        == 6_000
    )

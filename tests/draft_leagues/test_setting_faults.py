"""Which settings of a draft league are impossible, and the setting that each refusal names."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.draft_leagues.setting_faults import SeasonFacts, faults, playoff_rounds
from app.draft_leagues.settings import (
    PRESETS,
    DraftLeagueSettings,
    NightPause,
    StarterCount,
)

# The NFL of one season: 32 clubs, 17 weeks with the play-offs of most leagues in them.
MARKET = {"QB": 80, "RB": 150, "WR": 120, "TE": 60, "K": 36, "DST": 32}
MARKET |= {"DE": 140, "DT": 130, "ILB": 80, "OLB": 120, "CB": 190, "FS": 60, "SS": 60}
NFL = SeasonFacts(17, MARKET)


def changed(part: str = "", **values: Any) -> DraftLeagueSettings:
    """The usual redraft league with these values of one part of its settings."""
    redraft = PRESETS["redraft"]
    if not part:
        return msgspec.structs.replace(redraft, **values)
    return msgspec.structs.replace(
        redraft, **{part: msgspec.structs.replace(getattr(redraft, part), **values)}
    )


def fields(league: DraftLeagueSettings, facts: SeasonFacts | None = NFL) -> list[str]:
    return [refusal.field for refusal in faults(league, facts)]


def test_a_line_up_without_starters_is_a_fault_of_its_starters_alone() -> None:
    assert fields(changed("roster", starters=())) == ["roster.starters"]


def test_one_gameweek_that_is_left_is_not_several() -> None:
    [refusal, *_] = faults(PRESETS["redraft"], SeasonFacts(17, MARKET, 17))
    assert refusal.text == "The season has 1 week from Week 17 on. Choose at most 1."


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_possible(name: str) -> None:
    assert faults(PRESETS[name], NFL) == []


@pytest.mark.parametrize(
    ("part", "values", "field"),
    [
        ("", {"scoring": "nobodys"}, "scoring"),
        ("", {"scoring": "ppr"}, "scoring"),  # kickers and defence earn nothing by it
        ("", {"time_zone": "America/Gotham"}, "time_zone"),
        ("", {"franchises": 32}, "roster.bench"),
        ("roster", {"starters": ()}, "roster.starters"),
        ("roster", {"starters": (StarterCount("QB", 9),)}, "roster.starters"),
        ("roster", {"best_ball": True, "substitutes_come_on": True}, "roster.substitutes_come_on"),
        ("draft", {"rounds": 16}, "draft.rounds"),
        ("draft", {"kind": "auction", "budget": 14}, "draft.budget"),
        ("draft", {"night_pause": NightPause("22:00", "22:00")}, "draft.night_pause"),
        ("waivers", {"days": ()}, "waivers.days"),
        ("waivers", {"days": ("WED", "WED")}, "waivers.days"),
        ("waivers", {"kind": "blind_bids", "budget": 0}, "waivers.budget"),
        ("trades", {"review_hours": 0}, "trades.review_hours"),
        ("trades", {"review": "vote", "votes_to_stop": 9}, "trades.votes_to_stop"),
        ("season", {"divisions": 6}, "season.divisions"),
        ("season", {"tie_breaks": ()}, "season.tie_breaks"),
        ("season", {"tie_breaks": ("coin", "points_for")}, "season.tie_breaks"),
        ("season", {"tie_breaks": ("division_record", "coin")}, "season.tie_breaks"),
        ("season", {"playoff_teams": 1}, "season.playoff_teams"),
        ("season", {"playoff_teams": 12}, "season.playoff_teams"),
        ("season", {"playoff_teams": 4}, "season.weeks_per_round"),
        ("season", {"divisions": 4, "playoff_teams": 2}, "season.playoff_teams"),
        ("season", {"regular_weeks": 15}, "season.weeks_per_round"),
        ("season", {"regular_weeks": 18}, "season.regular_weeks"),
        ("season", {"first_week": 18}, "season.first_week"),
        ("keepers", {"most": 16}, "keepers.most"),
        ("keepers", {"undrafted_round": 16}, "keepers.undrafted_round"),
    ],
)
def test_an_impossible_setting_is_named(part: str, values: dict[str, Any], field: str) -> None:
    refusals = faults(changed(part, **values), NFL)
    assert field in [refusal.field for refusal in refusals]
    assert all(refusal.text.endswith(".") for refusal in refusals)


def test_the_median_of_three_teams_repeats_the_matchup() -> None:
    small = changed("season", median_game=True, playoff_teams=2, weeks_per_round=(1,))
    assert fields(msgspec.structs.replace(small, franchises=3)) == ["season.median_game"]
    assert fields(msgspec.structs.replace(small, franchises=5)) == []


def test_too_many_divisions_are_not_said_to_need_more_teams_in_the_play_offs() -> None:
    small = changed("season", divisions=3, playoff_teams=2, weeks_per_round=(1,))
    assert fields(msgspec.structs.replace(small, franchises=4)) == ["season.divisions"]


def test_a_flexible_place_needs_footballers_beside_the_fixed_ones() -> None:
    """40 footballers fill 2 RB for 10 teams or 2 FLEX, but not both and 1 WR."""
    few = SeasonFacts(17, MARKET | {"RB": 20, "WR": 10, "TE": 10})
    enough = (StarterCount("RB", 2), StarterCount("FLEX", 1))
    assert fields(changed("roster", starters=enough, bench=0), few) == []
    starters = (StarterCount("RB", 2), StarterCount("WR", 1), StarterCount("FLEX", 2))
    text = faults(changed("roster", starters=starters, bench=0), few)[0].text
    assert text.startswith("10 teams need 50 players at running back and wide receiver and")


def test_without_facts_nothing_is_said_about_the_season() -> None:
    assert fields(changed("season", regular_weeks=30), None) == []


def test_rules_that_are_off_are_not_looked_at() -> None:
    assert fields(changed("waivers", kind="free", days=())) == []
    assert fields(changed("trades", review="none", review_hours=0, votes_to_stop=32)) == []


@given(teams=st.integers(2, 64))
def test_the_rounds_are_those_of_a_knockout(teams: int) -> None:
    """Count by playing: each round halves the teams, and the best sit out the first."""
    left, rounds = teams, 0
    while left > 1:
        left, rounds = (left + 1) // 2, rounds + 1
    assert playoff_rounds(teams) == rounds


@settings(max_examples=60, deadline=None, database=None)
@given(
    franchises=st.integers(2, 32),
    teams=st.integers(0, 16),
    divisions=st.integers(0, 8),
    regular=st.integers(1, 30),
    bench=st.integers(0, 30),
)
def test_settings_without_faults_can_be_played(
    franchises: int, teams: int, divisions: int, regular: int, bench: int
) -> None:
    season = msgspec.structs.replace(
        PRESETS["redraft"].season,
        playoff_teams=teams,
        divisions=divisions,
        regular_weeks=regular,
        weeks_per_round=(1,) * playoff_rounds(teams),
    )
    roster = msgspec.structs.replace(PRESETS["redraft"].roster, bench=bench)
    league = msgspec.structs.replace(
        PRESETS["redraft"], franchises=franchises, season=season, roster=roster
    )
    possible = (
        teams != 1
        and teams <= franchises
        and (not teams or teams >= divisions)
        and 2 * divisions <= franchises
        and regular + playoff_rounds(teams) <= 17
        and franchises * (9 + bench) <= sum(MARKET[p] for p in ("QB", "RB", "WR", "TE", "K", "DST"))
    )
    assert (fields(league) == []) == possible

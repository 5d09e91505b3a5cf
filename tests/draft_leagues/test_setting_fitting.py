"""Presets fitted to a season that has begun, to few teams and to a small market."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from app.draft_leagues.setting_faults import SeasonFacts, faults
from app.draft_leagues.setting_fitting import fitted, with_teams_that_fit
from app.draft_leagues.settings import PRESETS
from tests.draft_leagues.test_setting_faults import MARKET, NFL


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_that_fits_stays(name: str) -> None:
    assert fitted(PRESETS[name], NFL) == PRESETS[name]


@pytest.mark.parametrize(
    ("first_week", "regular_weeks", "playoff_teams"),
    [(1, 14, 6), (4, 11, 6), (11, 4, 6), (12, 4, 4), (15, 2, 2), (16, 2, 0), (17, 1, 0)],
)
def test_what_is_left_of_the_season_is_shared(
    first_week: int, regular_weeks: int, playoff_teams: int
) -> None:
    season = fitted(PRESETS["redraft"], SeasonFacts(17, MARKET, first_week)).season
    assert (season.regular_weeks, season.playoff_teams) == (regular_weeks, playoff_teams)


@pytest.mark.parametrize(("last_week", "deadline"), [(17, 12), (12, 12), (4, 3), (11, 8)])
def test_a_trade_deadline_is_a_gameweek_of_the_season(last_week: int, deadline: int) -> None:
    """A deadline after the last gameweek becomes the last one of the regular season."""
    league = fitted(PRESETS["redraft"], SeasonFacts(last_week, MARKET))
    assert league.trades.deadline_week == deadline
    assert faults(league, SeasonFacts(last_week, MARKET)) == []


@pytest.mark.parametrize(("franchises", "votes"), [(2, 1), (4, 2), (6, 4), (10, 4)])
def test_the_votes_that_stop_a_trade_are_as_many_as_there_can_be(
    franchises: int, votes: int
) -> None:
    league = fitted(replace(PRESETS["redraft"], franchises=franchises), NFL)
    assert league.trades.votes_to_stop == votes


def test_a_small_market_gives_shorter_benches() -> None:
    few = SeasonFacts(17, {"QB": 20, "RB": 40, "WR": 40, "TE": 20, "K": 10, "DST": 10})
    assert fitted(PRESETS["redraft"], few).roster.bench == 5


@pytest.mark.parametrize(("kickers", "teams"), [(12, 10), (9, 8), (8, 8), (2, 2), (1, 10)])
def test_a_small_season_has_as_many_teams_as_there_are_starters_for(
    kickers: int, teams: int
) -> None:
    facts = SeasonFacts(17, {**MARKET, "K": kickers})
    assert with_teams_that_fit(PRESETS["redraft"], facts).franchises == teams


@settings(max_examples=80, deadline=None, database=None)
@given(
    name=st.sampled_from(sorted(PRESETS)),
    franchises=st.integers(2, 14),
    first_week=st.integers(1, 17),
)
def test_a_fitted_preset_can_be_played(name: str, franchises: int, first_week: int) -> None:
    preset = replace(PRESETS[name], franchises=franchises)
    facts = SeasonFacts(17, MARKET, first_week)
    assert faults(fitted(preset, facts), facts) == []

"""What a player is expected to score, and the chance of winning: by hand, and as properties."""

from __future__ import annotations

from fractions import Fraction
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.fantasy.market.formats import FORMATS
from app.fantasy.projections import rules
from app.fantasy.projections.chance_line import ChanceLine, PlayChance
from app.fantasy.projections.chances import LEAST_CHANCE, Side, average_side, win_chance
from app.fantasy.projections.rules import (
    Expectation,
    Figures,
    GameNow,
    Projection,
    expectation,
    project,
    share_left,
)
from app.fantasy.projections.teams import projected_teams
from app.fantasy.projections.typical_lines import typical_figures
from app.fantasy.scoring.rules import PPR, SOCCER, STANDARD
from app.fantasy.standings.queries import SheetRow

# Ten games of a position: 8.00 points on average, with a variance of 9.
AVERAGE = Figures(games=10, points=80_000, squares=730_000_000)
BEFORE = GameNow()
FINAL = GameNow("final", 4, 0)


@pytest.fixture(autouse=True)
def _constants() -> object:
    """Round constants, for sums that can be done by hand."""
    with (
        patch.object(rules, "DECAY", 0.5),
        patch.object(rules, "PRIOR_GAMES", 2.0),
        patch.object(rules, "BREAK_GAMES", 2),
        patch.object(rules, "LEAST_VARIANCE", 0.5),
    ):
        yield


def test_without_games_a_player_is_expected_to_score_what_their_position_does() -> None:
    assert expectation([], AVERAGE) == Expectation(8_000, 9_000_000)


def test_recent_games_weigh_more_and_the_position_counts_as_two_games() -> None:
    # (20 + 8 / 2 + 2 x 8) / (1 + 1/2 + 2) = 40 / 3.5
    assert expectation([20_000, 8_000], AVERAGE).points == pytest.approx(40_000 / 3.5)


def test_last_seasons_games_follow_after_a_break() -> None:
    # One game, then a break of two: the game before it weighs 1/8. (16 + 8/8 + 16) / (1 + 1/8 + 2)
    assert expectation([16_000], AVERAGE, [8_000]).points == pytest.approx(33_000 / 3.125)


def test_even_games_do_not_make_a_player_certain() -> None:
    """Forty games of exactly 8.00 still leave half of the position's variance."""
    with patch.object(rules, "DECAY", 1.0):
        assert expectation([8_000] * 40, AVERAGE).variance == 4_500_000


def test_a_gameweek_without_the_player_counts_nothing_and_one_to_come_does_not_count() -> None:
    assert rules.history({1: 9_000, 4: 30_000}, [1, 2, 4], before=4) == [0, 9_000]


@pytest.mark.parametrize(
    ("game", "share"),
    [
        (BEFORE, 1.0),
        (GameNow("live", 1, 900), 1.0),
        (GameNow("live", 4, 450), 0.125),
        (GameNow("live", 5, 600), 600 / 3600),
        (GameNow("suspended", 3, 900), 0.5),
        (GameNow("live"), 0.5),
        (FINAL, 0.0),
        (GameNow("cancelled"), 0.0),
        (GameNow("postponed"), 0.0),
    ],
)
def test_the_share_of_a_game_that_is_left(game: GameNow, share: float) -> None:
    assert share_left(game) == share


def test_at_the_end_of_the_fourth_quarter_a_live_game_is_not_over() -> None:
    assert 0 < share_left(GameNow("live", 4, 0)) < 0.01


def test_in_the_third_quarter_half_of_the_expectation_is_left() -> None:
    halfway = GameNow("live", 3, 900, points=6_300)
    projection = project(Expectation(9_000, 4e6), [halfway], "available", has_played=True)
    assert (projection.points, projection.rest, projection.variance) == (10_800, 4_500, 2e6)


def test_a_player_with_two_games_is_expected_to_play_both() -> None:
    early = GameNow("final", 4, 0, points=3_000)
    projection = project(Expectation(9_000, 4e6), [early, BEFORE], "available", has_played=True)
    assert (projection.points, projection.games_left) == (12_000, 1.0)


@pytest.mark.parametrize("status", ["injured", "suspended", "left"])
def test_who_is_sure_not_to_play_keeps_what_they_have(status: str) -> None:
    live = GameNow("live", 2, 900, points=2_000)
    projection = project(Expectation(9_000, 4e6), [live], status, has_played=True)
    assert projection == Projection(2_000, 2_000, 0.0, 0.0, takes_part=True)
    absent = project(Expectation(9_000, 4e6), [BEFORE], status, has_played=False)
    assert absent == Projection(0, 0, 0.0, 0.0, takes_part=False)


def test_a_defence_is_not_credited_at_kickoff_with_the_points_it_has_yet_to_allow() -> None:
    """It has 10.00 for no points allowed, and is expected to have 6.00 in the end.

    At the kickoff that is what counts; in the middle half of both; in the end what it has.
    """
    clean = {"points": 10_000, "open_points": 10_000}

    def points(game: GameNow) -> int:
        return project(Expectation(6_000, 1e6), [game], "available", has_played=True).points

    assert points(GameNow("live", 1, 900, **clean)) == 6_000
    assert points(GameNow("live", 3, 900, **clean)) == 8_000
    assert points(GameNow("final", 4, 0, **clean)) == 10_000


def test_before_a_season_has_games_a_typical_line_is_worth_what_the_league_gives_for_it() -> None:
    standard, ppr = (typical_figures("WR", scoring) for scoring in (STANDARD, PPR))
    assert 0 < standard.mean < ppr.mean
    assert typical_figures("K", STANDARD).mean == 0  # kickers earn nothing there
    assert typical_figures("FWD", SOCCER).mean == 2_000  # somebody who plays 60 minutes
    assert typical_figures("FB", STANDARD).mean == 0  # nobody knows


def projection(points: int, *, takes_part: bool = True, variance: float = 1e6) -> Projection:
    return Projection(points, 0, variance, float(takes_part), takes_part)


def test_a_substitute_is_expected_on_for_a_captain_who_is_out_and_the_armband_moves() -> None:
    """Goalkeeper 4, captain out, 3, 3, vice-captain 5; the bench has 6 and 2."""
    picks = ["gk", "out", "d", "m", "vice", "sub", "sub2"]
    positions = dict.fromkeys(picks, "MID") | {"gk": "GK"}
    points = {"gk": 4_000, "d": 3_000, "m": 3_000, "vice": 5_000, "sub": 6_000, "sub2": 2_000}
    expected = {player: projection(worth) for player, worth in points.items()}
    expected["out"] = projection(0, takes_part=False, variance=0.0)
    sheet = SheetRow(7, picks, captain=2, vice_captain=5, transfer_cost=4_000)
    (team,) = projected_teams(FORMATS["soccer-five"], [sheet], expected, positions, {7: -4_000})
    assert team.multipliers == [1, 0, 1, 1, 2, 1, 0]
    assert team.points == 4_000 + 3_000 + 3_000 + 2 * 5_000 + 6_000 - 4_000
    assert team.side.counts == {"gk": 1, "d": 1, "m": 1, "vice": 2, "sub": 1}


def test_equal_line_ups_are_even_and_a_shared_player_cancels_out() -> None:
    variances = {"star": 9e6, "other": 1e6}
    same = Side(50_000, {"star": 1})
    assert win_chance(same, same, variances) == 0.5
    ahead = Side(51_000, {"star": 1, "other": 1})
    without_star = win_chance(Side(1_000, {"other": 1}), Side(0, {}), variances)
    assert win_chance(ahead, same, variances) == without_star


def test_a_captain_counts_twice_in_what_may_still_change() -> None:
    """Four points ahead with a deviation of 2: by the normal distribution 0.977."""
    ahead, behind = Side(4_000, {"captain": 2}), Side(0, {})
    assert win_chance(ahead, behind, {"captain": 1e6}) == pytest.approx(0.9772, abs=1e-4)


def test_the_average_has_a_share_of_everybody() -> None:
    average = average_side([Side(10, {"a": 1}), Side(20, {"a": 2, "b": 1}), Side(31, {})])
    assert average == Side(Fraction(61, 3), {"a": Fraction(1), "b": Fraction(1, 3)})
    assert win_chance(Side(21, {}), average, {}) == 1.0


# A loaded machine may be slow to make the values.
at_any_pace = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
players = st.sampled_from("abcdef")
sides = st.builds(
    Side, st.integers(-50_000, 200_000), st.dictionaries(players, st.integers(1, 2), max_size=6)
)
variances = st.dictionaries(players, st.floats(0, 1e8), max_size=6)


@at_any_pace
@given(sides, sides, variances)
def test_the_chances_of_both_sides_add_up_to_one(
    first: Side, second: Side, changes: dict[str, float]
) -> None:
    chance = win_chance(first, second, changes)
    assert chance + win_chance(second, first, changes) == pytest.approx(1)
    assert 0 <= chance <= 1


@at_any_pace
@given(sides, sides, variances, st.integers(0, 50_000))
def test_more_points_never_lower_the_chance(
    first: Side, second: Side, changes: dict[str, float], more: int
) -> None:
    better = Side(first.points + more, first.counts)
    assert win_chance(better, second, changes) >= win_chance(first, second, changes)


@at_any_pace
@given(sides, sides)
def test_once_nothing_is_to_come_the_chance_is_the_result(first: Side, second: Side) -> None:
    result = 0.5 if first.points == second.points else float(first.points > second.points)
    assert win_chance(first, second, {}) == result


def test_while_anything_is_to_come_nobody_is_sure_to_win() -> None:
    far, behind = Side(10**9, {"a": 1}), Side(0, {})
    assert win_chance(far, behind, {"a": 1.0}) == 1 - LEAST_CHANCE


games = st.builds(
    GameNow,
    st.sampled_from(["scheduled", "live", "final", "postponed"]),
    st.integers(1, 5),
    st.integers(0, 900),
    st.integers(-5_000, 40_000),
)


@at_any_pace
@given(st.floats(-2_000, 30_000), games, st.integers(0, 10_000))
def test_more_points_so_far_never_lower_a_projection(
    expected: float, game: GameNow, more: int
) -> None:
    def points(scored: int) -> int:
        now = GameNow(game.status, game.period, game.clock, scored)
        return project(Expectation(expected, 1e6), [now], "available", has_played=True).points

    assert points(game.points + more) >= points(game.points)


def line_of(*chances: float, now: float) -> ChanceLine:
    start, *plays = chances
    numbered = enumerate(plays, start=1)
    return ChanceLine(start, tuple(PlayChance(c, "g1", n, n) for n, c in numbered), now)


@pytest.mark.parametrize(
    ("line", "play_number"),
    [
        (line_of(0.4, 0.6, 0.3, 0.7, 0.8, now=1.0), 3),
        (line_of(0.4, 0.6, 0.3, 0.7, 0.2, now=0.0), 4),
        (line_of(0.6, 0.7, 0.8, now=1.0), None),
        (line_of(0.6, 0.7, 0.4, now=1.0), None),  # no play: the rest of a game was worth nothing
        (line_of(0.4, 0.7, now=0.5), None),
    ],
)
def test_the_play_that_made_the_winner_the_favorite_for_good_decided(
    line: ChanceLine, play_number: int | None
) -> None:
    decided = line.decided
    assert (None if decided is None else decided.play_number) == play_number

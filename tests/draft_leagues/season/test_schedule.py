"""Schedules of regular seasons, of every size."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from app.draft_leagues.season.schedule import regular_season

SIZES = range(2, 33)


def met(pair: tuple[int, int | None]) -> frozenset[int | None]:
    return frozenset(pair)


@pytest.mark.parametrize("franchises", SIZES)
def test_everybody_plays_each_week_and_nobody_meets_again_before_all_have_met(
    franchises: int,
) -> None:
    length = franchises - 1 if franchises % 2 == 0 else franchises
    rounds = regular_season(franchises, 2 * length + 3, {})
    for pairs in rounds:
        playing = [side for pair in pairs for side in pair if side is not None]
        assert sorted(playing) == list(range(1, franchises + 1))
    for first in range(0, 2 * length, length):
        games = Counter(met(pair) for pairs in rounds[first : first + length] for pair in pairs)
        assert set(games.values()) == {1}
        expected = franchises * (franchises - 1) // 2 + (franchises if franchises % 2 else 0)
        assert len(games) == expected


@pytest.mark.parametrize("franchises", SIZES)
def test_home_and_away_are_even_within_a_game_or_two(franchises: int) -> None:
    length = franchises - 1 if franchises % 2 == 0 else franchises
    rounds = regular_season(franchises, 2 * length, {})
    home_games = Counter(home for pairs in rounds for home, away in pairs if away is not None)
    away_games = Counter(away for pairs in rounds for _, away in pairs if away is not None)
    assert all(home_games[number] == away_games[number] for number in range(1, franchises + 1))


@pytest.mark.parametrize(("franchises", "week"), [(4, 1), (10, 3), (12, 11), (12, 14), (14, 5)])
def test_rivals_meet_in_their_week(franchises: int, week: int) -> None:
    rivals = [(1, franchises), (3, 2)]
    rounds = regular_season(franchises, 14, {}, rivals=rivals, rivals_week=week)
    games = {met(pair) for pair in rounds[week - 1]}
    assert games.issuperset(frozenset(pair) for pair in rivals)


def test_after_a_whole_round_robin_the_divisions_play_among_themselves() -> None:
    divisions = {number: (number - 1) % 3 + 1 for number in range(1, 13)}
    rounds = regular_season(12, 14, divisions)
    for pairs in rounds[11:]:
        assert all(away and divisions[home] == divisions[away] for home, away in pairs)
    games = Counter(met(pair) for pairs in rounds for pair in pairs)
    within = {pair for pair in games if len({divisions[side or 0] for side in pair}) == 1}
    assert {games[pair] for pair in within} == {2}
    assert {games[pair] for pair in games.keys() - within} == {1}


@pytest.mark.parametrize("franchises", range(4, 17))
@pytest.mark.parametrize("count", [2, 3, 4])
def test_with_divisions_no_opponent_comes_twice_running_and_byes_are_equal(
    franchises: int, count: int
) -> None:
    """The module's own words: everybody plays against the average equally often."""
    divisions = {number: (number - 1) % count + 1 for number in range(1, franchises + 1)}
    for weeks in (13, 14, 15):
        rounds = regular_season(franchises, weeks, divisions)
        for pairs, after in pairwise(rounds):
            assert {*map(met, pairs)}.isdisjoint(map(met, after)), (weeks, pairs, after)
            playing = [side for pair in pairs for side in pair if side is not None]
            assert sorted(playing) == list(range(1, franchises + 1))
        byes = Counter(home for pairs in rounds for home, away in pairs if away is None)
        counts = [byes[number] for number in range(1, franchises + 1)]
        assert max(counts) - min(counts) <= 1, (weeks, byes)


@pytest.mark.parametrize(("franchises", "count"), [(9, 3), (10, 2), (12, 2), (12, 3), (12, 4)])
def test_divisions_of_three_and_more_play_among_themselves(franchises: int, count: int) -> None:
    divisions = {number: (number - 1) % count + 1 for number in range(1, franchises + 1)}
    first_lap = franchises - 1 if franchises % 2 == 0 else franchises
    for pairs in regular_season(franchises, 15, divisions)[first_lap:]:
        within = [home for home, away in pairs if away and divisions[home] == divisions[away]]
        assert len(within) == sum(
            list(divisions.values()).count(division) // 2 for division in set(divisions.values())
        )

"""Brackets, by example and against a plain tournament."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from app.draft_leagues.season.playoffs import Playoffs, Results, playoffs, seeds
from app.draft_leagues.season.table import Place, Record
from app.draft_leagues.settings import SeasonSettings

SETTINGS = SeasonSettings()


def places(*order: int) -> list[Place]:
    return [Place(place, number, Record()) for place, number in enumerate(order, start=1)]


def played(
    settings: SeasonSettings, teams: int, points: dict[int, dict[int, int]], *, settled: int = 3
) -> Playoffs:
    """With a table in the order of the numbers, from gameweek 15 on."""
    results = Results(points, frozenset(range(15, 15 + settled)))
    return playoffs(settings, places(*range(1, teams + 1)), {}, 15, results)


def test_division_winners_come_before_better_records() -> None:
    table = places(4, 1, 2, 3, 6, 5)
    divisions = {1: 1, 2: 1, 4: 1, 3: 2, 5: 2, 6: 2}
    assert seeds(table, divisions, 4) == [4, 3, 1, 2]
    assert seeds(table, {}, 4) == [4, 1, 2, 3]


def test_six_seeds_the_first_two_rest_and_the_bracket_is_fixed() -> None:
    points = {
        15: {3: 10, 6: 20, 4: 30, 5: 1},
        16: {1: 50, 4: 40, 2: 9, 6: 11},
        17: {1: 5, 6: 6, 4: 8, 2: 7},
    }
    result = played(SETTINGS, 6, points)
    assert result.seeds == (1, 2, 3, 4, 5, 6)
    assert [result.pairs(week) for week in (15, 16, 17)] == [
        [(4, 5), (3, 6)],
        [(1, 4), (2, 6)],
        [(1, 6), (2, 4)],
    ]
    assert result.champion == 6
    [third] = [game for game in result.games if game.bracket == "third"]
    assert (third.high, third.low, third.winner) == (2, 4, 4)


def test_reseeding_gives_the_first_seed_the_worst_that_is_left() -> None:
    points = {15: {3: 10, 6: 20, 4: 30, 5: 1}}
    reseeding = replace(SETTINGS, reseed=True)
    result = played(reseeding, 6, points, settled=1)
    assert result.pairs(16) == [(1, 6), (2, 4)]
    # Nobody is known before all of the round are.
    assert played(reseeding, 6, {}, settled=0).pairs(16) == []


def test_a_division_winner_is_the_better_seed_whatever_its_record() -> None:
    """The second division's winner has the third record, and is seeded before the second."""
    divisions = {1: 1, 2: 1, 3: 2, 4: 2}
    settings = replace(SETTINGS, playoff_teams=4, weeks_per_round=(1, 1), lower_bracket="none")
    level = Results({15: {2: 10, 3: 10, 1: 5, 4: 1}}, frozenset({15}))
    result = playoffs(settings, places(1, 2, 3, 4), divisions, 15, level)
    assert result.seeds == (1, 3, 2, 4)
    assert result.pairs(15) == [(1, 4), (3, 2)]
    assert result.pairs(16) == [(1, 3), (2, 4)]  # the tie went to the seed


def test_a_round_of_two_gameweeks_adds_both_up_and_a_tie_goes_to_the_better_seed() -> None:
    settings = replace(SETTINGS, playoff_teams=2, weeks_per_round=(2,), lower_bracket="none")
    points = {15: {1: 10, 2: 12}, 16: {1: 7, 2: 5}}
    assert played(settings, 4, points, settled=1).champion is None
    assert played(settings, 4, points, settled=2).champion == 1
    points[16][2] = 6
    assert played(settings, 4, points, settled=2).champion == 2


def test_the_loser_of_the_last_place_bracket_is_last_and_a_tie_goes_to_the_better() -> None:
    settings = replace(
        SETTINGS, playoff_teams=4, weeks_per_round=(1, 1), lower_bracket="last_place"
    )
    points = {15: {5: 10, 8: 10, 6: 3, 7: 9}, 16: {8: 4, 6: 4}}
    result = played(settings, 8, points, settled=2)
    assert [(game.high, game.low) for game in result.games if game.bracket == "lower"] == [
        (5, 8),
        (6, 7),
        (6, 8),
    ]
    assert result.last == 8


def test_a_correction_changes_exactly_what_follows_from_it() -> None:
    points = {15: {3: 10, 6: 9, 4: 30, 5: 1}, 16: {1: 50, 4: 40, 2: 9, 3: 11, 6: 0}}
    before, after = played(SETTINGS, 6, points), None
    points[15] = points[15] | {3: 8}
    after = played(SETTINGS, 6, points)
    assert before.pairs(15) == after.pairs(15)
    assert (before.pairs(16), after.pairs(16)) == ([(1, 4), (2, 3)], [(1, 4), (2, 6)])


def plain_champion(teams: int, reseed: bool, points: dict[int, dict[int, int]]) -> int:
    """A tournament as a person would play it, from week 15 on."""
    size = 1
    while size < teams:
        size *= 2
    bracket: list[int] = [1]
    while len(bracket) < size:
        bracket = [s for seed in bracket for s in (seed, 2 * len(bracket) + 1 - seed)]
    alive = [seed if seed <= teams else 0 for seed in bracket]
    week = 15
    while len(alive) > 1:
        if reseed and week > 15:
            order = sorted(alive)
            alive = []
            while order:
                alive += [order.pop(0), order.pop()]
        winners = []
        for first_side, second_side in zip(alive[::2], alive[1::2], strict=True):
            if 0 in (first_side, second_side):
                winners.append(first_side or second_side)
                continue
            high, low = sorted((first_side, second_side))
            winners.append(high if points[week][high] >= points[week][low] else low)
        alive, week = winners, week + 1
    return alive[0]


@pytest.mark.parametrize("reseed", [False, True])
@pytest.mark.parametrize("teams", range(2, 17))
def test_the_champion_is_that_of_a_plain_tournament(teams: int, reseed: bool) -> None:
    rounds = (teams - 1).bit_length()
    settings = replace(SETTINGS, playoff_teams=teams, weeks_per_round=(1,) * rounds, reseed=reseed)
    random = Random(teams)  # noqa: S311
    for _ in range(25):
        points = {
            week: {number: random.randrange(40) for number in range(1, teams + 1)}
            for week in range(15, 15 + rounds)
        }
        result = played(settings, teams, points, settled=rounds)
        assert result.champion == plain_champion(teams, reseed, points)

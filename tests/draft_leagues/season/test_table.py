"""Tables and tie-breaks, by example and against a plain recomputation."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from app.draft_leagues.season.schedule import regular_season
from app.draft_leagues.season.table import (
    TableRules,
    Week,
    all_play,
    coin,
    records,
    strength_of_schedule,
    table,
)
from app.draft_leagues.settings import TieBreak

CHAIN: tuple[TieBreak, ...] = ("result_between", "points_for", "coin")


def random_weeks(seed: int, franchises: int, weeks: int, most: int) -> list[Week]:
    random = Random(seed)  # noqa: S311
    return [
        Week(pairs, {n: random.randrange(most) for n in range(1, franchises + 1)})
        for pairs in regular_season(franchises, weeks, {})
    ]


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("median_game", [False, True])
def test_records_are_those_of_a_plain_count(seed: int, median_game: bool) -> None:
    franchises = 4 + seed % 9
    weeks = random_weeks(seed, franchises, 14, 12)
    counted = records(franchises, weeks, median_game=median_game)
    for number, record in counted.items():
        wins = losses = ties = 0
        for week in weeks:
            mine = week.points[number]
            against = []
            for home, away in week.pairs:
                if home == number:
                    against.append(
                        Fraction(sum(week.points.values()), franchises)
                        if away is None
                        else week.points[away]
                    )
                elif away == number:
                    against.append(week.points[home])
            if median_game:
                ordered = sorted(week.points.values())
                half = franchises // 2
                against.append(
                    ordered[half]
                    if franchises % 2
                    else Fraction(ordered[half - 1] + ordered[half], 2)
                )
            for opposing in against:
                wins, losses, ties = (
                    wins + (mine > opposing),
                    losses + (mine < opposing),
                    ties + (mine == opposing),
                )
        assert (record.wins, record.losses, record.ties) == (wins, losses, ties)
        assert record.points_for == sum(week.points[number] for week in weeks)


@pytest.mark.parametrize("seed", range(40))
def test_the_order_holds_the_rules_between_any_two_with_the_same_record(seed: int) -> None:
    """Points alone break ties: then the order is plain sorting."""
    weeks = random_weeks(seed, 10, 13, 5)
    places = table(10, weeks, TableRules(("points_for",), coin="x"))
    plain = sorted(
        records(10, weeks).items(),
        key=lambda row: (row[1].share, row[1].points_for, coin("x", row[0])),
        reverse=True,
    )
    assert [place.franchise for place in places] == [number for number, _ in plain]
    assert [place.place for place in places] == list(range(1, 11))


def test_two_with_one_record_are_separated_by_the_game_between_them() -> None:
    weeks = [
        Week([(1, 2), (3, 4)], {1: 10, 2: 20, 3: 9, 4: 1}),
        Week([(1, 3), (2, 4)], {1: 90, 2: 5, 3: 8, 4: 6}),
        Week([(1, 4), (2, 3)], {1: 7, 2: 30, 3: 20, 4: 3}),
    ]
    places = table(4, weeks, TableRules(CHAIN))
    assert [place.franchise for place in places] == [2, 1, 3, 4]
    between = "head-to-head record"  # 2 beat 1, and 3 beat 4
    assert [place.reason for place in places] == [between, "", between, ""]
    # By points alone it is the other way around: 107 to 55.
    places = table(4, weeks, TableRules(("points_for",)))
    assert [place.franchise for place in places] == [1, 2, 3, 4]


def test_when_one_of_three_is_separated_the_chain_starts_anew_among_the_others() -> None:
    """The NFL's procedure: 3 leads by points, then 1 against 2 is decided by their game."""
    weeks = [
        Week([(1, 2), (3, 4)], {1: 20, 2: 10, 3: 99, 4: 1}),
        Week([(2, 3), (1, 4)], {1: 1, 2: 20, 3: 10, 4: 2}),
        Week([(3, 1), (2, 4)], {1: 10, 2: 8, 3: 20, 4: 9}),
    ]
    rules = TableRules(("points_for", "result_between"))
    by_number = records(4, weeks)
    tied = [number for number, record in by_number.items() if record.wins == 1]
    assert sorted(tied) == [1, 2]
    assert [place.franchise for place in table(4, weeks, rules)] == [3, 4, 2, 1]
    rules = TableRules(("result_between", "points_for"))
    assert [place.franchise for place in table(4, weeks, rules)][2:] == [1, 2]


def test_a_coin_decides_last_and_anybody_can_toss_it_again() -> None:
    weeks = [Week([(1, 2)], {1: 5, 2: 5})]
    places = table(2, weeks, TableRules(CHAIN, coin="league 7"))
    first = max((1, 2), key=lambda number: coin("league 7", number))
    assert places[0].franchise == first
    assert places[0].reason == "coin flip"


def test_all_play_and_the_strength_of_a_schedule() -> None:
    weeks = [Week([(1, 2), (3, 4)], {1: 4, 2: 3, 3: 2, 4: 1})]
    assert all_play(4, weeks) == {1: 1, 2: Fraction(2, 3), 3: Fraction(1, 3), 4: 0}
    strength = strength_of_schedule(records(4, weeks), [week.pairs for week in weeks])
    assert strength == {1: 0, 2: 1, 3: 0, 4: 1}

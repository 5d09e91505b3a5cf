"""Who plays whom over a season (PRODUCT B5): a fair round robin that remembers who has met."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.fantasy.standings.fixtures import Pair, draw, fixtures, pairings
from tests.sizes import size

WEEKS = 18
NEW = 99
Rounds = Sequence[Sequence[Pair]]


@pytest.mark.parametrize("members", [2, 4, 6, 12])
def test_an_even_number_all_meet_once_a_lap(members: int) -> None:
    people = list(range(10, 10 + members))
    for lap in range(3):
        met = Counter(
            frozenset(pair)
            for turn in range(members - 1)
            for pair in pairings(people, lap * (members - 1) + turn)
        )
        assert len(met) == members * (members - 1) // 2
        assert set(met.values()) == {1}


@pytest.mark.parametrize("members", [3, 5, 11])
def test_of_an_odd_number_each_plays_the_average_once_a_lap(members: int) -> None:
    people = list(range(members))
    pairs = [pair for turn in range(members) for pair in pairings(people, turn)]
    assert Counter(home for home, away in pairs if away is None) == Counter(people)
    met = Counter(frozenset(pair) for pair in pairs if pair[1] is not None)
    assert len(met) == members * (members - 1) // 2
    assert set(met.values()) == {1}


@pytest.mark.parametrize("members", [2, 3, 4, 7, 12])
def test_everybody_has_one_game_a_round_and_the_second_lap_exchanges_home_and_away(
    members: int,
) -> None:
    people = list(range(members))
    rounds = members - 1 if members % 2 == 0 else members
    for turn in range(rounds):
        pairs = pairings(people, turn)
        assert playing(pairs) == people
        assert {(away, home) for home, away in pairs if away is not None} == {
            (home, away) for home, away in pairings(people, turn + rounds) if away is not None
        }


def test_a_league_of_one_has_no_games() -> None:
    assert pairings([7], 3) == []
    assert pairings([], 0) == []
    assert fixtures([7], [[(7, 8)]], [[(8, 7)], []]) == [[], []]


def playing(pairs: Sequence[Pair]) -> list[int]:
    return sorted(member for pair in pairs for member in pair if member is not None)


def met(pairs: Sequence[Pair]) -> set[frozenset[int | None]]:
    return {frozenset(pair) for pair in pairs}


def faults(members: Sequence[int], played: Rounds, coming: Rounds) -> list[str]:
    """Everybody has one game a week, and nobody meets last week's opponent again.

    With more than two members there is always another pairing; the average counts as an opponent.
    """
    season = [*played, *coming]
    faults = []
    for week in range(len(played), len(season)):
        if playing(season[week]) != sorted(members):
            faults.append(f"week {week} is not of everybody: {season[week]}")
        if len(members) > 2 and (again := met(season[week]) & met(season[week - 1])):
            faults.append(f"week {week} repeats {again}")
    return faults


def unevenness(members: Sequence[int], season: Rounds) -> tuple[int, int]:
    """Meetings of the most frequent pair minus those of the least frequent one.

    The same for games against the average.
    """
    times = Counter(pair for pairs in season for pair in met(pairs))
    pairs = [times[frozenset(pair)] for pair in combinations(members, 2)]
    averages = [times[frozenset((member, None))] for member in members]
    return max(pairs) - min(pairs), max(averages) - min(averages)


@pytest.mark.sized
@pytest.mark.parametrize("members", range(2, 13))
def test_nobody_who_leaves_or_joins_makes_pairs_meet_again_or_unevenly(members: int) -> None:
    """Every leaver and a joiner in every week; large leagues try some of both.

    Drawn by places in the list of members, 41 % of leavers made pairs of the week before meet
    again.
    """
    people = list(range(1, members + 1))
    season = fixtures(people, [], [[]] * WEEKS)
    step = 1 if members < 8 else size("PRESSBOX_FIXTURE_STEP", 3, 1)
    for week in range(1, WEEKS, step):
        played, planned = season[:week], season[week:]
        for changed in [
            [person for person in people if person != leaver] for leaver in people[::step]
        ] + [[*people, NEW]]:
            if len(changed) < 2:
                continue
            coming = fixtures(changed, played, planned)
            assert faults(changed, played, coming) == [], (week, changed)
            stayed = [person for person in changed if person != NEW]
            if len(stayed) > 1:
                pairs, averages = unevenness(stayed, [*played, *coming])
                assert pairs <= 2, (week, changed)
                assert averages <= 2, (week, changed)


def test_equal_input_gives_equal_fixtures_and_again_changes_nothing() -> None:
    season = fixtures(list(range(9)), [], [[]] * WEEKS)
    coming = fixtures(list(range(8)), season[:5], season[5:])
    assert coming == fixtures(list(range(8)), season[:5], season[5:])
    assert coming == fixtures(list(range(8)), season[:5], coming)


@pytest.mark.parametrize("members", [4, 6, 8, 10, 12])
def test_of_an_even_league_that_somebody_leaves_others_keep_their_fixtures(members: int) -> None:
    """The average takes the leaver's place.

    No two who stay lose their game, but where a pair would meet too soon.
    """
    people = list(range(1, members + 1))
    season = fixtures(people, [], [[]] * WEEKS)
    coming = fixtures(people[:-1], season[:5], season[5:])
    other_pairs = [pair for pairs in season[5:] for pair in pairs if members not in pair]
    assert {frozenset(pair) for pair in other_pairs} <= {
        frozenset(pair) for pairs in coming for pair in pairs
    }


@pytest.mark.parametrize("members", [3, 5, 7, 9, 11])
def test_who_joins_an_odd_league_plays_in_the_place_of_the_average(members: int) -> None:
    people = list(range(1, members + 1))
    season = fixtures(people, [], [[]] * WEEKS)
    coming = fixtures([*people, NEW], season[:5], season[5:])
    for before, after in zip(season[5:], coming, strict=True):
        assert met(after) == {
            frozenset(NEW if person is None else person for person in pair) for pair in before
        }


@pytest.mark.sized
@settings(max_examples=size("PRESSBOX_FIXTURE_SEASONS", 30, 600), deadline=None, database=None)
@given(
    start=st.integers(2, 12),
    changes=st.lists(
        st.tuples(st.integers(1, WEEKS - 1), st.booleans(), st.integers(0, 99)), max_size=6
    ),
)
def test_any_number_of_members_come_and_go(
    start: int, changes: list[tuple[int, bool, int]]
) -> None:
    people, newest = list(range(start)), start
    season = fixtures(people, [], [[]] * WEEKS)
    for week, joins, which in sorted(changes):
        if joins:
            people, newest = [*people, newest], newest + 1
        elif len(people) > 2:
            people = [person for place, person in enumerate(people) if place != which % len(people)]
        played = season[:week]
        coming = fixtures(people, played, season[week:])
        assert faults(people, played, coming) == []
        season = [*played, *coming]


@pytest.mark.parametrize("members", [3, 4, 60, 61, 1001])
def test_a_large_league_is_drawn_week_by_week_without_last_weeks_pairs(members: int) -> None:
    people = list(range(members))
    for number in range(4):
        last = pairings(people, number)  # the very pairs that the round robin would give again
        pairs = draw(people, number, last)
        assert playing(pairs) == people
        assert met(pairs) & met(last) == set()

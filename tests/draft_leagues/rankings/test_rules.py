"""Projections, value over replacement and tiers, by worked examples and against plain models."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.draft_leagues.rankings.rules import (
    Candidate,
    Projected,
    Ranked,
    Shape,
    bye_week,
    project,
    rank,
    tier_numbers,
)
from app.draft_leagues.settings import StarterCount
from app.fantasy.projections.rules import DECAY, PRIOR_GAMES
from app.fantasy.scoring.rules import STANDARD

WEEKS = frozenset(range(1, 5))


def scored(footballer_id: str, position: str, points: int, **more: int | str) -> Projected:
    candidate = Candidate(footballer_id, footballer_id.title(), position, **more)  # type: ignore[arg-type]
    return Projected(candidate, points, 1000, points)


def shape(franchises: int, **starters: int) -> Shape:
    counts = [StarterCount(slot, count) for slot, count in starters.items()]  # type: ignore[arg-type]
    return Shape(franchises, tuple(counts))


def by_id(ranking: list[Ranked]) -> dict[str, Ranked]:
    return {each.footballer_id: each for each in ranking}


def test_points_are_those_of_a_game_times_the_games_that_somebody_plays() -> None:
    """Somebody with 10 points in each of 4 games, among ten whose mean is 4 points in 2 of 4."""
    average = [
        Candidate(
            str(number), "", "WR", this_season={1: 4000, 2: 4000}, club_weeks=WEEKS, games_left=10
        )
        for number in range(16)
    ]
    star = Candidate(
        "star",
        "Star",
        "WR",
        this_season=dict.fromkeys(WEEKS, 10_000),
        club_weeks=WEEKS,
        games_left=10,
    )
    projected = project([*average, star], STANDARD)[-1]
    own_weight = sum(DECAY**age for age in range(4))
    mean = (32 * 4000 + 4 * 10_000) / 36
    per_game = (own_weight * 10_000 + PRIOR_GAMES * mean) / (own_weight + PRIOR_GAMES)
    share = (own_weight + PRIOR_GAMES * 36 / 68) / (own_weight + PRIOR_GAMES)
    assert projected.per_game == round(per_game)
    assert projected.share == round(1000 * share)
    assert projected.points == round(per_game * share * 10)


def test_whoever_never_plays_is_not_taken_for_a_regular() -> None:
    regulars = [
        Candidate(
            f"r{number}",
            "",
            "QB",
            last_season=dict.fromkeys(range(1, 17), 15_000),
            last_club_weeks=frozenset(range(1, 17)),
            games_left=16,
        )
        for number in range(4)
    ]
    reserve = Candidate("x", "", "QB", last_club_weeks=frozenset(range(1, 17)), games_left=16)
    rookie = Candidate("y", "", "QB", games_left=16)
    *_, regular, last, new = project([*regulars, reserve, rookie], STANDARD)
    assert regular.points > new.points > last.points
    assert last.share < 250


def test_without_any_record_a_position_is_worth_its_typical_game() -> None:
    passer, catcher = project(
        [Candidate("a", "", "QB", games_left=1), Candidate("b", "", "WR", games_left=1)], STANDARD
    )
    assert passer.share == catcher.share == 1000
    assert passer.points > catcher.points > 0


def test_value_compares_positions() -> None:
    """Two teams with a passer and a runner: everybody scores more than a passer on the bench."""
    ranking = rank(
        [
            scored("q1", "QB", 20_000),
            scored("q2", "QB", 19_000),
            scored("q3", "QB", 18_000),
            scored("r1", "RB", 15_000),
            scored("r2", "RB", 10_000),
            scored("r3", "RB", 5_000),
            scored("k1", "K", 9_000),
        ],
        shape(2, QB=1, RB=1),
    )
    assert [(each.footballer_id, each.value) for each in ranking] == [
        ("r1", 10_000),
        ("r2", 5_000),
        ("q1", 2_000),
        ("q2", 1_000),
        ("q3", 0),
        ("r3", 0),
    ]
    assert [each.position_rank for each in ranking] == [1, 2, 1, 2, 3, 3]


def test_defenders_are_one_family_and_a_second_quarterback_raises_all() -> None:
    backs = [scored("c", "CB", 9_000), scored("s", "FS", 8_000), scored("d", "DB", 7_000)]
    assert [each.position_rank for each in rank(backs, shape(1, DB=1))] == [1, 2, 3]
    passers = [scored(f"q{number}", "QB", 20_000 - number * 1_000) for number in range(4)]
    alone = by_id(rank(passers, shape(1, QB=1)))["q0"].value
    assert by_id(rank(passers, shape(1, QB=1, SUPERFLEX=1)))["q0"].value == alone + 1_000


def test_equal_footballers_are_ordered_by_price_and_then_by_name() -> None:
    equal = [
        scored("b", "QB", 5_000),
        scored("a", "QB", 5_000),
        scored("c", "QB", 5_000, price=60),
    ]
    assert [each.footballer_id for each in rank(equal, shape(1, QB=1))] == ["c", "a", "b"]


def test_the_bye_is_the_one_gameweek_without_a_game() -> None:
    assert bye_week(range(1, 9), range(1, 10)) == 9
    assert bye_week([], range(1, 10)) is None


@pytest.mark.parametrize(
    ("points", "looked_at", "tiers"),
    [
        ([], 0, []),
        ([5], 1, [1]),
        ([9, 8, 7, 6], 4, [1, 1, 1, 1]),  # even gaps are no tiers
        ([9, 8, 7, 6], 0, [1, 1, 1, 1]),
        ([100, 90, 80, 40, 30, 20], 6, [1, 1, 1, 2, 2, 2]),
        # Large gaps at the top, small ones below: the top is no row of tiers of one.
        (
            [*range(1000, 880, -10), *range(880, 856, -2)],
            24,
            [1] * 24,
        ),
    ],
)
def test_tiers_end_at_unusual_gaps(points: list[int], looked_at: int, tiers: list[int]) -> None:
    assert tier_numbers(points, looked_at) == tiers


@settings(max_examples=60, deadline=None, database=None)
@given(
    points=st.lists(
        st.tuples(st.sampled_from(["QB", "RB", "WR"]), st.integers(1, 30)),
        min_size=1,
        max_size=7,
        unique_by=lambda pair: pair[1],
    ),
    counts=st.fixed_dictionaries({name: st.integers(0, 2) for name in ("RB", "FLEX", "SUPERFLEX")}),
)
def test_a_replacement_is_the_best_who_starts_nowhere(
    points: list[tuple[str, int]], counts: dict[str, int]
) -> None:
    """Compare with the best of all sets of starters, which is unique because nobody is equal."""
    starters = {slot: count for slot, count in counts.items() if count} or {"FLEX": 1}
    footballers = [
        scored(str(number), position, amount) for number, (position, amount) in enumerate(points)
    ]
    ranking = by_id(rank(footballers, shape(1, **starters)))
    eligible = [each for each in footballers if each.footballer.id in ranking]
    best = max(
        (
            chosen
            for size in range(len(eligible) + 1)
            for chosen in combinations(eligible, size)
            if _fit([each.footballer.position for each in chosen], starters)
        ),
        key=lambda chosen: sum(each.points for each in chosen),
    )
    for each in eligible:
        relatives = [
            other for other in eligible if other.footballer.position == each.footballer.position
        ]
        on_the_bench = [other.points for other in relatives if other not in best]
        level = max(on_the_bench) if on_the_bench else min(other.points for other in relatives)
        assert ranking[each.footballer.id].value == each.points - level


def _fit(positions: list[str], starters: dict[str, int]) -> bool:
    """Whether each of these has a place, by trying all."""
    accepts = {"RB": {"RB"}, "FLEX": {"RB", "WR"}, "SUPERFLEX": {"RB", "WR", "QB"}}
    if not positions:
        return True
    return any(
        left and positions[0] in accepts[slot] and _fit(positions[1:], starters | {slot: left - 1})
        for slot, left in starters.items()
    )

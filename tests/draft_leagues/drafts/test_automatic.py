"""Whom the clock chooses: the queue, then the ranking, then the need."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from app.draft_leagues.drafts import events
from app.draft_leagues.drafts.automatic import Choosing, Helper, auction_prices, choose
from app.draft_leagues.drafts.places import Lineup, accepts, seated
from app.draft_leagues.drafts.rules import Draft, fold
from app.draft_leagues.settings import PRESETS, StarterCount
from tests.draft_leagues.drafts.plans import START, make_plan, make_pool


def draft_with(*mine: str, rounds: int = 5) -> Draft:
    """Franchise 1 has these footballers, in a draft of its own."""
    plan = make_plan(order=(1,), rounds=rounds, places=rounds)
    picks = [events.Picked(START, number, 1, each) for number, each in enumerate(mine, start=1)]
    return fold(plan, [events.Started(START), *picks])


def chosen(draft: Draft, *queue: str) -> str | None:
    footballer = choose(Choosing(draft, make_pool(), 1, Helper(queue)))
    return footballer.id if footballer else None


def test_the_queue_comes_first_and_those_who_are_gone_are_passed_over() -> None:
    assert chosen(draft_with("RB1"), "RB1", "K4", "QB1") == "K4"


def test_without_a_queue_the_most_valuable_is_chosen_not_the_one_with_most_points() -> None:
    draft = draft_with()
    pool = make_pool()
    assert pool.by_id["QB12"].points > pool.by_id["RB12"].points
    assert chosen(draft) == "RB1"


def test_with_as_many_places_left_as_starters_missing_only_those_are_chosen() -> None:
    assert chosen(draft_with("QB1", "RB1", "RB2", "WR1")) == "K1"


def test_kickers_wait_until_they_are_needed() -> None:
    assert chosen(draft_with("QB1", "RB1", "WR1", rounds=6)) not in ("K1", None)


def test_starting_places_come_before_the_bench_and_a_second_quarterback() -> None:
    """As Sleeper and ESPN pick automatically: one of each first, kickers last (issue 47, D8)."""
    picks: list[str] = []
    for _ in range(7):
        footballer = chosen(draft_with(*picks, rounds=7))
        assert footballer is not None
        picks.append(footballer)
    positions = [footballer.rstrip("0123456789") for footballer in picks]
    assert sorted(positions[:3]) == ["QB", "RB", "WR"]
    assert positions.count("K") == 1
    assert positions[-1] == "K"


def test_of_no_position_more_than_twice_as_many_as_could_start() -> None:
    draft = draft_with("RB1", "RB2", "WR1", "WR2", "QB1", rounds=9)
    assert chosen(draft) == "QB2"


def test_the_prices_use_up_all_budgets() -> None:
    plan = make_plan(kind="auction", budget=100, rounds=4, places=4)
    draft = fold(plan, [events.Started(START)])
    pool = make_pool()
    prices = auction_prices(pool, draft)
    bought = 3 * 4
    total = sum(prices.values()) + bought - len(prices)
    assert 300 - bought <= total <= 300


def test_a_members_own_order_comes_before_the_ranking() -> None:
    draft = draft_with()
    helper = Helper(order=("WR3", "RB1"))
    footballer = choose(Choosing(draft, make_pool(), 1, helper))
    assert footballer
    assert footballer.id == "WR3"


@settings(deadline=None)
@given(st.lists(st.sampled_from(["QB", "RB", "WR", "TE", "K", "DST"]), max_size=7))
def test_the_places_filled_equal_trying_every_arrangement(positions: list[str]) -> None:
    starters = (StarterCount("QB", 1), StarterCount("RB", 2), StarterCount("FLEX", 1))
    places = [accepts(each.slot) for each in starters for _ in range(each.count)]
    most = max(
        sum(position in place for position, place in zip(arrangement, places, strict=False))
        for arrangement in itertools.permutations([*positions, *[""] * len(places)], len(places))
    )
    assert Lineup(starters, positions).lacking == len(places) - most


def test_a_team_is_seated_in_the_narrowest_place_first() -> None:
    starters = PRESETS["redraft"].roster.starters
    places, bench = seated(starters, ["RB", "RB", "RB", "RB", "QB"])
    assert [(slot, index) for slot, index in places if index is not None] == [
        ("QB", 4),
        ("RB", 0),
        ("RB", 1),
        ("FLEX", 2),
    ]
    assert bench == [3]

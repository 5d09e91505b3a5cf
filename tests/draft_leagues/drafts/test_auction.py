"""Bids with secret maximums, as on Sleeper, ESPN and eBay: the second price decides."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.draft_leagues.drafts import acts, events
from app.draft_leagues.drafts.acts import bid_refusal
from app.draft_leagues.drafts.auction import Offer, Standing, most, standing
from app.draft_leagues.drafts.rules import Draft, fold
from tests.draft_leagues.drafts.plans import START, make_plan, seconds


def test_the_first_offer_leads_at_one() -> None:
    assert standing([Offer(3, 40)]) == Standing(3, 1)


def test_the_highest_maximum_pays_one_more_than_the_second() -> None:
    assert standing([Offer(1, 40), Offer(2, 25)]) == Standing(1, 26)


def test_of_equal_maximums_the_earlier_one_pays_all_of_it() -> None:
    assert standing([Offer(1, 25), Offer(2, 25)]) == Standing(1, 25)


def test_a_raise_counts_from_when_it_was_made() -> None:
    assert standing([Offer(1, 10), Offer(2, 25), Offer(1, 25)]) == Standing(2, 25)


def test_one_unit_stays_for_each_further_open_place() -> None:
    assert most(200, 15) == 186
    assert most(5, 5) == 1
    assert most(7, 1) == 7


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 60)), min_size=1, max_size=12))
def test_the_standing_equals_a_search_for_the_lowest_winning_price(
    bids: list[tuple[int, int]],
) -> None:
    """The plain model: the first of those who would pay the most, where all others stop."""
    latest: dict[int, int] = {}
    for franchise, maximum in bids:
        latest.pop(franchise, None)  # a raise counts from when it was made
        latest[franchise] = maximum
    leader = next(each for each in latest if latest[each] == max(latest.values()))
    others = [latest[each] for each in latest if each != leader]
    enough = (
        price for price in range(1, latest[leader]) if all(maximum < price for maximum in others)
    )
    assert standing([Offer(*bid) for bid in bids]) == Standing(leader, next(enough, latest[leader]))


def auction(**changes: object) -> Draft:
    plan = make_plan(kind="auction", budget=20, rounds=3, places=3, **changes)
    return fold(plan, [events.Started(START), events.Nominated(START, 1, "RB1", 5)])


def test_a_bid_restarts_the_clock_and_a_sale_passes_the_turn_on() -> None:
    draft = auction()
    assert draft.deadline == START + seconds(15)
    draft.apply(events.Bid(START + seconds(10), 2, 9))
    assert (draft.deadline, draft.lot and draft.lot.standing) == (
        START + seconds(25),
        Standing(2, 6),
    )
    draft.apply(events.Sold(START + seconds(26), 2, "RB1", 6))
    assert (draft.on_turn, draft.budget(2), draft.most(2)) == (2, 14, 13)


def test_a_raise_of_the_leader_does_not_restart_the_clock() -> None:
    draft = auction()
    draft.apply(events.Bid(START + seconds(10), 1, 9))
    assert draft.deadline == START + seconds(15)


def test_bids_that_are_too_low_too_high_or_too_late_are_refused() -> None:
    draft = auction()
    now = START + seconds(1)
    codes = {
        maximum: refusal.code if (refusal := bid_refusal(draft, 2, maximum, now)) else None
        for maximum in (1, 2, 18, 19)
    }
    assert codes == {1: "bid_too_low", 2: None, 18: None, 19: "bid_too_high"}
    late = bid_refusal(draft, 2, 9, START + seconds(15))
    assert late == acts.BID_TOO_LATE
    assert bid_refusal(draft, 2, 9, START + seconds(14.999)) is None


def test_an_undone_sale_gives_the_money_back_and_the_nomination() -> None:
    draft = auction()
    draft.apply(events.Sold(START + seconds(16), 1, "RB1", 1))
    assert draft.budget(1) == 19
    draft.apply(events.Undone(START + seconds(20)))
    assert (draft.budget(1), draft.on_turn, draft.taken) == (20, 1, {})

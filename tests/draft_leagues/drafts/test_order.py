"""Who picks when, with authority: what Sleeper's and ESPN's help pages show for these orders."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.draft_leagues.drafts.lottery import commitment_of, drawn_order, ticket
from app.draft_leagues.drafts.order import slots_of
from app.draft_leagues.drafts.plan import Keeper, TradedPick
from tests.draft_leagues.drafts.plans import make_plan


@pytest.mark.parametrize(
    ("kind", "owners"),
    [
        ("snake", [1, 2, 3, 3, 2, 1, 1, 2, 3, 3, 2, 1]),
        ("third_round_reversal", [1, 2, 3, 3, 2, 1, 3, 2, 1, 1, 2, 3]),
        ("linear", [1, 2, 3] * 4),
    ],
)
def test_each_order(
    kind: Literal["snake", "third_round_reversal", "linear"], owners: list[int]
) -> None:
    slots = slots_of(make_plan(kind=kind, rounds=4))
    assert [slot.owner for slot in slots] == owners
    assert [slot.number for slot in slots] == list(range(1, 13))


def test_a_traded_pick_keeps_its_place_and_changes_its_owner() -> None:
    slots = slots_of(make_plan(rounds=2, traded=(TradedPick(2, 3, 1),)))
    assert [(slot.original, slot.owner) for slot in slots][3:] == [(3, 1), (2, 2), (1, 1)]


def test_a_keeper_occupies_the_pick_of_their_round() -> None:
    slots = slots_of(make_plan(rounds=3, keepers=(Keeper(2, "RB1", 2),)))
    assert [slot.number for slot in slots if slot.keeper_id == "RB1"] == [5]


def test_a_second_keeper_of_a_round_costs_the_earlier_one_and_then_a_later_one() -> None:
    keepers = (Keeper(1, "A", 2), Keeper(1, "B", 2), Keeper(1, "C", 1), Keeper(1, "D", 1))
    slots = slots_of(make_plan(rounds=4, keepers=keepers))
    rounds = {slot.keeper_id: slot.round for slot in slots if slot.keeper_id}
    assert rounds == {"C": 1, "D": 2, "A": 3, "B": 4}


@given(st.integers(2, 14), st.integers(1, 20), st.randoms())
def test_everybody_has_as_many_picks_as_rounds_and_trades_only_move_them(
    franchises: int, rounds: int, luck: object
) -> None:
    order = tuple(range(1, franchises + 1))
    slots = slots_of(make_plan(order=order, rounds=rounds))
    for franchise in order:
        assert sum(slot.owner == franchise for slot in slots) == rounds
    # In two rounds of a snake the places of a franchise add up to the same for everybody.
    if rounds >= 2:
        sums = {
            sum(slot.number for slot in slots[: 2 * franchises] if slot.owner == franchise)
            for franchise in order
        }
        assert sums == {2 * franchises + 1}


def test_the_lottery_can_be_recomputed_with_sha256sum() -> None:
    # printf '%s' "00" | sha256sum, and of "00:1", "00:2", "00:3".
    assert commitment_of("00") == (
        "f1534392279bddbf9d43dde8701cb5be14b82f76ec6607bf8d6ad557f60f304e"
    )
    tickets = {franchise: ticket("00", franchise) for franchise in (1, 2, 3)}
    assert drawn_order("00", [1, 2, 3]) == tuple(sorted(tickets, key=lambda each: tickets[each]))
    assert {franchise: text[:8] for franchise, text in tickets.items()} == {
        1: "47a09a7b",
        2: "dd824ced",
        3: "d6eaa3cf",
    }


@given(st.integers(2, 32), st.integers(0, 2**64))
def test_the_lottery_gives_every_franchise_one_place(franchises: int, seed: int) -> None:
    assert sorted(drawn_order(f"{seed:064x}", range(1, franchises + 1))) == list(
        range(1, franchises + 1)
    )

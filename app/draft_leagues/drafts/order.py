"""Who picks when: the order of the picks, with traded picks and keepers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.draft_leagues.drafts.plan import DraftPlan, Keeper, Kind

REVERSAL = 3  # the round of a third-round reversal


@dataclass(frozen=True)
class Slot:
    """One pick of the draft.

    Attributes:
        number: From 1, in the order of the draft.
        round: From 1.
        original: Whose pick it was before trades; the column of the board.
        owner: Who picks.
        keeper_id: The footballer who occupies it from the beginning; None for an open pick.
    """

    number: int
    round: int
    original: int
    owner: int
    keeper_id: str | None = None


def is_reversed(kind: Kind, round_number: int) -> bool:
    """Whether the round runs from the last franchise to the first.

    >>> [is_reversed("snake", number) for number in range(1, 6)]
    [False, True, False, True, False]
    >>> [is_reversed("third_round_reversal", number) for number in range(1, 6)]
    [False, True, True, False, True]
    """
    if kind in ("linear", "auction"):
        return False
    if kind == "third_round_reversal" and round_number >= REVERSAL:
        return round_number % 2 == 1
    return round_number % 2 == 0


def pick_label(franchises: int, number: int) -> str:
    """What screens call a pick: its round and its place in it.

    >>> pick_label(12, 17)
    '2.05'
    """
    return f"{(number - 1) // franchises + 1}.{(number - 1) % franchises + 1:02d}"


def pick_number(franchises: int, label: str) -> int | None:
    """The number of the pick that is called so; None if no pick can be.

    >>> pick_number(12, "2.05"), pick_number(12, "2.5"), pick_number(12, "17")
    (17, 17, None)
    >>> pick_number(12, "2.13"), pick_number(12, "0.01"), pick_number(12, "one")
    (None, None, None)
    """
    match = re.fullmatch(r"(\d{1,3})\.(\d{1,2})", label.strip(), re.ASCII)
    if match is None:
        return None
    round_number, place = int(match[1]), int(match[2])
    if round_number < 1 or not 1 <= place <= franchises:
        return None
    return (round_number - 1) * franchises + place


def slots_of(plan: DraftPlan) -> tuple[Slot, ...]:
    """Return every pick of a draft that is not an auction, in order."""
    owners = {(pick.round, pick.original): pick.owner for pick in plan.traded}
    open_slots: list[Slot] = []
    for round_number in range(1, plan.rounds + 1):
        franchises = plan.order
        if is_reversed(plan.kind, round_number):
            franchises = franchises[::-1]
        for franchise in franchises:
            owner = owners.get((round_number, franchise), franchise)
            open_slots.append(Slot(len(open_slots) + 1, round_number, franchise, owner))
    keepers = _slots_of_keepers(open_slots, plan.keepers_with_picks)
    return tuple(
        Slot(slot.number, slot.round, slot.original, slot.owner, keepers.get(slot.number))
        for slot in open_slots
    )


def _slots_of_keepers(slots: Sequence[Slot], keepers: Sequence[Keeper]) -> dict[int, str]:
    """Return the footballer of each occupied pick, by its number.

    A keeper occupies a pick that the franchise owns in their round. If it owns none, or another
    keeper has it, it is the nearest earlier one, otherwise the nearest later one. Keepers of early
    rounds choose first.
    """
    keeper_of: dict[int, str] = {}
    for keeper in sorted(keepers, key=lambda each: (each.round, each.franchise)):
        free = [
            slot
            for slot in slots
            if slot.owner == keeper.franchise and slot.number not in keeper_of
        ]
        earlier = [slot for slot in free if slot.round <= keeper.round]
        if earlier:
            latest_round = max(slot.round for slot in earlier)
            chosen = next(slot for slot in earlier if slot.round == latest_round)
            keeper_of[chosen.number] = keeper.footballer_id
        elif free:
            keeper_of[free[0].number] = keeper.footballer_id
    return keeper_of

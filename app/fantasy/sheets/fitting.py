"""Who fits a draft of a team sheet: into the chosen place, or into any that is free.

Pure; the market lists them.

Not here: what may be saved (rules.py), the list itself (market/listing.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.fantasy.market.formats import IDP, Format, Slot


@dataclass(frozen=True)
class Fitting:
    """Who fits a draft.

    `positions` that a pick may have, and who is `left_out`: of the team those who stand where they
    are needed already. `is_chosen`: somebody is looked for; else everybody is listed. `words`: what
    the position filter calls it.
    """

    positions: tuple[str, ...]
    left_out: tuple[str, ...]
    is_chosen: bool
    words: str


def fitting(
    team_format: Format, picks: Sequence[str], positions: Mapping[str, str], chosen: int
) -> Fitting:
    """Return who could come into the chosen place, or with 0 into any free one.

    In a squad of fixed sizes, a position that is complete without the chosen place does not fit.
    With a full team and no place chosen there is nothing to fit, and everybody is listed.
    """
    if not chosen and all(picks):
        return Fitting(team_format.positions, (), False, "Any")
    places = [team_format.places[chosen - 1]] if chosen else _empty(team_format, picks)
    takes = {position for slot in places for position in slot.accepts}
    count = Counter(
        positions.get(one) for number, one in enumerate(picks, start=1) if one and number != chosen
    )
    room = {
        position
        for position in takes
        if count[position] < team_format.squad.get(position, len(picks))
    }
    found = tuple(position for position in team_format.positions if position in (room or takes))
    own = enumerate(picks, start=1)
    stay = tuple(
        one
        for number, one in own
        if one and number != chosen and not can_swap(team_format, picks, positions, chosen, number)
    )
    return Fitting(found, stay, True, "Any that fits")


def can_swap(
    team_format: Format, picks: Sequence[str], positions: Mapping[str, str], place: int, other: int
) -> bool:
    """Whether who stands in these two places (from 1) may change them.

    Never when one of them is empty.
    """
    if not place or not picks[place - 1] or not picks[other - 1]:
        return False
    one, two = positions.get(picks[place - 1], ""), positions.get(picks[other - 1], "")
    return (
        one in team_format.places[other - 1].accepts
        and two in team_format.places[place - 1].accepts
    )


def _empty(team_format: Format, picks: Sequence[str]) -> list[Slot]:
    return [slot for slot, one in zip(team_format.places, picks, strict=True) if not one]


def positions_of(
    choice: str, fits: Fitting, team_format: Format, slot: Slot | None
) -> tuple[str, ...]:
    """The positions to list: the choice's, as far as the chosen place takes them.

    Those that fit where they share none.
    """
    takes = slot.accepts if slot else team_format.positions
    named = IDP if choice == "IDP" else (choice,)
    return tuple(one for one in named if one in takes) or fits.positions

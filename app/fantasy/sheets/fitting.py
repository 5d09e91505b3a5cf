"""Decides which footballers fit a draft of a team sheet, in a chosen or in any free place. Pure.

market/listing.py lists them; rules.py decides what may be saved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.fantasy.market.formats import IDP, Format, Slot


@dataclass(frozen=True)
class Fitting:
    """Which footballers fit a draft.

    Attributes:
        positions: The positions that a pick may have.
        left_out: Members of the team who are needed in their own places.
        is_chosen: Whether a footballer is sought for a place; otherwise everybody is listed.
        words: The position filter's name for these footballers.
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
        positions.get(pick)
        for number, pick in enumerate(picks, start=1)
        if pick and number != chosen
    )
    room = {
        position
        for position in takes
        if count[position] < team_format.squad.get(position, len(picks))
    }
    fitting_positions = tuple(
        position for position in team_format.positions if position in (room or takes)
    )
    stay = tuple(
        pick
        for number, pick in enumerate(picks, start=1)
        if pick and number != chosen and not can_swap(team_format, picks, positions, chosen, number)
    )
    return Fitting(fitting_positions, stay, True, "Any that fits")


def can_swap(
    team_format: Format, picks: Sequence[str], positions: Mapping[str, str], place: int, other: int
) -> bool:
    """Whether the footballers in these two places (from 1) may swap them.

    They may not if one of the places is empty.
    """
    if not place or not picks[place - 1] or not picks[other - 1]:
        return False
    first, second = positions.get(picks[place - 1], ""), positions.get(picks[other - 1], "")
    return (
        first in team_format.places[other - 1].accepts
        and second in team_format.places[place - 1].accepts
    )


def _empty(team_format: Format, picks: Sequence[str]) -> list[Slot]:
    return [slot for slot, pick in zip(team_format.places, picks, strict=True) if not pick]


def positions_of(
    choice: str, fits: Fitting, team_format: Format, slot: Slot | None
) -> tuple[str, ...]:
    """The positions to list: those of the choice that the chosen place takes.

    If it takes none of them, all that fit.
    """
    takes = slot.accepts if slot else team_format.positions
    named = IDP if choice == "IDP" else (choice,)
    return tuple(position for position in named if position in takes) or fits.positions

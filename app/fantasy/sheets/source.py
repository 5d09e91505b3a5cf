"""Translates a team sheet between places and the source design's terms. Pure.

The source design has a captain, a goalkeeper, players and substitutes. app/api/fantasy has the
JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.fantasy.market.formats import Format, Slot

GOALKEEPER = "GK"


@dataclass(frozen=True)
class SourceSheet:
    """A team sheet in the source design's terms.

    `players`: the starters besides captain and goalkeeper. `subs`: the substitutes in the order in
    which they come on.
    """

    captain: str
    goalkeeper: str | None
    players: tuple[str, ...]
    subs: tuple[str, ...]
    vice_captain: str | None = None

    @property
    def starters(self) -> tuple[str, ...]:
        """All starters; a goalkeeper who is captain is named once."""
        first = (self.goalkeeper,) if self.goalkeeper else ()
        return tuple(dict.fromkeys((*first, self.captain))) + self.players

    @property
    def everybody(self) -> tuple[str, ...]:
        """Everybody whom the sheet names, the vice-captain twice."""
        return (*self.starters, *self.subs, *([self.vice_captain] if self.vice_captain else []))


@dataclass(frozen=True)
class Placed:
    """A team sheet by places.

    Attributes:
        picks: The footballers by place; '' for an empty place.
        captain: The captain's place from 1; 0 if the captain has none.
        vice_captain: The vice-captain's place from 1; 0 if the vice-captain has none.
        starters: How many of the places are starters'.
    """

    picks: tuple[str, ...]
    captain: int
    vice_captain: int
    starters: int


def named(
    team_format: Format, picks: Sequence[str], captain: int, vice_captain: int
) -> SourceSheet:
    """The sheet of these places; empty ones are left out."""
    size = len(team_format.starters)
    keeper = next(
        (
            pick
            for slot, pick in zip(team_format.starters, picks, strict=False)
            if slot.accepts == (GOALKEEPER,) and pick
        ),
        None,
    )
    first = picks[captain - 1]
    players = tuple(pick for pick in picks[:size] if pick and pick not in (keeper, first))
    return SourceSheet(
        first, keeper, players, tuple(filter(None, picks[size:])), picks[vice_captain - 1]
    )


def placed(team_format: Format, sheet: SourceSheet, positions: Mapping[str, str]) -> Placed:
    """Put everybody into a place that takes their position if possible, else into a free one.

    Each in turn gets the first place that leaves a place for everybody before. Without a
    vice-captain (the source has none) it is the first of the players. Footballers for whom there is
    no place follow at the end, so that the rules refuse them.
    """
    # The goalkeeper is put in goal whatever their position; the rules refuse a wrong one.
    in_goal = {sheet.goalkeeper: GOALKEEPER} if sheet.goalkeeper else {}
    starters = _in_places(team_format.starters, sheet.starters, {**positions, **in_goal})
    picks = (*starters, *_in_places(team_format.substitutes, sheet.subs, positions))
    vice = sheet.vice_captain or next(iter(sheet.players), "")
    captain, vice_captain = (
        picks.index(footballer) + 1 if footballer and footballer in picks else 0
        for footballer in (sheet.captain, vice)
    )
    return Placed(picks, captain, vice_captain, len(starters))


def _in_places(
    slots: Sequence[Slot], named: Sequence[str], positions: Mapping[str, str]
) -> list[str]:
    """Match names and slots by augmenting paths; names without a slot follow at the end."""
    stands: dict[int, int] = {}

    def seat(who: int, tried: set[int]) -> bool:
        fit = [
            place
            for place, slot in enumerate(slots)
            if positions.get(named[who], "") in slot.accepts
        ]
        # Nobody moves while a place is free.
        for place in sorted(fit, key=lambda place: place in stands):
            if place in tried:
                continue
            tried.add(place)
            if place not in stands or seat(stands[place], tried):
                stands[place] = who
                return True
        return False

    left = [pick for who, pick in enumerate(named) if not seat(who, set())]
    filled = [
        named[stands[place]] if place in stands else (left.pop(0) if left else "")
        for place in range(len(slots))
    ]
    return filled + left

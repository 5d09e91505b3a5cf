"""A team sheet in the source design's terms: captain, goalkeeper, players, substitutes.

And back to places. Pure.

Lives here: the two translations. Not here: JSON (app/api/fantasy), what a sheet must keep
(rules.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.fantasy.market.formats import Format, Slot

GOALKEEPER = "GK"


@dataclass(frozen=True)
class SourceSheet:
    """`players`: the starters besides captain and goalkeeper.

    `subs`: in the order in which they come on.
    """

    captain: str
    goalkeeper: str | None
    players: tuple[str, ...]
    subs: tuple[str, ...]
    vice_captain: str | None = None

    @property
    def starters(self) -> tuple[str, ...]:
        """The goalkeeper may be captain: they are one of them once."""
        first = (self.goalkeeper,) if self.goalkeeper else ()
        return tuple(dict.fromkeys((*first, self.captain))) + self.players

    @property
    def everybody(self) -> tuple[str, ...]:
        return (*self.starters, *self.subs, *([self.vice_captain] if self.vice_captain else []))


@dataclass(frozen=True)
class Placed:
    """`picks` by place, '' where nobody stands.

    Captains by place from 1, 0 for one who stands nowhere.

    `starters`: how many of the places come before the substitutes'.
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
            one
            for slot, one in zip(team_format.starters, picks, strict=False)
            if slot.accepts == (GOALKEEPER,) and one
        ),
        None,
    )
    first = picks[captain - 1]
    players = tuple(one for one in picks[:size] if one and one not in (keeper, first))
    return SourceSheet(
        first, keeper, players, tuple(filter(None, picks[size:])), picks[vice_captain - 1]
    )


def placed(team_format: Format, sheet: SourceSheet, positions: Mapping[str, str]) -> Placed:
    """Everybody in a place that takes their position, as far as there is one.

    The rest where room is left.

    In the order named: each gets the first place that leaves one to everybody named before. Without
    a vice-captain (the source has none) it is the first of the players. Too many are kept at the
    end of theirs, so that whoever judges the sheet sees them.
    """
    # Whoever is named as goalkeeper stands in goal, fit for it or not: the rules say so then.
    in_goal = {sheet.goalkeeper: GOALKEEPER} if sheet.goalkeeper else {}
    starters = _in_places(team_format.starters, sheet.starters, {**positions, **in_goal})
    picks = (*starters, *_in_places(team_format.substitutes, sheet.subs, positions))
    vice = sheet.vice_captain or next(iter(sheet.players), "")
    first, second = (
        picks.index(one) + 1 if one in picks and one else 0 for one in (sheet.captain, vice)
    )
    return Placed(picks, first, second, len(starters))


def _in_places(
    slots: Sequence[Slot], named: Sequence[str], positions: Mapping[str, str]
) -> list[str]:
    """A matching by augmenting paths, as long as the slots, or longer when more are named."""
    stands: dict[int, int] = {}

    def seat(who: int, tried: set[int]) -> bool:
        fit = [
            place
            for place, slot in enumerate(slots)
            if positions.get(named[who], "") in slot.accepts
        ]
        # nobody moves while a place is free
        for place in sorted(fit, key=lambda place: place in stands):
            if place in tried:
                continue
            tried.add(place)
            if place not in stands or seat(stands[place], tried):
                stands[place] = who
                return True
        return False

    left = [one for who, one in enumerate(named) if not seat(who, set())]
    filled = [
        named[stands[place]] if place in stands else (left.pop(0) if left else "")
        for place in range(len(slots))
    ]
    return filled + left

"""Who plays in the lesson: jersey numbers of the game's own rosters, by position. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

_BACKS, _CATCHERS = ("RB", "HB", "FB"), ("WR", "TE")
_LINE = ("T", "OT", "G", "OG", "C", "OL")
_RUSHERS = ("DE", "DT", "DL", "NT")
_LINEBACKERS = ("LB", "ILB", "MLB", "OLB")
_SECONDARY = ("CB", "DB", "S", "FS", "SS")


class LessonPlayer(Protocol):
    """Somebody on the roster of a club."""

    @property
    def club(self) -> str:
        """The club's id."""

    @property
    def number(self) -> int | None:
        """The jersey number, if it is known."""

    @property
    def position(self) -> str:
        """The position's abbreviation, or ""."""


@dataclass(frozen=True)
class Eleven:
    """Jersey numbers of a club by what they do in the lesson; the usual ones if nobody fits."""

    passer: int = 12
    runner: int = 22
    receiver: int = 81
    other_receiver: int = 85
    returner: int = 28
    blocker: int = 66
    punter: int = 5
    kicker: int = 4
    rusher: int = 91
    linebacker: int = 54
    cornerback: int = 24
    safety: int = 31
    gunner: int = 40


_POSITIONS = {
    "passer": ("QB",),
    "runner": _BACKS,
    "receiver": _CATCHERS,
    "other_receiver": _CATCHERS,
    "returner": (*_CATCHERS, *_BACKS),
    "blocker": _LINE,
    "punter": ("P",),
    "kicker": ("K",),
    "rusher": _RUSHERS,
    "linebacker": _LINEBACKERS,
    "cornerback": _SECONDARY,
    "safety": _SECONDARY,
    "gunner": (*_LINEBACKERS, *_SECONDARY),
}


def eleven(people: Iterable[LessonPlayer], club: str) -> Eleven:
    """The players of a club, each with the lowest number of a position that nobody else wears.

    Of several who wear one number the console would ask, so none of them is named.
    """
    members = [person for person in people if person.club == club and person.number is not None]
    worn = Counter(person.number for person in members)
    numbers = {
        person.number: person.position.upper() for person in members if worn[person.number] == 1
    }
    chosen: dict[str, int] = {}
    for role, positions in _POSITIONS.items():
        fitting = [
            number
            for number, position in numbers.items()
            if number is not None and position in positions and number not in chosen.values()
        ]
        if fitting:
            chosen[role] = min(fitting)
    return Eleven(**chosen)

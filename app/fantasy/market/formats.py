"""Roster formats as data: the places of a team sheet and their positions (PRODUCT B6). Pure.

It also decides whether footballers of some positions can fill the starting places.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, groupby
from types import MappingProxyType

# The positions of individual defence, by every name that rosters use.
IDP = ("DL", "DE", "DT", "NT", "LB", "ILB", "OLB", "MLB", "DB", "CB", "S", "SS", "FS")
SKILL = ("RB", "WR", "TE")
# A club's defence and special teams as one (record/rules/team_defence.py).
DST = "DST"
OUTFIELD = ("DEF", "MID", "FWD")


@dataclass(frozen=True)
class Slot:
    """A place. `accepts`: the positions that it takes."""

    name: str
    accepts: tuple[str, ...]


@dataclass(frozen=True)
class Format:
    """A roster format.

    Attributes:
        substitutes: The places of substitutes, in the order in which they come on.
        budget: In tenths of a million.
        club_limit: The most footballers of one club on a sheet.
        squad: How many of each position the whole sheet has (`{"GK": 2, ...}`); empty if that is
            not fixed.
    """

    name: str
    title: str
    starters: tuple[Slot, ...]
    substitutes: tuple[Slot, ...]
    budget: int
    club_limit: int
    squad: Mapping[str, int] = field(default_factory=dict, hash=False)

    @cached_property
    def places(self) -> tuple[Slot, ...]:
        """All places, starters first."""
        return self.starters + self.substitutes

    @cached_property
    def groups(self) -> tuple[frozenset[str], ...]:
        """Positions that all starting places treat alike, such as those of individual defence."""
        takes = {p: tuple(p in slot.accepts for slot in self.starters) for p in self.positions}
        ordered = sorted(takes, key=lambda position: (takes[position], position), reverse=True)
        return tuple(
            frozenset(same) for _, same in groupby(ordered, key=lambda position: takes[position])
        )

    @cached_property
    def positions(self) -> tuple[str, ...]:
        """Every position that has a place, in the order of the places."""
        return tuple(dict.fromkeys(position for slot in self.places for position in slot.accepts))

    def group_of(self, position: str) -> int | None:
        """The index in `groups`; None for a position that has no place in this format."""
        return next((index for index, group in enumerate(self.groups) if position in group), None)

    def fills(self, counts: Sequence[int]) -> bool:
        """Whether this many footballers of each group can fill the starting places.

        It uses Hall's theorem.

        >>> soccer = FORMATS["soccer"]
        >>> sizes = {"GK": 1, "DEF": 3, "MID": 5, "FWD": 2}
        >>> soccer.fills([sum(sizes[p] for p in group) for group in soccer.groups])
        True
        >>> sizes = {"GK": 1, "DEF": 2, "MID": 5, "FWD": 3}
        >>> soccer.fills([sum(sizes[p] for p in group) for group in soccer.groups])
        False
        """
        return sum(counts) == len(self.starters) and self.takes(counts)

    def takes(self, counts: Sequence[int]) -> bool:
        """Whether this many footballers of each group have a starting place, each their own."""
        return all(sum(counts[group] for group in chosen) <= room for chosen, room in self._rooms)

    @cached_property
    def _rooms(self) -> tuple[tuple[tuple[int, ...], int], ...]:
        """Every set of groups, with the number of starting places that take one of them."""
        rooms = []
        for size in range(1, len(self.groups) + 1):
            for chosen in combinations(range(len(self.groups)), size):
                accepted = frozenset().union(*(self.groups[group] for group in chosen))
                rooms.append(
                    (chosen, sum(not accepted.isdisjoint(slot.accepts) for slot in self.starters))
                )
        return tuple(rooms)


def _slots(*named: tuple[str, tuple[str, ...], int]) -> tuple[Slot, ...]:
    return tuple(Slot(name, accepts) for name, accepts, count in named for _ in range(count))


_NFL = (
    ("QB", ("QB",), 1),
    ("RB", ("RB",), 2),
    ("WR", ("WR",), 2),
    ("TE", ("TE",), 1),
    ("FLEX", SKILL, 1),
)
_NFL_ALL = ("QB", *SKILL, "K", *IDP)

_FORMATS = (
    Format(
        "nfl-classic",
        "NFL classic",
        starters=_slots(*_NFL, ("K", ("K",), 1), ("IDP", IDP, 1)),
        substitutes=_slots(("SUB", _NFL_ALL, 4)),
        budget=1000,
        club_limit=4,
    ),
    Format(
        "nfl-superflex",
        "NFL superflex",
        starters=_slots(*_NFL, ("SUPERFLEX", ("QB", *SKILL), 1), ("K", ("K",), 1), ("IDP", IDP, 1)),
        substitutes=_slots(("SUB", _NFL_ALL, 4)),
        budget=1100,
        club_limit=4,
    ),
    Format(
        "nfl-team-defence",
        "NFL with team defence",
        starters=_slots(*_NFL, ("K", ("K",), 1), (DST, (DST,), 1)),
        substitutes=_slots(("SUB", ("QB", *SKILL, "K", DST), 4)),
        budget=1000,
        club_limit=4,
    ),
    # For scoring without kickers and defenders, like nflverse's.
    Format(
        "nfl-offence",
        "NFL offence",
        starters=_slots(*_NFL, ("FLEX", SKILL, 1)),
        substitutes=_slots(("SUB", ("QB", *SKILL), 3)),
        budget=900,
        club_limit=3,
    ),
    # Source: the rules of Fantasy Premier League, 2025/26 (15 footballers, 100.0, three of a club,
    # a legal formation).
    Format(
        "soccer",
        "Soccer, squad of fifteen",
        starters=_slots(
            ("GK", ("GK",), 1),
            ("DEF", ("DEF",), 3),
            ("MID", ("MID",), 2),
            ("FWD", ("FWD",), 1),
            ("OUT", OUTFIELD, 4),
        ),
        substitutes=_slots(("SUB GK", ("GK",), 1), ("SUB", OUTFIELD, 3)),
        budget=1000,
        club_limit=3,
        squad=MappingProxyType({"GK": 2, "DEF": 5, "MID": 5, "FWD": 3}),
    ),
    # The sheet of the source design (seeds/001): a captain, a goalkeeper, three players, two
    # substitutes.
    Format(
        "soccer-five",
        "Soccer, five a side",
        starters=_slots(("GK", ("GK",), 1), ("OUT", OUTFIELD, 4)),
        substitutes=_slots(("SUB", ("GK", *OUTFIELD), 2)),
        budget=600,
        club_limit=3,
    ),
)

FORMATS: Mapping[str, Format] = MappingProxyType(
    {team_format.name: team_format for team_format in _FORMATS}
)

"""Roster formats as data: the places of a team sheet and their positions (PRODUCT B6). Pure.

The salary-cap game has the formats in FORMATS. A draft league has one of its own, whose name says
its content (`draft_format_name`). It also decides whether footballers of some positions can fill
the starting places.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
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
        is_draft: Whether the sheet is a line-up of a draft league: without captains, money and a
            limit per club, and with places that may be empty.
        substitutes_come_on: Whether substitutes replace starters who did not play. In a draft
            league each only comes into a place that takes their position.
        is_best_ball: Whether the best line-up of the whole sheet counts, after the fact.
    """

    name: str
    title: str
    starters: tuple[Slot, ...]
    substitutes: tuple[Slot, ...]
    budget: int
    club_limit: int
    squad: Mapping[str, int] = field(default_factory=dict, hash=False)
    is_draft: bool = False
    substitutes_come_on: bool = True
    is_best_ball: bool = False

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
        return all(sum(counts[group] for group in chosen) <= room for chosen, room in self.rooms)

    @cached_property
    def rooms(self) -> tuple[tuple[tuple[int, ...], int], ...]:
        """Every set of groups, with the number of starting places that take one of them.

        Footballers can start together if no set has more of them than places (Hall's theorem).
        """
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
        "NFL with team defense",
        starters=_slots(*_NFL, ("K", ("K",), 1), (DST, (DST,), 1)),
        substitutes=_slots(("SUB", ("QB", *SKILL, "K", DST), 4)),
        budget=1000,
        club_limit=4,
    ),
    # For scoring without kickers and defenders, like nflverse's.
    Format(
        "nfl-offence",
        "NFL offense",
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

# The starting places of draft leagues, by the names that Sleeper, ESPN and Yahoo share.
DRAFT_SLOTS: Mapping[str, Slot] = MappingProxyType(
    {
        slot.name: slot
        for slot in (
            Slot("QB", ("QB",)),
            Slot("RB", ("RB",)),
            Slot("WR", ("WR",)),
            Slot("TE", ("TE",)),
            Slot("FLEX", SKILL),
            Slot("SUPERFLEX", ("QB", *SKILL)),
            Slot("K", ("K",)),
            Slot(DST, (DST,)),
            Slot("DL", ("DL", "DE", "DT", "NT")),
            Slot("LB", ("LB", "ILB", "OLB", "MLB")),
            Slot("DB", ("DB", "CB", "S", "SS", "FS")),
            Slot("IDP", IDP),
        )
    }
)
_DRAFT = "draft:"
_BENCH = Slot("BN", ("QB", *SKILL, "K", DST, *IDP))
_SUBSTITUTES, _BEST_BALL = "subs", "best"
# What a sheet of a draft league costs does not matter, but its columns have to hold something.
_NO_BUDGET, _NO_CLUB_LIMIT = 1, 99


def draft_format_name(
    starters: Mapping[str, int],
    bench: int,
    *,
    substitutes_come_on: bool = False,
    is_best_ball: bool = False,
) -> str:
    """The name of a draft league's format, which `format_named` reads again.

    `starters`: how many places by the names of DRAFT_SLOTS, in the order of the line-up.

    >>> draft_format_name({"QB": 1, "RB": 2}, 6, substitutes_come_on=True)
    'draft:QB1,RB2,BN6;subs'
    """
    counts = {**starters, _BENCH.name: bench}
    places = ",".join(f"{name}{count}" for name, count in counts.items())
    switches = (_SUBSTITUTES, substitutes_come_on), (_BEST_BALL, is_best_ball)
    return ";".join((f"{_DRAFT}{places}", *(name for name, is_on in switches if is_on)))


@cache
def format_named(name: str) -> Format:
    """The roster format of this name: one of FORMATS, or a draft league's.

    Raises:
        KeyError: There is none.

    >>> lineup = format_named("draft:QB1,RB2,FLEX1,BN2")
    >>> [slot.name for slot in lineup.places], lineup.title
    (['QB', 'RB', 'RB', 'FLEX', 'BN', 'BN'], '1 QB, 2 RB, 1 FLEX, bench of 2')
    """
    if not name.startswith(_DRAFT):
        return FORMATS[name]
    places, *switches = name.removeprefix(_DRAFT).split(";")
    counts = {
        place.rstrip("0123456789"): int(place[len(place.rstrip("0123456789")) :])
        for place in places.split(",")
    }
    bench = counts.pop(_BENCH.name)
    words = [f"{count} {slot}" for slot, count in counts.items()]
    return Format(
        name,
        ", ".join([*words, f"bench of {bench}"]),
        starters=_slots(
            *((slot, DRAFT_SLOTS[slot].accepts, count) for slot, count in counts.items())
        ),
        substitutes=_slots((_BENCH.name, _BENCH.accepts, bench)),
        budget=_NO_BUDGET,
        club_limit=_NO_CLUB_LIMIT,
        is_draft=True,
        substitutes_come_on=_SUBSTITUTES in switches,
        is_best_ball=_BEST_BALL in switches,
    )

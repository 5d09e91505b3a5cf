"""What the demo league's footballers cost, and team sheets that their prices allow. Pure.

Lives here: prices by place on the depth chart and skill, and drawing a legal squad. Used by the demo season and the
simulated one. Not here: the rules of team sheets (fantasy/sheets/rules.py): what is drawn here keeps them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from types import MappingProxyType

from app.demo.clubs import CLUBS, rosters, skill
from app.fantasy.market.formats import IDP, Format
from app.fantasy.market.starting_prices import SPANS, STEP
from app.record.script import Footballer

# How much of the way from the floor to the ceiling the first, second, ... of a depth chart costs.
_SHARES: Mapping[str, tuple[float, ...]] = MappingProxyType(
    {
        "QB": (0.7, 0.05),
        "RB": (0.7, 0.35, 0.05),
        "WR": (0.75, 0.55, 0.35, 0.1, 0.0),
        "TE": (0.65, 0.2, 0.0),
        "K": (0.5,),
    }
)
_DEFENCE = (0.7, 0.6, 0.4, 0.25, 0.1, 0.0)
_TRIES = 200


@dataclass(frozen=True)
class Man:
    """A footballer on the market. `price`: tenths of a million."""

    id: str
    position: str
    club: str
    price: int


@cache
def market() -> tuple[Man, ...]:
    """Everybody of the demo league who has a place on a team sheet, club by club, position by position."""
    return tuple(
        Man(man.id, man.position, club.id, _price(man.id, man.position, place))
        for club in CLUBS
        for place, man in _by_place(club.id)
        if man.position in SPANS
    )


def _by_place(club_id: str) -> list[tuple[int, Footballer]]:
    seen: Counter[str] = Counter()
    found = []
    for man in rosters()[club_id]:
        found.append((seen[man.position], man))
        seen[man.position] += 1
    return found


def _price(man: str, position: str, place: int) -> int:
    span, shares = SPANS[position], _SHARES.get(position, _DEFENCE)
    share = shares[min(place, len(shares) - 1)] + 0.12 * skill(man)
    return span.floor + int((span.ceiling - span.floor) * max(0.0, min(1.0, share))) // STEP * STEP


@dataclass(frozen=True)
class Squad:
    """`picks` by place; `captain`, `vice_captain`: places from 1."""

    picks: tuple[str, ...]
    captain: int
    vice_captain: int


def draw_squad(
    rng: Random, format: Format, men: Sequence[Man], budget: int, club_limit: int, *, avoid: Collection[str] = ()
) -> Squad:
    """A squad within budget and club limit, dear starters and cheap substitutes more often; same rng, same squad.

    `avoid`: who is not taken (the injured, say).
    """
    open_to = [man for man in men if man.id not in avoid]
    for _ in range(_TRIES):
        picks = _try(rng, format, open_to, budget, club_limit)
        if picks is not None:
            captain, vice_captain = rng.sample(range(1, len(format.starters) + 1), 2)
            return Squad(picks, captain, vice_captain)
    raise ValueError(f"no squad of {format.name} can be drawn for {budget}: too little money for these footballers")


def _try(rng: Random, format: Format, men: Sequence[Man], budget: int, club_limit: int) -> tuple[str, ...] | None:
    chosen: dict[int, Man] = {}
    taken: set[str] = set()
    places = sorted(range(len(format.places)), key=lambda place: len(format.places[place].accepts))
    cheapest = {slot: min(man.price for man in men if man.position in slot.accepts) for slot in set(format.places)}
    left, kept = budget, sum(cheapest[slot] for slot in format.places)
    clubs: Counter[str] = Counter()
    for place in places:
        slot = format.places[place]
        kept -= cheapest[slot]
        found = [
            man
            for man in men
            if man.price <= left - kept
            and man.position in slot.accepts
            and man.id not in taken
            and clubs[man.club] < club_limit
        ]
        if not found:
            return None
        starts = place < len(format.starters)
        man = rng.choices(found, [_weight(one, starts) for one in found])[0]
        chosen[place] = man
        taken.add(man.id)
        left -= man.price
        clubs[man.club] += 1
    return tuple(chosen[place].id for place in range(len(format.places)))


def _weight(man: Man, starts: bool) -> float:
    # On the bench as many of the front as of the defence, who are three times as many.
    return (man.price - 35) ** 2 if starts else 1.0 if man.position in IDP else 3.0

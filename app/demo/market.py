"""Prices of the demo league's footballers, and random squads within the budget. Pure.

Prices follow from the place on the depth chart and from skill. The demo season and the simulated
one use this. Squads keep the rules of team sheets, which are in fantasy/sheets/rules.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from types import MappingProxyType

from app.demo.clubs import CLUBS, rosters, skill
from app.fantasy.market.formats import DST, IDP, Format
from app.fantasy.market.starting_prices import SPANS, STEP
from app.record.rules.team_defence import defence_id
from app.record.script import Footballer

# Price of the first, second, ... footballer of a depth chart, as a share of the span between floor
# and ceiling.
_SHARES: Mapping[str, tuple[float, ...]] = MappingProxyType(
    {
        "QB": (0.7, 0.05),
        "RB": (0.7, 0.35, 0.05),
        "WR": (0.75, 0.55, 0.35, 0.1, 0.0),
        "TE": (0.65, 0.2, 0.0),
        "K": (0.5,),
        DST: (0.4,),
    }
)
_DEFENCE = (0.7, 0.6, 0.4, 0.25, 0.1, 0.0)
_TRIES = 200


@dataclass(frozen=True)
class Player:
    """A footballer on the market; `price` is in tenths of a million."""

    id: str
    position: str
    club: str
    price: int


@cache
def market() -> tuple[Player, ...]:
    """Return everyone that a team sheet can have in the demo league.

    Returns:
        The footballers by club and position, then the clubs' D/STs.
    """
    people = [
        Player(player.id, player.position, club.id, _price(player.id, player.position, place))
        for club in CLUBS
        for place, player in _by_place(club.id)
        if player.position in SPANS
    ]
    defences = [(defence_id(club.id), club.id) for club in CLUBS]
    return (
        *people,
        *(Player(defence, DST, club, _price(defence, DST, 0)) for defence, club in defences),
    )


def _by_place(club_id: str) -> list[tuple[int, Footballer]]:
    counts: Counter[str] = Counter()
    places = []
    for player in rosters()[club_id]:
        places.append((counts[player.position], player))
        counts[player.position] += 1
    return places


def _price(player: str, position: str, place: int) -> int:
    span, shares = SPANS[position], _SHARES.get(position, _DEFENCE)
    share = shares[min(place, len(shares) - 1)] + 0.12 * skill(player)
    return span.floor + int((span.ceiling - span.floor) * max(0.0, min(1.0, share))) // STEP * STEP


@dataclass(frozen=True)
class Squad:
    """Picks in the order of the format's places; both captains are places, from 1."""

    picks: tuple[str, ...]
    captain: int
    vice_captain: int


@dataclass(frozen=True)
class SquadLimits:
    """What a squad has to keep: its format, the budget, and the footballers of one club."""

    format: Format
    budget: int
    club_limit: int

    @classmethod
    def of(cls, squad_format: Format) -> SquadLimits:
        """Return the format with its usual budget and club limit."""
        return cls(squad_format, squad_format.budget, squad_format.club_limit)


def draw_squad(
    rng: Random,
    limits: SquadLimits,
    players: Sequence[Player],
    *,
    avoid: Collection[str] = (),
) -> Squad:
    """Draw a squad; dear starters and cheap substitutes are more likely.

    Args:
        rng: The same state gives the same squad.
        limits: What the squad has to keep.
        players: The market.
        avoid: Footballers not to pick, such as the injured.

    Raises:
        ValueError: The budget is too small for these footballers.
    """
    available = [player for player in players if player.id not in avoid]
    for _ in range(_TRIES):
        picks = _try(rng, limits, available)
        if picks is not None:
            captain, vice_captain = rng.sample(range(1, len(limits.format.starters) + 1), 2)
            return Squad(picks, captain, vice_captain)
    raise ValueError(
        f"no squad of {limits.format.name} can be drawn for {limits.budget}: too little money for "
        "these players"
    )


def _try(rng: Random, limits: SquadLimits, players: Sequence[Player]) -> tuple[str, ...] | None:
    slots = limits.format.places
    chosen: dict[int, Player] = {}
    taken: set[str] = set()
    places = sorted(range(len(slots)), key=lambda place: len(slots[place].accepts))
    cheapest = {
        slot: min(player.price for player in players if player.position in slot.accepts)
        for slot in set(slots)
    }
    left, reserved = limits.budget, sum(cheapest[slot] for slot in slots)
    clubs: Counter[str] = Counter()
    for place in places:
        slot = slots[place]
        reserved -= cheapest[slot]
        candidates = [
            player
            for player in players
            if player.price <= left - reserved
            and player.position in slot.accepts
            and player.id not in taken
            and clubs[player.club] < limits.club_limit
        ]
        if not candidates:
            return None
        starts = place < len(limits.format.starters)
        weights = [_weight(candidate, starts) for candidate in candidates]
        player = rng.choices(candidates, weights)[0]
        chosen[place] = player
        taken.add(player.id)
        left -= player.price
        clubs[player.club] += 1
    return tuple(chosen[place].id for place in range(len(slots)))


def _weight(player: Player, starts: bool) -> float:
    if starts:
        return (player.price - 35) ** 2
    # There are three times as many defenders as others: this way a bench gets as many of each.
    return 1.0 if player.position in IDP else 3.0

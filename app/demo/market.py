"""Prices of the demo league's footballers, and team sheets within the budget. Pure.

Lives here: prices by place on the depth chart and skill, and drawing a legal squad. Used by the
demo season and the simulated one. Not here: the rules of team sheets (fantasy/sheets/rules.py):
what is drawn here keeps them.
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

# The price of the first, second, ... of a depth chart, as a share of the span between floor and
# ceiling.
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
    """A footballer on the market. `price`: tenths of a million."""

    id: str
    position: str
    club: str
    price: int


@cache
def market() -> tuple[Player, ...]:
    """All footballers of the demo league that a team sheet can have, by club and position, and the
    clubs' D/STs.
    """
    people = [
        Player(player.id, player.position, club.id, _price(player.id, player.position, place))
        for club in CLUBS
        for place, player in _by_place(club.id)
        if player.position in SPANS
    ]
    teams = [
        Player(one, DST, club.id, _price(one, DST, 0))
        for club in CLUBS
        if (one := defence_id(club.id))
    ]
    return (*people, *teams)


def _by_place(club_id: str) -> list[tuple[int, Footballer]]:
    seen: Counter[str] = Counter()
    found = []
    for player in rosters()[club_id]:
        found.append((seen[player.position], player))
        seen[player.position] += 1
    return found


def _price(player: str, position: str, place: int) -> int:
    span, shares = SPANS[position], _SHARES.get(position, _DEFENCE)
    share = shares[min(place, len(shares) - 1)] + 0.12 * skill(player)
    return span.floor + int((span.ceiling - span.floor) * max(0.0, min(1.0, share))) // STEP * STEP


@dataclass(frozen=True)
class Squad:
    """`picks` by place; `captain`, `vice_captain`: places from 1."""

    picks: tuple[str, ...]
    captain: int
    vice_captain: int


def draw_squad(
    rng: Random,
    format: Format,
    players: Sequence[Player],
    budget: int,
    club_limit: int,
    *,
    avoid: Collection[str] = (),
) -> Squad:
    """A squad within budget and club limit, dear starters and cheap substitutes more often.

    Same rng, same squad.

    `avoid`: footballers not to pick, as the injured.
    """
    open_to = [player for player in players if player.id not in avoid]
    for _ in range(_TRIES):
        picks = _try(rng, format, open_to, budget, club_limit)
        if picks is not None:
            captain, vice_captain = rng.sample(range(1, len(format.starters) + 1), 2)
            return Squad(picks, captain, vice_captain)
    raise ValueError(
        f"no squad of {format.name} can be drawn for {budget}: too little money for these "
        "footballers"
    )


def _try(
    rng: Random, format: Format, players: Sequence[Player], budget: int, club_limit: int
) -> tuple[str, ...] | None:
    chosen: dict[int, Player] = {}
    taken: set[str] = set()
    places = sorted(range(len(format.places)), key=lambda place: len(format.places[place].accepts))
    cheapest = {
        slot: min(player.price for player in players if player.position in slot.accepts)
        for slot in set(format.places)
    }
    left, kept = budget, sum(cheapest[slot] for slot in format.places)
    clubs: Counter[str] = Counter()
    for place in places:
        slot = format.places[place]
        kept -= cheapest[slot]
        found = [
            player
            for player in players
            if player.price <= left - kept
            and player.position in slot.accepts
            and player.id not in taken
            and clubs[player.club] < club_limit
        ]
        if not found:
            return None
        starts = place < len(format.starters)
        player = rng.choices(found, [_weight(one, starts) for one in found])[0]
        chosen[place] = player
        taken.add(player.id)
        left -= player.price
        clubs[player.club] += 1
    return tuple(chosen[place].id for place in range(len(format.places)))


def _weight(player: Player, starts: bool) -> float:
    # The defence has three times as many footballers as the offence: a bench gets as many of each.
    return (player.price - 35) ** 2 if starts else 1.0 if player.position in IDP else 3.0

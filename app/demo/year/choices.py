"""How a gamer of the simulated season picks a team. Pure.

Every squad keeps the rules; the service checks it like any other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from app.demo.market import Player, Squad, SquadLimits, draw_squad

_REARRANGED = 0.5  # of the teams
_LEADER_CHANGED = 0.5


@dataclass(frozen=True)
class Owned:
    """A team of the previous gameweek.

    `purchase_prices` (by place) and `bank` are in tenths of a million.
    """

    picks: tuple[str, ...]
    captain: int
    vice_captain: int
    purchase_prices: tuple[int, ...]
    bank: int


@dataclass(frozen=True)
class Look:
    """What a gamer sees: the market at today's prices, the injured, and whose game has begun."""

    limits: SquadLimits
    players: Mapping[str, Player]
    injured: Collection[str] = ()
    begun: Collection[str] = ()


def first_squad(rng: Random, look: Look) -> Squad:
    """Draw the squad of a gamer who has no team yet."""
    return draw_squad(rng, look.limits, list(look.players.values()), avoid=look.injured)


def next_squad(rng: Random, look: Look, owned: Owned) -> Squad:
    """Change the team: up to three transfers (the injured first), order of substitutes, captains.

    A footballer whose game has begun keeps their place.
    """
    picks = list(owned.picks)
    transfer_count = rng.choice((0, 0, 1, 1, 1, 2, 2, 3))
    places = [place for place, player in enumerate(picks) if player not in look.begun]
    rng.shuffle(places)
    places.sort(key=lambda place: picks[place] not in look.injured)
    bank = owned.bank
    for place in places[:transfer_count]:
        sold = look.players[picks[place]]
        # The sale brings at least the lower of the purchase price and today's price.
        money = bank + min(owned.purchase_prices[place], sold.price)
        candidates = _candidates(look, owned, picks, place, money)
        if candidates:
            bought = rng.choices(candidates, [(player.price - 30) ** 2 for player in candidates])[0]
            picks[place] = bought.id
            bank = money - bought.price
    _rearrange(rng, look, picks)
    leaders = _leaders(rng, look, owned, picks)
    if leaders is None:
        return Squad(owned.picks, owned.captain, owned.vice_captain)
    return Squad(tuple(picks), *leaders)


def _candidates(
    look: Look, owned: Owned, picks: Sequence[str], place: int, money: int
) -> list[Player]:
    """Return who can replace the footballer of `place` for this money."""
    clubs = Counter(look.players[player].club for player in picks)
    clubs[look.players[picks[place]].club] -= 1
    accepts = look.limits.format.places[place].accepts
    return [
        player
        for player in look.players.values()
        if player.position in accepts
        and player.id not in picks
        and player.id not in owned.picks
        and player.id not in look.injured
        and player.id not in look.begun
        and player.price <= money
        and clubs[player.club] < look.limits.club_limit
    ]


def _rearrange(rng: Random, look: Look, picks: list[str]) -> None:
    """Half of the time, exchange two footballers whose places accept each other."""
    if rng.random() < _REARRANGED:
        return
    first, second = rng.sample(range(len(picks)), 2)
    places, players = look.limits.format.places, look.players
    if picks[first] in look.begun or picks[second] in look.begun:
        return
    if (
        players[picks[first]].position in places[second].accepts
        and players[picks[second]].position in places[first].accepts
    ):
        picks[first], picks[second] = picks[second], picks[first]


def _leaders(rng: Random, look: Look, owned: Owned, picks: Sequence[str]) -> tuple[int, int] | None:
    """Choose captain and vice-captain; each is changed half of the time.

    A new one is somebody whose game has not begun.

    Returns:
        Their places, or None if the games of too few footballers are still to come.
    """
    led = [owned.picks[owned.captain - 1], owned.picks[owned.vice_captain - 1]]
    free = [
        place
        for place in range(1, len(look.limits.format.starters) + 1)
        if picks[place - 1] not in look.begun
    ]
    chosen: list[int] = []
    for player in led:
        place = picks.index(player) + 1 if player in picks else 0
        is_starter = 1 <= place <= len(look.limits.format.starters)
        if player in look.begun or (is_starter and rng.random() < _LEADER_CHANGED):
            chosen.append(place)
            continue
        others = [
            candidate
            for candidate in free
            if candidate not in chosen and picks[candidate - 1] not in led
        ]
        if not others:
            return None
        chosen.append(rng.choice(others))
    return chosen[0], chosen[1]

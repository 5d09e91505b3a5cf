"""How a gamer of the simulated season picks a team.

Pure: values and a random number generator in, a sheet out.

Every sheet keeps the rules; the service checks it like any other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from app.demo.market import Player, Squad, draw_squad
from app.fantasy.market.formats import Format


@dataclass(frozen=True)
class Owned:
    """A team of the previous gameweek.

    `purchase_prices` by place and `bank` in tenths of a million.
    """

    picks: tuple[str, ...]
    captain: int
    vice_captain: int
    purchase_prices: tuple[int, ...]
    bank: int


@dataclass(frozen=True)
class Look:
    """What a gamer sees: the market with today's prices, the injured, and the footballers whose
    game has begun.
    """

    format: Format
    budget: int
    club_limit: int
    players: Mapping[str, Player]
    injured: Collection[str] = ()
    begun: Collection[str] = ()


def first_squad(rng: Random, look: Look) -> Squad:
    return draw_squad(
        rng,
        look.format,
        list(look.players.values()),
        look.budget,
        look.club_limit,
        avoid=look.injured,
    )


def next_squad(rng: Random, look: Look, owned: Owned) -> Squad:
    """None to three transfers, the injured first.

    Then the order of substitutes, captain and vice-captain.

    A footballer whose game has begun keeps their place.
    """
    picks = list(owned.picks)
    wanted = rng.choice((0, 0, 1, 1, 1, 2, 2, 3))
    places = [place for place, player in enumerate(picks) if player not in look.begun]
    rng.shuffle(places)
    places.sort(key=lambda place: picks[place] not in look.injured)
    bank = owned.bank
    for place in places[:wanted]:
        bank = _transfer(rng, look, owned, picks, place, bank)
    _rearrange(rng, look, picks)
    leaders = _leaders(rng, look, owned, picks)
    if leaders is None:
        return Squad(owned.picks, owned.captain, owned.vice_captain)
    return Squad(tuple(picks), *leaders)


def _transfer(
    rng: Random, look: Look, owned: Owned, picks: list[str], place: int, bank: int
) -> int:
    """Replaces the footballer of `place` by one within the budget, if there is one.

    Returns the money left.
    """
    gone = look.players[picks[place]]
    # The sale brings at least the lower of the purchase price and today's price.
    money = bank + min(owned.purchase_prices[place], gone.price)
    clubs = Counter(look.players[player].club for player in picks)
    clubs[gone.club] -= 1
    accepts = look.format.places[place].accepts
    found = [
        player
        for player in look.players.values()
        if player.position in accepts
        and player.id not in picks
        and player.id not in owned.picks
        and player.id not in look.injured
        and player.id not in look.begun
        and player.price <= money
        and clubs[player.club] < look.club_limit
    ]
    if not found:
        return bank
    taken = rng.choices(found, [(player.price - 30) ** 2 for player in found])[0]
    picks[place] = taken.id
    return money - taken.price


def _rearrange(rng: Random, look: Look, picks: list[str]) -> None:
    """Half of the time, exchanges two footballers whose places accept each other."""
    if rng.random() < 0.5:
        return
    one, other = rng.sample(range(len(picks)), 2)
    places, players = look.format.places, look.players
    if picks[one] in look.begun or picks[other] in look.begun:
        return
    if (
        players[picks[one]].position in places[other].accepts
        and players[picks[other]].position in places[one].accepts
    ):
        picks[one], picks[other] = picks[other], picks[one]


def _leaders(rng: Random, look: Look, owned: Owned, picks: Sequence[str]) -> tuple[int, int] | None:
    """Captain and vice-captain, each changed half of the time: from footballers whose game has not
    begun.

    None: too few footballers have their game still to come.
    """
    led = [owned.picks[owned.captain - 1], owned.picks[owned.vice_captain - 1]]
    free = [
        place
        for place in range(1, len(look.format.starters) + 1)
        if picks[place - 1] not in look.begun
    ]
    chosen: list[int] = []
    for player in led:
        place = picks.index(player) + 1 if player in picks else 0
        is_starter = 1 <= place <= len(look.format.starters)
        if player in look.begun or (is_starter and rng.random() < 0.5):
            chosen.append(place)
            continue
        others = [one for one in free if one not in chosen and picks[one - 1] not in led]
        if not others:
            return None
        chosen.append(rng.choice(others))
    return chosen[0], chosen[1]

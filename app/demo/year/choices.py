"""What a gamer of the simulated season does with his team. Pure: values and a random number generator in, a sheet out.

All that he wants keeps the rules, as a careful reader of them would see to; the service judges it all the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from app.demo.market import Man, Squad, draw_squad
from app.fantasy.market.formats import Format


@dataclass(frozen=True)
class Owned:
    """His team as it was last gameweek. `purchase_prices` by place and `bank` in tenths of a million."""

    picks: tuple[str, ...]
    captain: int
    vice_captain: int
    purchase_prices: tuple[int, ...]
    bank: int


@dataclass(frozen=True)
class Look:
    """What he sees: the market with today's prices, who is injured, and whose game has begun."""

    format: Format
    budget: int
    club_limit: int
    men: Mapping[str, Man]
    injured: Collection[str] = ()
    begun: Collection[str] = ()


def first_squad(rng: Random, look: Look) -> Squad:
    return draw_squad(rng, look.format, list(look.men.values()), look.budget, look.club_limit, avoid=look.injured)


def next_squad(rng: Random, look: Look, owned: Owned) -> Squad:
    """None to three transfers, the injured first; then the order of substitutes, and who leads.

    A footballer whose game has begun stays where he is.
    """
    picks = list(owned.picks)
    wanted = rng.choice((0, 0, 1, 1, 1, 2, 2, 3))
    places = [place for place, man in enumerate(picks) if man not in look.begun]
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


def _transfer(rng: Random, look: Look, owned: Owned, picks: list[str], place: int, bank: int) -> int:
    """Replaces who stands there by somebody he can pay for surely, if there is one; returns what is left."""
    gone = look.men[picks[place]]
    # He brings at least the lower of what he cost and what he costs now.
    money = bank + min(owned.purchase_prices[place], gone.price)
    clubs = Counter(look.men[man].club for man in picks)
    clubs[gone.club] -= 1
    accepts = look.format.places[place].accepts
    found = [
        man
        for man in look.men.values()
        if man.position in accepts
        and man.id not in picks
        and man.id not in owned.picks
        and man.id not in look.injured
        and man.id not in look.begun
        and man.price <= money
        and clubs[man.club] < look.club_limit
    ]
    if not found:
        return bank
    taken = rng.choices(found, [(man.price - 30) ** 2 for man in found])[0]
    picks[place] = taken.id
    return money - taken.price


def _rearrange(rng: Random, look: Look, picks: list[str]) -> None:
    """Now and then two places are exchanged where both may stand in the other's."""
    if rng.random() < 0.5:
        return
    one, other = rng.sample(range(len(picks)), 2)
    places, men = look.format.places, look.men
    if picks[one] in look.begun or picks[other] in look.begun:
        return
    if men[picks[one]].position in places[other].accepts and men[picks[other]].position in places[one].accepts:
        picks[one], picks[other] = picks[other], picks[one]


def _leaders(rng: Random, look: Look, owned: Owned, picks: Sequence[str]) -> tuple[int, int] | None:
    """Captain and vice-captain, new ones half of the time; one whose game has begun stays, and none of them comes.

    None: too few are left whose game is still to come.
    """
    led = [owned.picks[owned.captain - 1], owned.picks[owned.vice_captain - 1]]
    free = [place for place in range(1, len(look.format.starters) + 1) if picks[place - 1] not in look.begun]
    chosen: list[int] = []
    for man in led:
        place = picks.index(man) + 1 if man in picks else 0
        is_starter = 1 <= place <= len(look.format.starters)
        if man in look.begun or (is_starter and rng.random() < 0.5):
            chosen.append(place)
            continue
        others = [one for one in free if one not in chosen and picks[one - 1] not in led]
        if not others:
            return None
        chosen.append(rng.choice(others))
    return chosen[0], chosen[1]

"""What the managers of a simulated draft league want: line-ups, footballers, trades. Pure.

The services decide whether they get it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from app.draft_leagues.trades.terms import BudgetGift, FootballerGift, Terms
from app.draft_leagues.waivers.services import Wish
from app.fantasy.market.formats import Format
from app.fantasy.rosters.rules import PickMove
from app.fantasy.sheets.roster_fitting import first_lineup

_SHORT_LIST = 12  # how many free agents a manager thinks about
_MOST_BID = 25
_ONE_OF_SEVERAL = 0.4  # of the times, claims exclude each other


@dataclass(frozen=True)
class Look:
    """What managers see of their league.

    Attributes:
        lineup: The places of a line-up.
        positions: Of everybody on the market.
        ratings: How good they are, in thousandths of a point per gameweek.
        rosters: The active footballers of each franchise.
        budgets: What is left for bids.
        room: How many active footballers a roster holds.
    """

    lineup: Format
    positions: Mapping[str, str]
    ratings: Mapping[str, int]
    rosters: Mapping[int, Sequence[str]]
    budgets: Mapping[int, int]
    room: int

    def rating(self, footballer_id: str) -> int:
        """How good a footballer is; 0 for somebody without a projection."""
        return self.ratings.get(footballer_id, 0)

    def best(self, footballers: Collection[str]) -> list[str]:
        """These footballers, the best first."""
        return sorted(footballers, key=lambda each: (-self.rating(each), each))


def lineup(rng: Random, look: Look, franchise: int, injured: Collection[str]) -> tuple[str, ...]:
    """Line a team up by its manager's taste; the injured sit on the bench if others can start."""
    taste = {
        footballer: look.rating(footballer) * rng.uniform(0.8, 1.2)
        for footballer in look.rosters[franchise]
    }
    ordered = sorted(taste, key=lambda each: (each in injured, -taste[each], each))
    return first_lineup(look.lineup, {each: look.positions[each] for each in ordered}, ())


def rearranged(
    rng: Random, look: Look, picks: Sequence[str], begun: Collection[str]
) -> tuple[str, ...]:
    """Exchange two footballers of a line-up whose games have not begun, if they fit."""
    places = [place for place, pick in enumerate(picks) if pick and pick not in begun]
    rng.shuffle(places)
    slots = look.lineup.places
    for first, second in zip(places[::2], places[1::2], strict=False):
        exchanged = list(picks)
        exchanged[first], exchanged[second] = picks[second], picks[first]
        if all(
            look.positions[exchanged[place]] in slots[place].accepts for place in (first, second)
        ):
            return tuple(exchanged)
    return tuple(picks)


def wishes(rng: Random, look: Look, franchise: int, free: Collection[str]) -> list[Wish]:
    """Choose up to three footballers, each with whom the team would drop for them."""
    short_list = look.best(free)[:_SHORT_LIST]
    targets = rng.sample(short_list, min(len(short_list), rng.choice((0, 1, 1, 2, 3))))
    group = 1 if rng.random() < _ONE_OF_SEVERAL else None
    roster = look.rosters[franchise]
    chosen = []
    for footballer in targets:
        drop = None if len(roster) < look.room else _weakest(rng, look, roster, footballer)
        bid = rng.randint(0, min(_MOST_BID, look.budgets.get(franchise, 0)))
        chosen.append(Wish(footballer, drop, bid, group))
    return chosen


def _weakest(rng: Random, look: Look, roster: Sequence[str], coming: str) -> str:
    """One of the worst of the position, or of the whole team."""
    position = look.positions[coming]
    same = [each for each in roster if look.positions[each] == position]
    worst = look.best(same if len(same) > 1 else roster)[-2:]
    return rng.choice(worst)


def trade(rng: Random, look: Look, sides: tuple[int, int], picks: Sequence[PickMove]) -> Terms:
    """Offer somebody for the nearest in rating of the other team, now and then with an extra.

    `picks`: future picks that the second side could give to the first.
    """
    first, second = sides
    give = rng.choice(look.rosters[first])
    take = min(
        look.rosters[second],
        key=lambda each: (
            look.positions[each] != look.positions[give],
            abs(look.rating(each) - look.rating(give)),
            each,
        ),
    )
    gifts = [FootballerGift(give, first, second), FootballerGift(take, second, first)]
    extra = rng.choice(("", "", "footballer", "budget", "pick"))
    if extra == "footballer":
        weakest = look.best([each for each in look.rosters[first] if each != give])[-1]
        gifts.append(FootballerGift(weakest, first, second))
    budgets: tuple[BudgetGift, ...] = ()
    if extra == "budget" and look.budgets.get(first, 0):
        budgets = (BudgetGift(rng.randint(1, min(10, look.budgets[first])), first, second),)
    return Terms(tuple(gifts), tuple(picks[:1]) if extra == "pick" else (), budgets)


def drops_for(look: Look, terms: Terms, franchise: int) -> tuple[str, ...]:
    """Whom a team drops to have room for what a trade brings it."""
    traded_away = {
        gift.footballer_id for gift in terms.footballers if gift.from_franchise == franchise
    }
    coming = sum(gift.to_franchise == franchise for gift in terms.footballers)
    stay = [each for each in look.rosters[franchise] if each not in traded_away]
    too_many = max(0, len(stay) + coming - look.room)
    return tuple(look.best(stay)[len(stay) - too_many :])

"""What a team sheet is judged by, and what it costs: money and transfers (PRODUCT B2).

Pure: values in, values out.

Not here: refusals (rules.py), where the values come from and who writes (services.py).

Money is in tenths of a million. A player who stays keeps the purchase price; one who is sold brings
that and half of the gain since, rounded down to a tenth (a loss counts in full); one who is bought
costs today's price. All of it is computed from the team sheet of the gameweek before, so that the
order of changes to a draft never matters. Source: the rules of Fantasy Premier League, 2025/26
(selling prices, transfers saved up).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.fantasy.market.formats import Format
from app.fantasy.market.statuses import LEFT


@dataclass(frozen=True)
class Limits:
    """Of models.TeamRules.

    `transfer_cost`: thousandths of a point for each transfer beyond the free ones.
    """

    budget: int
    club_limit: int
    free_transfers: int | None
    bank_limit: int
    transfer_cost: int


@dataclass(frozen=True)
class Candidate:
    """A player as the market has them. `price` None: not on this season's market.

    `has_begun`: a game that they were in has kicked off in this gameweek, whatever their club is
    now.
    """

    id: str
    name: str
    position: str
    club_id: str | None
    club: str
    price: int | None
    status: str = "available"
    has_begun: bool = False

    @property
    def is_for_sale(self) -> bool:
        return self.price is not None and self.status != LEFT


@dataclass(frozen=True)
class Wanted:
    """What a member wants to save.

    Ids by place ('' for an empty place), and two places, from 1 (0: none chosen).

    `version`: of the sheet that they changed (0: none saved yet); None: whatever is there is
    replaced.
    """

    picks: tuple[str, ...]
    captain: int
    vice_captain: int
    version: int | None = None


@dataclass(frozen=True)
class PreviousSheet:
    """The last team sheet before this gameweek's.

    `gameweeks_ago`: 1, or more where gameweeks in between have none.
    """

    picks: tuple[str, ...]
    purchase_prices: tuple[int, ...]
    bank: int
    free_transfers: int | None
    transfers: int
    gameweeks_ago: int = 1


@dataclass(frozen=True)
class CurrentSheet:
    """What is saved, or will be carried over, for this gameweek.

    `version` is 0 while nobody has saved it.
    """

    picks: tuple[str, ...]
    purchase_prices: tuple[int, ...]
    captain: int
    vice_captain: int
    bank: int
    version: int


@dataclass(frozen=True)
class Costs:
    """What a team sheet costs.

    `purchase_prices` by place, 0 for an empty one; `bank`: money left, may be negative.

    `free_transfers`: how many this gameweek has to give, None without limit; `transfer_cost`:
    thousandths of a point.
    """

    purchase_prices: tuple[int, ...]
    bank: int
    free_transfers: int | None
    transfers: int
    transfer_cost: int


@dataclass(frozen=True)
class SheetContext:
    """All that a wanted sheet is judged by.

    `closed`: why this gameweek takes no sheets, in a sentence; '' if it does.

    `locks_each`: players lock one by one at their kickoffs. `market` has every player who is named
    in anything here.
    """

    format: Format
    limits: Limits
    market: Mapping[str, Candidate]
    previous: PreviousSheet | None
    current: CurrentSheet | None
    locks_each: bool = False
    closed: str = ""
    gameweek_id: int = 0
    locks_at: datetime | None = None


def sale_price(purchase_price: int, price: int | None) -> int:
    """What a player is sold for. Who left the market is sold for their purchase price.

    >>> [sale_price(50, price) for price in (53, 54, 50, 47, None)]
    [51, 52, 50, 47, 50]
    """
    if price is None:
        return purchase_price
    return purchase_price + (price - purchase_price) // 2 if price > purchase_price else price


def free_transfers(previous: PreviousSheet | None, limits: Limits) -> int | None:
    """How many this gameweek has to give.

    What was left over and the new ones, up to the bank limit.

    None (no limit, no cost) for a first team sheet; after it just the new ones. A bank limit below
    the new ones means that nothing is saved up, not that there are fewer.

    >>> two = Limits(1000, 3, 2, 5, 4000)
    >>> before = [(None, 0), (2, 0), (4, 1), (2, 5)]
    >>> [free_transfers(PreviousSheet((), (), 0, had, made), two) for had, made in before]
    [2, 4, 5, 2]
    """
    if previous is None or limits.free_transfers is None:
        return None
    new = limits.free_transfers
    most = max(new, limits.bank_limit)
    free = (
        new
        if previous.free_transfers is None
        else min(most, max(0, previous.free_transfers - previous.transfers) + new)
    )
    for _ in range(previous.gameweeks_ago - 1):
        free = min(most, free + new)
    return free


def costs_of(picks: Sequence[str], context: SheetContext) -> Costs:
    """What these picks cost; players without a price cost nothing (`refusals` refuses them).

    Picks of the very players who are saved already change no money, even if prices have moved
    since.
    """
    limits, previous, current = context.limits, context.previous, context.current
    free = free_transfers(previous, limits)
    owned = dict(zip(previous.picks, previous.purchase_prices, strict=True)) if previous else {}
    owned.pop("", None)
    transfers = len({one for one in picks if one} - set(owned)) if previous else 0
    transfer_cost = 0 if free is None else max(0, transfers - free) * limits.transfer_cost
    if current and sorted(current.picks) == sorted(picks):
        bought = dict(zip(current.picks, current.purchase_prices, strict=True))
        return Costs(
            tuple(bought[one] for one in picks), current.bank, free, transfers, transfer_cost
        )
    prices = {one.id: one.price for one in context.market.values()}
    purchase_prices = tuple(owned.get(one, prices.get(one) or 0) if one else 0 for one in picks)
    bank = previous.bank if previous else limits.budget
    bank += sum(
        sale_price(bought_at, prices.get(one))
        for one, bought_at in owned.items()
        if one not in picks
    )
    bank -= sum(
        price
        for one, price in dict(zip(picks, purchase_prices, strict=True)).items()
        if one not in owned
    )
    return Costs(purchase_prices, bank, free, transfers, transfer_cost)

"""The values by which a team sheet is judged, and its costs in money and transfers. Pure.

Money is in tenths of a million. A footballer who stays keeps the purchase price. One who is sold
brings that and half of the gain since, rounded down to a tenth; a loss counts in full. One who is
bought costs today's price. Everything is computed from the team sheet of the gameweek before, so
the order of changes to a draft does not matter. Source: PRODUCT B2 and the rules of Fantasy Premier
League, 2025/26 (selling prices, transfers saved up).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.fantasy.market.formats import Format
from app.fantasy.market.statuses import LEFT

# Line-ups of draft leagues have no captains, but the columns of a sheet name two places.
NO_CAPTAINS = (1, 2)


@dataclass(frozen=True)
class Limits:
    """The limits that models.TeamRules sets.

    `transfer_cost`: thousandths of a point for each transfer beyond the free ones.
    """

    budget: int
    club_limit: int
    free_transfers: int | None
    bank_limit: int
    transfer_cost: int


@dataclass(frozen=True)
class Candidate:
    """A footballer as the market has them.

    Attributes:
        price: None if they are not on this season's market.
        has_begun: Whether a game that they were in has kicked off in this gameweek, whatever their
            club is now.
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
        """Whether the footballer can be bought."""
        return self.price is not None and self.status != LEFT


@dataclass(frozen=True)
class Draft:
    """A team sheet that a member wants to save.

    Attributes:
        picks: The footballers by place; '' for an empty place.
        captain: The captain's place from 1; 0 for none.
        vice_captain: The vice-captain's place from 1; 0 for none.
        version: The version of the sheet that was changed; 0 if none was saved. None replaces any.
        base: The sheet that was changed. With it the draft is merged with a newer version.
    """

    picks: tuple[str, ...]
    captain: int
    vice_captain: int
    version: int | None = None
    base: Draft | None = None


@dataclass(frozen=True)
class PreviousSheet:
    """The last team sheet before this gameweek's.

    `gameweeks_ago`: 1, or more if there was no sheet in between.
    """

    picks: tuple[str, ...]
    purchase_prices: tuple[int, ...]
    bank: int
    free_transfers: int | None
    transfers: int
    gameweeks_ago: int = 1


@dataclass(frozen=True)
class CurrentSheet:
    """The sheet that is saved or will be carried over for this gameweek.

    `version` is 0 until somebody saves it.
    """

    picks: tuple[str, ...]
    purchase_prices: tuple[int, ...]
    captain: int
    vice_captain: int
    bank: int
    version: int

    @property
    def draft(self) -> Draft:
        """The sheet as a draft that changes nothing."""
        return Draft(self.picks, self.captain, self.vice_captain, self.version)


@dataclass(frozen=True)
class Costs:
    """The costs of a team sheet.

    Attributes:
        purchase_prices: The prices paid by place; 0 for an empty place.
        bank: The money left, which may be negative.
        free_transfers: How many transfers are free in this gameweek; None for no limit.
        transfer_cost: In thousandths of a point.
    """

    purchase_prices: tuple[int, ...]
    bank: int
    free_transfers: int | None
    transfers: int
    transfer_cost: int


@dataclass(frozen=True)
class SheetContext:
    """Everything by which a draft is judged.

    Attributes:
        market: Every footballer whom the draft or one of the sheets names.
        locks_each: Whether footballers lock one by one at their kickoffs.
        closed: Why this gameweek takes no sheets, in a sentence; empty if it does.
        roster: In a draft league, everybody who may be on the line-up; None for the whole market.
        counts_moved: Whether games that were moved to this gameweek count.
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
    roster: frozenset[str] | None = None
    counts_moved: bool = True


def sale_price(purchase_price: int, price: int | None) -> int:
    """What a footballer is sold for; one who left the market brings the purchase price.

    >>> [sale_price(50, price) for price in (53, 54, 50, 47, None)]
    [51, 52, 50, 47, 50]
    """
    if price is None:
        return purchase_price
    return purchase_price + (price - purchase_price) // 2 if price > purchase_price else price


def worth(candidate: Candidate, context: SheetContext) -> int:
    """What a player of last gameweek's team is sold for, or what another one costs."""
    previous = context.previous
    if previous is not None and candidate.id in previous.picks:
        return sale_price(
            previous.purchase_prices[previous.picks.index(candidate.id)], candidate.price
        )
    return candidate.price or 0


def free_transfers(previous: PreviousSheet | None, limits: Limits) -> int | None:
    """How many transfers are free: the new ones and those left over, up to the bank limit.

    For a first team sheet it is None, which means no limit and no cost; after it, just the new
    ones. A bank limit below the new ones means that nothing is saved up, not that there are fewer.

    >>> two = Limits(1000, 3, 2, 5, 4000)
    >>> before = [(None, 0), (2, 0), (4, 1), (2, 5)]
    >>> [free_transfers(PreviousSheet((), (), 0, had, made), two) for had, made in before]
    [2, 4, 5, 2]
    """
    if previous is None or limits.free_transfers is None:
        return None
    new = limits.free_transfers
    most = max(new, limits.bank_limit)
    free = new
    if previous.free_transfers is not None:
        free = min(most, max(0, previous.free_transfers - previous.transfers) + new)
    for _ in range(previous.gameweeks_ago - 1):
        free = min(most, free + new)
    return free


def costs_of(picks: Sequence[str], context: SheetContext) -> Costs:
    """The costs of these picks.

    Footballers without a price cost nothing; `rules.refusals` refuses them. The picks of the saved
    sheet cost what they cost then, even if prices have moved since. Line-ups of draft leagues cost
    nothing.
    """
    if context.format.is_draft:
        return Costs((0,) * len(picks), 0, None, 0, 0)
    limits, previous, current = context.limits, context.previous, context.current
    free = free_transfers(previous, limits)
    owned = dict(zip(previous.picks, previous.purchase_prices, strict=True)) if previous else {}
    owned.pop("", None)
    transfers = len({pick for pick in picks if pick} - set(owned)) if previous else 0
    transfer_cost = 0 if free is None else max(0, transfers - free) * limits.transfer_cost
    if current and sorted(current.picks) == sorted(picks):
        bought = dict(zip(current.picks, current.purchase_prices, strict=True))
        return Costs(
            tuple(bought[pick] for pick in picks), current.bank, free, transfers, transfer_cost
        )
    prices = {candidate.id: candidate.price for candidate in context.market.values()}
    purchase_prices = tuple(owned.get(pick, prices.get(pick) or 0) if pick else 0 for pick in picks)
    bank = previous.bank if previous else limits.budget
    bank += sum(
        sale_price(bought_at, prices.get(footballer_id))
        for footballer_id, bought_at in owned.items()
        if footballer_id not in picks
    )
    bank -= sum(
        price
        for pick, price in dict(zip(picks, purchase_prices, strict=True)).items()
        if pick not in owned
    )
    return Costs(purchase_prices, bank, free, transfers, transfer_cost)

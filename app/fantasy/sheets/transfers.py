"""What a team sheet is judged by, and what it costs: money and transfers (PRODUCT B2). Pure: values in, values out.

Not here: refusals (rules.py), where the values come from and who writes (services.py).

Money is in tenths of a million. A footballer who stays keeps what he cost when he was bought; one who goes brings that
and half of what he has gained since, rounded down to a tenth (a loss counts in full); one who comes costs his price of
today. All of it is reckoned from the team sheet of the gameweek before, so that the way to a team sheet never matters.
Source: the rules of Fantasy Premier League, 2025/26 (selling prices, transfers saved up).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.fantasy.market.formats import Format
from app.fantasy.market.statuses import LEFT


@dataclass(frozen=True)
class Limits:
    """Of models.TeamRules. `transfer_cost`: thousandths of a point for each transfer beyond the free ones."""

    budget: int
    club_limit: int
    free_transfers: int | None
    bank_limit: int
    transfer_cost: int


@dataclass(frozen=True)
class Candidate:
    """A footballer as the market has him. `price` None: he is not on this season's market.

    `has_begun`: a game of his in this gameweek has kicked off.
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
    """What somebody wants to save: ids by place ('' where nobody stands), and two places, from 1 (0: none chosen).

    `edition`: of the sheet that he had before him (0: none saved yet); None: whatever is there is to be replaced.
    """

    picks: tuple[str, ...]
    captain: int
    vice_captain: int
    edition: int | None = None


@dataclass(frozen=True)
class Earlier:
    """The team sheet before this gameweek's. `gameweeks_ago`: 1 for last gameweek's; more when some have none."""

    picks: tuple[str, ...]
    paid: tuple[int, ...]
    bank: int
    free_transfers: int | None
    transfers: int
    gameweeks_ago: int = 1


@dataclass(frozen=True)
class Present:
    """What is saved, or carried over, for this gameweek. `edition` is 0 while nobody has saved it."""

    picks: tuple[str, ...]
    paid: tuple[int, ...]
    captain: int
    vice_captain: int
    bank: int
    edition: int


@dataclass(frozen=True)
class Account:
    """What a team sheet comes to. `paid` by place, 0 where nobody stands; `bank` below 0: too dear.

    `free_transfers`: how many this gameweek had to give, None without limit; `cost`: thousandths of a point.
    """

    paid: tuple[int, ...]
    bank: int
    free_transfers: int | None
    transfers: int
    cost: int


@dataclass(frozen=True)
class Situation:
    """All that a wanted sheet is judged by. `closed`: the sentence that says why this gameweek takes no sheets.

    `locks_each`: footballers lock one by one at their kickoffs. `market` has everybody who is named in anything here.
    """

    format: Format
    limits: Limits
    market: Mapping[str, Candidate]
    before: Earlier | None
    present: Present | None
    locks_each: bool = False
    closed: str = ""


def sale_price(paid: int, price: int | None) -> int:
    """What a footballer brings. One who left the market brings what he cost.

    >>> [sale_price(50, price) for price in (53, 54, 50, 47, None)]
    [51, 52, 50, 47, 50]
    """
    if price is None:
        return paid
    return paid + (price - paid) // 2 if price > paid else price


def free_transfers(before: Earlier | None, limits: Limits) -> int | None:
    """How many this gameweek has to give: what was left over and the new ones, up to the bank limit.

    None (no limit, no cost) for a first team sheet; after it just the new ones. A bank limit below the new ones means
    that nothing is saved up, not that there are fewer.

    >>> two = Limits(1000, 3, 2, 5, 4000)
    >>> [free_transfers(Earlier((), (), 0, had, made), two) for had, made in ((None, 0), (2, 0), (4, 1), (2, 5))]
    [2, 4, 5, 2]
    """
    if before is None or limits.free_transfers is None:
        return None
    new = limits.free_transfers
    most = max(new, limits.bank_limit)
    free = new if before.free_transfers is None else min(most, max(0, before.free_transfers - before.transfers) + new)
    for _ in range(before.gameweeks_ago - 1):
        free = min(most, free + new)
    return free


def account(picks: Sequence[str], situation: Situation) -> Account:
    """What these picks come to; footballers without a price cost nothing (`refusals` refuses them).

    Picks of the very footballers who are saved already change no money, even if prices have moved since.
    """
    limits, before, present, market = situation.limits, situation.before, situation.present, situation.market
    free = free_transfers(before, limits)
    held = dict(zip(before.picks, before.paid, strict=True)) if before else {}
    held.pop("", None)
    transfers = len({one for one in picks if one} - set(held)) if before else 0
    cost = 0 if free is None else max(0, transfers - free) * limits.transfer_cost
    if present and sorted(present.picks) == sorted(picks):
        paid_for = dict(zip(present.picks, present.paid, strict=True))
        return Account(tuple(paid_for[one] for one in picks), present.bank, free, transfers, cost)
    prices = {one.id: one.price for one in market.values()}
    paid = tuple(held.get(one, prices.get(one) or 0) if one else 0 for one in picks)
    bank = before.bank if before else limits.budget
    bank += sum(sale_price(was, prices.get(one)) for one, was in held.items() if one not in picks)
    bank -= sum(price for one, price in dict(zip(picks, paid, strict=True)).items() if one not in held)
    return Account(paid, bank, free, transfers, cost)

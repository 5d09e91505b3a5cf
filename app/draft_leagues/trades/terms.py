"""What a trade moves between franchises, and what is wrong with it. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from app.core.bidi import with_period
from app.core.refusals import Refusal
from app.draft_leagues.settings import TradeSettings
from app.fantasy.rosters.rules import (
    BudgetMove,
    Franchise,
    Move,
    Names,
    PickKey,
    PickMove,
    Place,
    Rosters,
    Transaction,
    applied,
)


class FootballerGift(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A footballer goes from one franchise to another."""

    footballer_id: str
    from_franchise: Franchise
    to_franchise: Franchise


class BudgetGift(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Waiver budget goes from one franchise to another, in whole units."""

    amount: Annotated[int, Meta(ge=1, le=10_000)]
    from_franchise: Franchise
    to_franchise: Franchise


class Terms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that a trade moves."""

    footballers: tuple[FootballerGift, ...] = ()
    picks: tuple[PickMove, ...] = ()
    budgets: tuple[BudgetGift, ...] = ()

    @property
    def gifts(self) -> tuple[FootballerGift | PickMove | BudgetGift, ...]:
        """All that is given, whatever it is."""
        return (*self.footballers, *self.picks, *self.budgets)

    @property
    def franchises(self) -> tuple[int, ...]:
        """Everybody who gives or gets something, in order."""
        givers = {gift.from_franchise for gift in self.gifts}
        return tuple(sorted(givers | {gift.to_franchise for gift in self.gifts}))


@dataclass(frozen=True)
class PickRange:
    """Which picks there are.

    Attributes:
        rounds: By season, how many rounds its draft has.
        used: Picks of a draft that is on and has come to them, with a sentence that says so.
    """

    rounds: Mapping[int, int]
    used: Mapping[PickKey, str] = field(default_factory=dict)

    def __contains__(self, key: PickKey) -> bool:
        """Whether this pick can be traded."""
        season, round_number, _ = key
        return key not in self.used and 1 <= round_number <= self.rounds.get(season, 0)


def terms_refusals(
    terms: Terms, settings: TradeSettings, franchises: Collection[int], picks: PickRange
) -> list[Refusal]:
    """Everything that is wrong with the terms themselves, whoever owns what."""
    return [
        *_of_parties(terms, franchises),
        *_of_kinds(terms, settings),
        *pick_refusals(terms, picks),
    ]


def _of_parties(terms: Terms, franchises: Collection[int]) -> Iterator[Refusal]:
    if not terms.gifts:
        yield Refusal("nothing", "footballers", "Choose what each team gives.")
    if not set(terms.franchises) <= set(franchises):
        yield Refusal("franchise", "franchises", "Choose teams of this league.")
    if any(gift.from_franchise == gift.to_franchise for gift in terms.gifts):
        yield Refusal("same", "footballers", "A team can't trade with itself. Choose another team.")
    things = [gift.footballer_id for gift in terms.footballers]
    things += [f"pick {pick.key}" for pick in terms.picks]
    if any(count > 1 for count in Counter(things).values()):
        yield Refusal("twice", "footballers", "List each player and each pick once.")


def _of_kinds(terms: Terms, settings: TradeSettings) -> Iterator[Refusal]:
    if terms.picks and not settings.with_picks:
        yield Refusal("picks", "picks", "This league doesn't allow trading picks. Remove them.")
    if terms.budgets and not settings.with_budget:
        yield Refusal(
            "budgets", "budgets", "This league doesn't allow trading waiver budget. Remove it."
        )


def pick_refusals(terms: Terms, picks: PickRange) -> list[Refusal]:
    """What is wrong with the picks: there is no such draft or round, or they have been used."""
    used = [picks.used[pick.key] for pick in terms.picks if pick.key in picks.used]
    if used:
        return [Refusal("pick_used", "picks", text) for text in used]
    if all(pick.key in picks for pick in terms.picks):
        return []
    if not picks.rounds:
        return [Refusal("pick", "picks", "This league has no future picks. Remove them.")]
    drafts = "; ".join(f"{season}, rounds 1 to {most}" for season, most in picks.rounds.items())
    return [Refusal("pick", "picks", f"You can trade these picks: {drafts}.")]


@dataclass(frozen=True)
class AgreedTrade:
    """A trade that everybody has accepted.

    Attributes:
        drops: Whom each franchise drops to make room.
        agreed_by: The member who accepted last.
    """

    id: int
    terms: Terms
    drops: Mapping[int, Collection[str]]
    agreed_by: int | None
    reason: str = ""


def transaction_of(trade: AgreedTrade, places: Mapping[str, Place]) -> Transaction:
    """The entry of the log by which a trade takes effect.

    A drop only makes room: who has left the franchise by now is not dropped any more.

    `places`: where footballers are now. They come to the active roster of their new franchise.
    """

    def move(footballer_id: str, from_franchise: int, to_franchise: int | None) -> Move:
        place = places.get(footballer_id)
        from_spot = place.spot if place is not None else "active"
        return Move(footballer_id, from_franchise, to_franchise, from_spot=from_spot)

    gifts = [
        move(gift.footballer_id, gift.from_franchise, gift.to_franchise)
        for gift in trade.terms.footballers
    ]
    drops = [
        move(footballer_id, franchise, None)
        for franchise, dropped in sorted(trade.drops.items())
        for footballer_id in dropped
        if footballer_id in places and places[footballer_id].franchise == franchise
    ]
    budgets = Counter[int]()
    for gift in trade.terms.budgets:
        budgets[gift.from_franchise] -= gift.amount
        budgets[gift.to_franchise] += gift.amount
    return Transaction(
        "traded",
        (*gifts, *drops),
        tuple(BudgetMove(franchise, amount) for franchise, amount in sorted(budgets.items())),
        trade.terms.picks,
        by_member_id=trade.agreed_by,
        reason=trade.reason,
        source=f"trade:{trade.id}",
    )


def drop_refusals(
    drops: Collection[str], franchise: int, places: Mapping[str, Place]
) -> list[Refusal]:
    """Why a franchise cannot name these footballers as those whom it drops."""
    owners = {places[each].franchise if each in places else None for each in drops}
    if owners <= {franchise}:
        return []
    return [Refusal("drop", "drop", "Choose a player on your own team to drop.")]


def gone(trade: Transaction, rosters: Rosters, names: Names) -> list[str]:
    """Why a trade cannot take effect any more: what is not where the trade takes it from."""
    sentences = []
    for move in trade.moves:
        place = rosters.places.get(move.footballer_id)
        if place is None:
            sentences.append(f"{names.footballer(move.footballer_id)} is now a free agent.")
        elif place.franchise != move.from_franchise:
            sentences.append(
                with_period(
                    f"{names.footballer(move.footballer_id)} is now on "
                    f"{names.franchise(place.franchise)}"
                )
            )
    for pick in trade.picks:
        owner = rosters.owner_of_pick(pick.key)
        if owner != pick.from_franchise:
            sentences.append(
                with_period(
                    f"The {pick.season} round {pick.round} pick now belongs to "
                    f"{names.franchise(owner)}"
                )
            )
    return sentences


@dataclass(frozen=True)
class Balance:
    """Projected points of the season that a franchise gains and loses, in thousandths."""

    gained: int
    lost: int

    @property
    def difference(self) -> int:
        """More than 0 if it gains."""
        return self.gained - self.lost


def balances(
    terms: Terms, drops: Mapping[int, Collection[str]], points: Mapping[str, int]
) -> dict[int, Balance]:
    """What a trade gains and costs each franchise. Picks and budget have no points.

    `points`: projected, by footballer, in thousandths; who is missing has none.

    >>> terms = Terms((FootballerGift("kelce", 1, 2), FootballerGift("hill", 2, 1)))
    >>> balances(terms, {}, {"kelce": 90_000, "hill": 120_000})[1]
    Balance(gained=120000, lost=90000)
    """
    gained, lost = Counter[int](), Counter[int]()
    for gift in terms.footballers:
        lost[gift.from_franchise] += points.get(gift.footballer_id, 0)
        gained[gift.to_franchise] += points.get(gift.footballer_id, 0)
    for franchise, dropped in drops.items():
        lost[franchise] += sum(points.get(footballer_id, 0) for footballer_id in dropped)
    return {
        franchise: Balance(gained[franchise], lost[franchise]) for franchise in terms.franchises
    }


def deadline_refusal(deadline: datetime | None, effective_at: datetime) -> Refusal | None:
    """Why a trade that takes effect then is too late; None if it is not.

    `deadline`: that of the last gameweek before which trades take effect; None for none.
    """
    if deadline is None or effective_at < deadline:
        return None
    return Refusal(
        "deadline",
        "",
        "This trade would go through after the trade deadline. Ask the commissioner.",
    )


def room_refusals(
    before: Rosters, trade: Transaction, most_active: int, names: Mapping[int, str]
) -> dict[int, Refusal]:
    """Why each franchise would have too many active footballers after a trade.

    A roster that was too large before may stay so, but not grow.

    Args:
        before: What franchises have now.
        trade: The trade, with all drops.
        most_active: The most active footballers of a roster.
        names: Of the franchises.
    """
    after = applied(before, trade)
    refused = {}
    for franchise in trade.franchises:
        old = sum(place.spot == "active" for place in before.of(franchise).values())
        new = sum(place.spot == "active" for place in after.of(franchise).values())
        if new > max(old, most_active):
            refused[franchise] = Refusal(
                "active_full",
                "drop",
                f"{names[franchise]} would have {new} active players, but the limit is "
                f"{most_active}. Choose {new - max(old, most_active)} to drop.",
            )
    return refused

"""Transactions of a draft league, and the rosters that they add up to. Pure.

A transaction is a fact: it is never changed, only reversed by another one. It moves footballers
between franchises (or from and to nobody), waiver budget, and picks of later drafts. Rosters at any
moment are the fold of all transactions until then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from app.core.refusals import Refusal

Kind = Literal[
    "drafted",
    "kept",
    "added",
    "dropped",
    "claimed",
    "traded",
    "reserve",
    "taxi",
    "activated",
    "budget",
    "commissioner",
    "reversed",
]
Spot = Literal["active", "reserve", "taxi"]
ACTIVE: Spot = "active"
Franchise = Annotated[int, Meta(ge=1, le=32)]
PickKey = tuple[int, int, int]
"""A pick of a draft: the season, the round, and the franchise that had it first."""

_SPOT_WORDS: Mapping[Spot, str] = {
    "active": "active players",
    "reserve": "players on injured reserve",
    "taxi": "players on the taxi squad",
}

# Kinds of acts of members that take somebody from a roster or move them within it.
_LOCKED_KINDS: frozenset[Kind] = frozenset(
    {"added", "dropped", "claimed", "reserve", "taxi", "activated"}
)


class Move(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A footballer moves between franchises, or within one to another kind of place.

    None stands for nobody: a free agent. `spot` is the place at the new franchise. `from_spot` is
    the place at the old one, which a reversal needs.
    """

    footballer_id: str
    from_franchise: Franchise | None
    to_franchise: Franchise | None
    spot: Spot = ACTIVE
    from_spot: Spot = ACTIVE


class BudgetMove(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A franchise's waiver budget rises by `amount`, in whole units; less than 0 if it falls."""

    franchise: Franchise
    amount: int


class PickMove(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A pick of a draft changes hands. `original_franchise` had it first."""

    season: int
    round: Annotated[int, Meta(ge=1, le=50)]
    original_franchise: Franchise
    from_franchise: Franchise
    to_franchise: Franchise

    @property
    def key(self) -> PickKey:
        """Which pick it is."""
        return self.season, self.round, self.original_franchise


class Transaction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An act that moves something between franchises.

    Attributes:
        by_member_id: Who did it; None for a rule, such as an automatic pick.
        reason: Why, in the words of whoever did it or of the rule.
        depends_on: The number of the transaction that it reverses.
        source: What it comes from, such as `draft:7:31`, `waivers:12` or `trade:4`. It is unique in
            a league, so that an act which is repeated after a crash is recorded once; None for an
            act that may be repeated.
    """

    kind: Kind
    moves: tuple[Move, ...] = ()
    budgets: tuple[BudgetMove, ...] = ()
    picks: tuple[PickMove, ...] = ()
    by_member_id: int | None = None
    reason: str = ""
    depends_on: int | None = None
    source: str | None = None

    @property
    def franchises(self) -> tuple[int, ...]:
        """Every franchise that it concerns, in order."""
        named = {
            *(move.from_franchise for move in self.moves),
            *(move.to_franchise for move in self.moves),
            *(move.franchise for move in self.budgets),
            *(move.from_franchise for move in self.picks),
            *(move.to_franchise for move in self.picks),
        }
        return tuple(sorted(number for number in named if number is not None))


@dataclass(frozen=True)
class Limits:
    """The most footballers of each kind that a roster holds."""

    active: int
    reserve: int
    taxi: int


@dataclass(frozen=True)
class Place:
    """Where a footballer is: a franchise, and the kind of place on its roster."""

    franchise: int
    spot: Spot = ACTIVE


@dataclass(frozen=True)
class Rosters:
    """Everything that franchises have.

    Attributes:
        places: By footballer; who is missing is free.
        budgets: The waiver budget by franchise, in whole units; nothing is 0.
        picks: Who owns a pick that changed hands; other picks belong to their original franchise.
    """

    places: Mapping[str, Place] = field(default_factory=dict)
    budgets: Mapping[int, int] = field(default_factory=dict)
    picks: Mapping[PickKey, int] = field(default_factory=dict)

    def of(self, franchise: int) -> dict[str, Place]:
        """The footballers of one franchise, in the order in which they came."""
        return {
            footballer: place
            for footballer, place in self.places.items()
            if place.franchise == franchise
        }

    def owner_of_pick(self, key: PickKey) -> int:
        """The franchise that makes this pick."""
        return self.picks.get(key, key[2])


def applied(rosters: Rosters, transaction: Transaction) -> Rosters:
    """The rosters after a transaction that `refusals` finds nothing wrong with.

    >>> drafted = Transaction("drafted", (Move("kelce", None, 2),))
    >>> applied(Rosters(), drafted).places
    {'kelce': Place(franchise=2, spot='active')}
    """
    places = dict(rosters.places)
    for move in transaction.moves:
        places.pop(move.footballer_id, None)
    for move in transaction.moves:
        if move.to_franchise is not None:
            places[move.footballer_id] = Place(move.to_franchise, move.spot)
    budgets = dict(rosters.budgets)
    for budget in transaction.budgets:
        budgets[budget.franchise] = budgets.get(budget.franchise, 0) + budget.amount
    picks = dict(rosters.picks)
    for pick in transaction.picks:
        picks[pick.key] = pick.to_franchise
    return Rosters(places, budgets, picks)


def folded(transactions: Iterable[Transaction]) -> Rosters:
    """The rosters after these transactions, in their order."""
    rosters = Rosters()
    for transaction in transactions:
        rosters = applied(rosters, transaction)
    return rosters


@dataclass(frozen=True)
class Names:
    """What footballers and franchises are called in sentences."""

    footballers: Mapping[str, str] = field(default_factory=dict)
    franchises: Mapping[int, str] = field(default_factory=dict)

    def footballer(self, footballer_id: str) -> str:
        """The footballer's name; an id without one stands for itself."""
        return self.footballers.get(footballer_id, footballer_id)

    def franchise(self, number: int) -> str:
        """The team's name; its number if it has none."""
        return self.franchises.get(number, f"Team {number}")


def refusals(
    rosters: Rosters, transaction: Transaction, limits: Limits, names: Names
) -> list[Refusal]:
    """Every reason why this transaction cannot take effect now; none if it can.

    Limits hold after the whole transaction. A roster that was over a limit before (because of a
    change of settings) may stay so, but not grow.

    Args:
        rosters: What franchises have now.
        transaction: The act.
        limits: The sizes of a roster.
        names: For the sentences.
    """
    refused = [*_of_owners(rosters, transaction, names)]
    if refused:
        return refused
    after = applied(rosters, transaction)
    refused += _of_sizes(rosters, after, transaction, limits, names)
    for franchise, amount in after.budgets.items():
        if amount < 0 and amount < rosters.budgets.get(franchise, 0):
            refused.append(
                Refusal(
                    "budget",
                    "budget",
                    f"{names.franchise(franchise)} has only {rosters.budgets.get(franchise, 0)} of "
                    "its waiver budget left. Offer less.",
                )
            )
    return refused


def lock_refusals(transaction: Transaction, begun: Collection[str], names: Names) -> list[Refusal]:
    """Why members cannot do this while games are on.

    Who is dropped, or moved to another place of the roster, locks at the kickoff until the
    gameweek's last game has begun. Of a trade only its drops do. Commissioners' acts are not bound
    by it: the line-up keeps whoever has begun.
    """
    return [
        Refusal(
            "begun",
            "drop",
            f"{names.footballer(move.footballer_id)}'s game has started, so they are locked until "
            "the week is over.",
        )
        for move in transaction.moves
        if move.from_franchise is not None
        and move.footballer_id in begun
        and _locks(transaction.kind, move)
    ]


def _locks(kind: Kind, move: Move) -> bool:
    return kind in _LOCKED_KINDS or (kind == "traded" and move.to_franchise is None)


def _of_owners(rosters: Rosters, transaction: Transaction, names: Names) -> Iterable[Refusal]:
    twice = [
        footballer
        for footballer, count in Counter(move.footballer_id for move in transaction.moves).items()
        if count > 1
    ]
    for footballer in twice:
        yield Refusal(
            "twice",
            "footballers",
            f"{names.footballer(footballer)} is listed twice. List each player once.",
        )
    for move in transaction.moves:
        place = rosters.places.get(move.footballer_id)
        owner = place.franchise if place else None
        if owner != move.from_franchise:
            name = names.footballer(move.footballer_id)
            now = f"now belongs to {names.franchise(owner)}" if owner else "is now a free agent"
            yield Refusal(
                "moved",
                "footballers",
                f"{name} {now}. Choose another player.",
            )
    for pick in transaction.picks:
        if rosters.owner_of_pick(pick.key) != pick.from_franchise:
            yield Refusal(
                "pick_moved",
                "picks",
                f"The round {pick.round} pick in {pick.season} has changed hands. "
                "Choose another pick.",
            )


def _of_sizes(
    before: Rosters, after: Rosters, transaction: Transaction, limits: Limits, names: Names
) -> Iterable[Refusal]:
    most: Mapping[Spot, int] = {
        "active": limits.active,
        "reserve": limits.reserve,
        "taxi": limits.taxi,
    }
    for franchise in transaction.franchises:
        old = Counter(place.spot for place in before.of(franchise).values())
        new = Counter(place.spot for place in after.of(franchise).values())
        for spot, limit in most.items():
            if new[spot] > limit and new[spot] > old[spot]:
                yield Refusal(
                    f"{spot}_full",
                    "drop",
                    f"{names.franchise(franchise)} would have {new[spot]} {_SPOT_WORDS[spot]}. The "
                    f"limit is {limit}: drop {new[spot] - limit} first.",
                )


def reversal(
    transaction: Transaction, number: int, *, by_member_id: int | None, reason: str
) -> Transaction:
    """The transaction that takes another one back.

    `number`: that of the transaction in the league's log.

    >>> dropped = Transaction("dropped", (Move("kelce", 2, None, from_spot="reserve"),))
    >>> reversal(dropped, 9, by_member_id=1, reason="Sorry").moves[0].to_franchise
    2
    """
    return Transaction(
        "reversed",
        tuple(
            Move(
                move.footballer_id,
                move.to_franchise,
                move.from_franchise,
                spot=move.from_spot,
                from_spot=move.spot,
            )
            for move in transaction.moves
        ),
        tuple(BudgetMove(move.franchise, -move.amount) for move in transaction.budgets),
        tuple(
            PickMove(
                move.season,
                move.round,
                move.original_franchise,
                from_franchise=move.to_franchise,
                to_franchise=move.from_franchise,
            )
            for move in transaction.picks
        ),
        by_member_id=by_member_id,
        reason=reason,
        depends_on=number,
        source=f"reversed:{number}",
    )

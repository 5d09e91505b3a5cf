"""Which claims of a run win, and why. Pure; a dry run is the same computation.

With a priority (rolling, or the reverse of the standings) the franchise with the best priority has
its next claim processed; whoever wins one moves to the end. Blind bids are processed from the
highest to the lowest; of equal bids the better priority comes first and then moves to the end, and
of one franchise's the one that it put first. Sources: the rules of Yahoo (priorities) and Sleeper
(blind bids).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from app.core.bidi import with_period
from app.fantasy.rosters import rules as rosters_rules
from app.fantasy.rosters.rules import (
    BudgetMove,
    Limits,
    Move,
    Names,
    Place,
    Rosters,
    Transaction,
)

Kind = Literal["rolling", "reverse_standings", "blind_bids", "free"]
Result = Literal["won", "lost", "skipped", "impossible"]


@dataclass(frozen=True)
class Claim:
    """A franchise wants a footballer.

    Attributes:
        position: Its place among the franchise's claims, from 1.
        drop_id: Whom the franchise drops for them; None for nobody.
        group: Of the claims of one group only the first that wins counts; None for no group.
    """

    id: int
    franchise: int
    footballer_id: str
    drop_id: str | None
    bid: int
    position: int
    group: int | None = None


@dataclass(frozen=True)
class Outcome:
    """What became of a claim, and why, in a sentence."""

    claim: Claim
    result: Result
    reason: str


@dataclass(frozen=True)
class Run:
    """What a run decides by.

    Attributes:
        priorities: The franchises, the first one first.
        names: Names of franchises, for the sentences.
        footballers: Names of footballers by id.
        begun: Footballers whose game has begun, who cannot be dropped.
        locked: Franchises whose team the commissioner has locked.
        without_owner: Franchises whose owner cannot act, so that their claims do not count.
        fit_on_reserve: Footballers on injured reserve who are fit: their teams get nobody.
    """

    kind: Kind
    rosters: Rosters
    limits: Limits
    priorities: Sequence[int]
    names: Mapping[int, str]
    footballers: Mapping[str, str]
    begun: Collection[str] = ()
    locked: Collection[int] = ()
    without_owner: Collection[int] = ()
    fit_on_reserve: Collection[str] = ()


@dataclass(frozen=True)
class Processed:
    """The outcomes in the order in which they were decided, and what follows from them.

    `transactions`: one for each claim that won, in order. `priorities`: after the run.
    """

    outcomes: tuple[Outcome, ...]
    transactions: tuple[tuple[Claim, Transaction], ...]
    priorities: tuple[int, ...]


def process(claims: Sequence[Claim], run: Run) -> Processed:
    """Decide all claims of a run."""
    return _Processing(run).decide(claims)


class _Processing:
    def __init__(self, run: Run) -> None:
        self.run = run
        self.rosters = run.rosters
        self.priorities = list(run.priorities)
        self.winners: dict[str, Claim] = {}
        self.won_groups: dict[tuple[int, int], Claim] = {}
        self.transactions: list[tuple[Claim, Transaction]] = []
        self.first_places = {number: place for place, number in enumerate(run.priorities, start=1)}

    def decide(self, claims: Sequence[Claim]) -> Processed:
        outcomes = [self._decided(claim) for claim in self._in_turn(list(claims))]
        return Processed(tuple(outcomes), tuple(self.transactions), tuple(self.priorities))

    def _in_turn(self, left: list[Claim]) -> Iterator[Claim]:
        """The claims, each chosen after the one before was decided."""
        while left:
            claim = min(left, key=self._turn)
            left.remove(claim)
            yield claim

    def _turn(self, claim: Claim) -> tuple[int, int, int, int]:
        bid = -claim.bid if self.run.kind == "blind_bids" else 0
        return bid, self.priorities.index(claim.franchise), claim.position, claim.id

    def _decided(self, claim: Claim) -> Outcome:
        if claim.franchise in self.run.without_owner:
            return Outcome(claim, "skipped", "Skipped: the team had no active owner.")
        if claim.group is not None:
            before = self.won_groups.get((claim.franchise, claim.group))
            if before is not None:
                name = self._name(before.footballer_id)
                return Outcome(claim, "skipped", with_period(f"Skipped: you got {name}"))
        winner = self.winners.get(claim.footballer_id)
        if winner is not None:
            return Outcome(claim, "lost", self._lost(claim, winner))
        transaction = self._transaction(claim)
        if (reason := self._why_nobody(claim)) is not None:
            return Outcome(claim, "impossible", reason)
        names = Names(self.run.footballers, self.run.names)
        refused = [
            *rosters_rules.lock_refusals(transaction, self.run.begun, names),
            *self._gone(claim),
        ] or rosters_rules.refusals(self.rosters, transaction, self.run.limits, names)
        if refused:
            return Outcome(claim, "impossible", self._impossible(claim, refused[0].code))
        return self._won(claim, transaction)

    def _why_nobody(self, claim: Claim) -> str | None:
        """Why the team gets nobody now, whomever it claims."""
        if claim.franchise in self.run.locked:
            return "The commissioner had locked the team."
        if (blocking := self._fit_on_reserve(claim)) is not None:
            return f"{self._name(blocking)} was healthy but still on your injured reserve."
        return None

    def _won(self, claim: Claim, transaction: Transaction) -> Outcome:
        reason = self._won_words(claim)
        self.rosters = rosters_rules.applied(self.rosters, transaction)
        self.transactions.append((claim, transaction))
        self.winners[claim.footballer_id] = claim
        if claim.group is not None:
            self.won_groups[claim.franchise, claim.group] = claim
        self.priorities.remove(claim.franchise)
        self.priorities.append(claim.franchise)
        return Outcome(claim, "won", reason)

    def _transaction(self, claim: Claim) -> Transaction:
        moves = [Move(claim.footballer_id, None, claim.franchise)]
        if claim.drop_id is not None:
            place = self.rosters.places.get(claim.drop_id)
            spot = place.spot if place is not None else rosters_rules.ACTIVE
            moves.append(Move(claim.drop_id, claim.franchise, None, from_spot=spot))
        budgets = (BudgetMove(claim.franchise, -claim.bid),) if claim.bid else ()
        return Transaction("claimed", tuple(moves), budgets)

    def _fit_on_reserve(self, claim: Claim) -> str | None:
        """Somebody on the team's injured reserve who is fit, and whom the claim does not drop."""
        for footballer_id in self.run.fit_on_reserve:
            place = self.rosters.places.get(footballer_id)
            is_there = place is not None and place == Place(claim.franchise, "reserve")
            if is_there and footballer_id != claim.drop_id:
                return footballer_id
        return None

    def _gone(self, claim: Claim) -> list[rosters_rules.Refusal]:
        """A drop that an earlier claim has used, or that left since."""
        if claim.drop_id is None:
            return []
        place = self.rosters.places.get(claim.drop_id)
        if place is not None and place.franchise == claim.franchise:
            return []
        return [rosters_rules.Refusal("drop_gone", "drop", "")]

    def _won_words(self, claim: Claim) -> str:
        if self.run.kind == "blind_bids":
            return f"Won with a bid of {claim.bid}."
        return f"Won with priority {self.first_places[claim.franchise]}."

    def _lost(self, claim: Claim, winner: Claim) -> str:
        if winner.franchise == claim.franchise:
            return "You got this player with another claim."
        name = self.run.names[winner.franchise]
        if self.run.kind != "blind_bids":
            place, winner_place = (self.first_places[each.franchise] for each in (claim, winner))
            moved = " after winning another claim" if place < winner_place else ""
            return f"Lost to {name}, whose priority was {winner_place}; yours was {place}{moved}."
        if winner.bid == claim.bid:
            return f"Lost to {name}, who also bid {winner.bid} and had better priority."
        return f"Lost to {name}, who bid {winner.bid}; you bid {claim.bid}."

    def _impossible(self, claim: Claim, code: str) -> str:
        drop = self._name(claim.drop_id) if claim.drop_id is not None else ""
        return {
            "moved": f"{self._name(claim.footballer_id)} was already on a team.",
            "drop_gone": self._gone_words(claim, drop),
            "begun": f"{drop}'s game had begun, so you could not drop them.",
            "active_full": self._full(claim),
            "budget": f"You had {self.rosters.budgets.get(claim.franchise, 0)} of your budget "
            f"left and bid {claim.bid}.",
        }.get(code, "No longer possible.")

    def _gone_words(self, claim: Claim, drop: str) -> str:
        for won, _ in self.transactions:
            if won.franchise == claim.franchise and won.drop_id == claim.drop_id:
                return with_period(
                    f"You had already dropped {drop} for {self._name(won.footballer_id)}"
                )
        return f"{drop} was no longer on your team."

    def _full(self, claim: Claim) -> str:
        if claim.drop_id is None:
            return "Your roster was full, and the claim had no player to drop."
        name = self._name(claim.drop_id)
        return f"Your roster was full, and dropping {name} would not free an active spot."

    def _name(self, footballer_id: str) -> str:
        return self.run.footballers.get(footballer_id, footballer_id)

"""The life of a trade: events, and the state that they add up to. Pure.

A trade is offered, and every other party accepts or one declines. Then it waits for its review, in
which the commissioner or votes can stop it, and takes effect. A counter-offer ends an offer and
begins another one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

import msgspec

from app.core.refusals import Refusal

EventKind = Literal[
    "offered",
    "accepted",
    "declined",
    "withdrawn",
    "countered",
    "expired",
    "agreed",
    "voted",
    "approved",
    "stopped",
    "delayed",
    "executed",
    "failed",
    "impossible",
]
Status = Literal[
    "offered",
    "declined",
    "withdrawn",
    "countered",
    "expired",
    "in_review",
    "stopped",
    "executed",
    "failed",
    "impossible",
]
Review = Literal["none", "commissioner", "vote"]

# How a trade ends by an event of the same name.
_ENDS: Mapping[EventKind, Status] = {
    "declined": "declined",
    "withdrawn": "withdrawn",
    "countered": "countered",
    "expired": "expired",
    "stopped": "stopped",
    "executed": "executed",
    "failed": "failed",
    "impossible": "impossible",
}
# Everybody in the league sees a trade once all parties have accepted it.
PUBLIC: frozenset[Status] = frozenset({"in_review", "stopped", "executed", "failed"})
OPEN: frozenset[Status] = frozenset({"offered", "in_review"})

CLOSED = Refusal(
    "closed", "", "This offer is no longer open. The Trades page shows what happened to it."
)
NO_PARTY = Refusal("party", "", "Your team is not part of this trade.")
NOT_YOURS = Refusal("offer", "", "Only the team that made the offer can withdraw it.")
OWN_OFFER = Refusal("offer", "", "This is your own offer. Withdraw it instead.")
NO_REVIEW = Refusal(
    "review", "", "This trade is not under review. The Trades page shows where it stands."
)
NO_VOTE = Refusal("vote", "", "In this league the commissioner reviews trades. There is no vote.")
PARTY_VOTES = Refusal("vote", "", "Your team is part of this trade. Only the other teams vote.")
OWN_TRADE = Refusal("own", "", "Your team is part of this trade. Another commissioner must decide.")
OVER = Refusal("over", "", "The review is over. The trade is going through.")


class Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Something that happened to a trade.

    Attributes:
        franchise: Who did it; None for a rule or the commissioner.
        drops: Of an offer or acceptance: whom the franchise drops to make room.
        stops: Of a vote: whether it is against the trade.
        review: Of an agreement: who may stop the trade until `review_ends_at`.
        votes_to_stop: Of an agreement: how many votes stop it.
        delayed_until: Of a delay: when the trade is tried again, because somebody whom it drops
            is locked.
        transaction: Of an execution: the number in the league's log.
        reason: Why, as a sentence.
    """

    kind: EventKind
    franchise: int | None = None
    drops: tuple[str, ...] = ()
    stops: bool = False
    review: Review = "none"
    review_ends_at: datetime | None = None
    votes_to_stop: int = 0
    delayed_until: datetime | None = None
    transaction: int | None = None
    reason: str = ""


@dataclass(frozen=True)
class Offer:
    """What does not change about a trade: who offered it to whom, and until when it stands."""

    offered_by: int
    franchises: tuple[int, ...]
    expires_at: datetime | None


@dataclass(frozen=True)
class State:
    """A trade after its events.

    Attributes:
        accepted: The franchises that accepted, each with whom it drops. The offer is the first.
        votes: By franchise, whether it wants to stop the trade.
        delayed_until: When the trade takes effect, if that is later than the review ends.
        transaction: The number of the entry in the log; None while the trade has no effect.
        reason: Why it ended, if somebody or a rule said so.
    """

    offer: Offer
    status: Status = "offered"
    accepted: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    review: Review = "none"
    review_ends_at: datetime | None = None
    votes_to_stop: int = 0
    votes: Mapping[int, bool] = field(default_factory=dict)
    delayed_until: datetime | None = None
    transaction: int | None = None
    reason: str = ""

    @property
    def waiting_for(self) -> tuple[int, ...]:
        """The franchises that have not answered the offer."""
        if self.status != "offered":
            return ()
        return tuple(number for number in self.offer.franchises if number not in self.accepted)

    @property
    def stop_votes(self) -> int:
        """How many votes are against the trade."""
        return sum(self.votes.values())

    @property
    def due_at(self) -> datetime | None:
        """When a rule ends the offer, or the trade takes effect; None for never."""
        if self.status == "offered":
            return self.offer.expires_at
        if self.status != "in_review":
            return None
        return self.delayed_until or self.review_ends_at


def votes_needed(state: State, voters: Collection[int]) -> int:
    """How many votes stop a trade: those of everybody who can vote, if they are fewer than agreed.

    0 if nobody can vote: then the commissioner may stop it.

    Args:
        state: The trade under review.
        voters: The teams outside it that have an owner.

    >>> agreed = Event("agreed", review="vote", votes_to_stop=4)
    >>> state = applied(State(Offer(1, (1, 2), None)), agreed)
    >>> votes_needed(state, range(3, 13)), votes_needed(state, {3, 5}), votes_needed(state, ())
    (4, 2, 0)
    """
    return min(state.votes_to_stop, len({*voters, *state.votes}))


def voted_down(state: State, voters: Collection[int]) -> bool:
    """Whether enough of those who can vote are against the trade."""
    return state.review == "vote" and 0 < votes_needed(state, voters) <= state.stop_votes


def folded(offer: Offer, events: Iterable[Event]) -> State:
    """The state after these events, in their order."""
    state = State(offer)
    for event in events:
        state = applied(state, event)
    return state


def applied(state: State, event: Event) -> State:
    """The state after one more event."""
    if event.kind in ("offered", "accepted") and event.franchise is not None:
        return replace(state, accepted={**state.accepted, event.franchise: event.drops})
    if event.kind == "agreed":
        return replace(
            state,
            status="in_review",
            review=event.review,
            review_ends_at=event.review_ends_at,
            votes_to_stop=event.votes_to_stop,
        )
    if event.kind == "voted" and event.franchise is not None:
        return replace(state, votes={**state.votes, event.franchise: event.stops})
    if event.kind == "delayed":
        return replace(state, delayed_until=event.delayed_until, reason=event.reason)
    if event.kind in _ENDS:
        return replace(
            state,
            status=_ENDS[event.kind],
            transaction=event.transaction,
            reason=event.reason or state.reason,
        )
    return state  # an approval; the execution follows it


def can_see(state: State, franchise: int | None) -> bool:
    """Whether the trade is shown to a franchise, or to the league (None)."""
    return state.status in PUBLIC or franchise in state.offer.franchises


def answer_refusal(state: State, franchise: int, now: datetime) -> Refusal | None:
    """Why a franchise can neither accept, decline nor counter an offer."""
    if state.status != "offered":
        return CLOSED
    if state.offer.expires_at is not None and state.offer.expires_at <= now:
        return CLOSED
    return NO_PARTY if franchise not in state.offer.franchises else None


def decline_refusal(state: State, franchise: int, now: datetime) -> Refusal | None:
    """Why a franchise cannot decline. Who accepted may still do so while others have not."""
    return answer_refusal(state, franchise, now) or (
        OWN_OFFER if franchise == state.offer.offered_by else None
    )


def withdraw_refusal(state: State, franchise: int, now: datetime) -> Refusal | None:
    """Why a franchise cannot withdraw an offer."""
    return answer_refusal(state, franchise, now) or (
        NOT_YOURS if franchise != state.offer.offered_by else None
    )


def review_refusal(state: State, now: datetime) -> Refusal | None:
    """Why a trade can neither be stopped nor approved."""
    if state.status != "in_review":
        return NO_REVIEW
    return OVER if state.review_ends_at is not None and state.review_ends_at <= now else None


def vote_refusal(state: State, franchise: int, now: datetime) -> Refusal | None:
    """Why a franchise cannot vote on a trade."""
    refused = review_refusal(state, now)
    if refused is not None:
        return refused
    if state.review != "vote":
        return NO_VOTE
    return PARTY_VOTES if franchise in state.offer.franchises else None

"""Reviews, and the events that take others away or put a new ruling in their place."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from typing_extensions import override

from app.record.events.ball import Fumble, Interception, Pass, Recovery, Run, Sack
from app.record.events.credits import Credit, Penalty, Tackle
from app.record.events.declaration import EventBody, PlayTable
from app.record.events.fields import ClubId, EventNumber, Note
from app.record.events.kicks import Conversion, Kick, Safety
from app.record.events.procedure import (
    CoinToss,
    Delay,
    Final,
    GameEnded,
    GameStarted,
    GameStatus,
    Period,
    Scoreboard,
    Snap,
    Timeout,
)
from app.record.events.roster import RosterFact
from app.record.words import Who

# What can be the new ruling of a correction: every type but reviews and corrections.
Fact = (
    GameStarted
    | Period
    | Snap
    | Pass
    | Run
    | Sack
    | Fumble
    | Recovery
    | Interception
    | Kick
    | Conversion
    | Safety
    | Tackle
    | Credit
    | Penalty
    | Timeout
    | Scoreboard
    | GameStatus
    | GameEnded
    | Final
    | RosterFact
    | CoinToss
    | Delay
)

_RULINGS = {
    "pending": "under review",
    "upheld": "the call is upheld",
    "stands": "the call stands",
    "overturned": "the call is overturned",
}


class Challenge(EventBody, tag="challenge", frozen=True, kw_only=True):
    """A review of the play. `by` None: the booth. It changes no row by itself.

    `is_entered`: the play stands in the record as ruled, so an overturned call waits for no
    correction.
    """

    part = "aside"
    table = PlayTable("challenges", without=("is_entered",))

    by: ClubId | None = None
    ruling: Literal["pending", "upheld", "stands", "overturned"]
    reason: Note = ""
    is_entered: bool = False

    @override
    def words(self, who: Who) -> str:
        by = f"challenge by {self.by}" if self.by else "review by the booth"
        return f"{by}: {_RULINGS[self.ruling]}{_because(self.reason)}"


class Nullify(EventBody, tag="nullify", frozen=True, kw_only=True):
    """These events did not happen: their rows turn invalid, for good."""

    part = "correction"

    events: Annotated[tuple[EventNumber, ...], Meta(min_length=1, max_length=100)]
    reason: Note = ""

    @property
    def targets(self) -> tuple[int, ...]:
        """The events that it takes away."""
        return self.events

    @override
    def words(self, who: Who) -> str:
        if len(self.events) == 1:
            numbers = f"event {self.events[0]}"
        else:
            *first, last = (str(number) for number in self.events)
            numbers = f"events {', '.join(first)} and {last}"
        return f"no play: {numbers} taken back{_because(self.reason)}"


class Overturn(EventBody, tag="overturn", frozen=True, kw_only=True):
    """Replaces event `event` by `ruling`, as the revision numbered like this event.

    `by_scorer`: the entry was a slip; no official ruled anew, so it is called a correction.
    """

    part = "correction"

    event: EventNumber
    ruling: Fact
    reason: Note = ""
    by_scorer: bool = False

    @property
    def targets(self) -> tuple[int, ...]:
        """The event that it replaces."""
        return (self.event,)

    @override
    def words(self, who: Who) -> str:
        act = "corrected" if self.by_scorer else "overturned"
        return f"event {self.event} {act}: {self.ruling.words(who)}{_because(self.reason)}"


class StatCorrection(EventBody, tag="stat_correction", frozen=True, kw_only=True):
    """As an overturn, but about credit instead of the call.

    Made after the game, or by the spotter who adds a name.
    """

    part = "correction"

    event: EventNumber
    ruling: Fact
    reason: Note = ""

    @property
    def targets(self) -> tuple[int, ...]:
        """The event that it replaces."""
        return (self.event,)

    @override
    def words(self, who: Who) -> str:
        return (
            f"event {self.event} credit corrected: {self.ruling.words(who)}{_because(self.reason)}"
        )


def _because(reason: str) -> str:
    return f" ({reason})" if reason else ""


Correction = Nullify | Overturn | StatCorrection
Body = Fact | Challenge | Correction


def targets(body: Body) -> tuple[int, ...]:
    """The numbers of the events that a correction removes or replaces; empty for other events."""
    return body.targets if isinstance(body, Correction) else ()


def completes(before: Body, after: Body) -> bool:
    """Whether a new ruling only names players left open, or shares a tackle with the help."""
    if type(before) is not type(after):
        return False
    old_values, new_values = msgspec.to_builtins(before), msgspec.to_builtins(after)
    if isinstance(before, Tackle):
        old_values.pop("kind")
    return all(new_values.get(name) == value for name, value in old_values.items())

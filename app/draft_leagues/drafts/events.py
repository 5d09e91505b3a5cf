"""What happens in a draft: facts in an append-only list. `rules.fold` makes a state of them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

By = Literal["member", "automatic", "commissioner"]
# Somebody asked for it, the team lost its owner, or it has one again.
AutopilotCause = Literal["asked", "vacated", "taken_over"]


class _Event(msgspec.Struct, frozen=True, tag_field="kind"):
    """What every event has: when it counts as done."""

    at: datetime


class Planned(_Event, frozen=True, tag="planned"):
    """The commissioner changed the date, the order or the settings of a draft that waits."""


class Drawn(_Event, frozen=True, tag="drawn"):
    """The lottery was held: the plan has the order that it drew."""


class Started(_Event, frozen=True, tag="started"):
    """The draft begins; the first clock starts."""


class Picked(_Event, frozen=True, tag="picked"):
    """A franchise takes a footballer with the pick of this number."""

    number: int
    franchise: int
    footballer_id: str
    by: By = "member"


class Nominated(_Event, frozen=True, tag="nominated"):
    """A franchise puts a footballer up for auction, and bids up to `maximum` itself."""

    franchise: int
    footballer_id: str
    maximum: int
    by: By = "member"


class Bid(_Event, frozen=True, tag="bid"):
    """A franchise bids up to this secret maximum for the footballer who is up.

    A bot that does not want the footballer bids 0.
    """

    franchise: int
    maximum: int
    by: By = "member"


class Sold(_Event, frozen=True, tag="sold"):
    """The bidding is over."""

    franchise: int
    footballer_id: str
    price: int


class Paused(_Event, frozen=True, tag="paused"):
    """The commissioner stops the clock."""


class Resumed(_Event, frozen=True, tag="resumed"):
    """The clock goes on with what was left."""


class Delayed(_Event, frozen=True, tag="delayed"):
    """The server was away while a clock ran out: the clock starts again, once for each turn."""


class Autopilot(_Event, frozen=True, tag="autopilot"):
    """From now on somebody, or nobody, drafts for the franchise automatically."""

    franchise: int
    is_on: bool
    cause: AutopilotCause = "asked"


class Undone(_Event, frozen=True, tag="undone"):
    """The commissioner takes back the latest pick or sale, or the nomination that is open."""


class Replaced(_Event, frozen=True, tag="replaced"):
    """The commissioner puts another footballer in the place of the one who was picked."""

    number: int
    footballer_id: str


class Traded(_Event, frozen=True, tag="traded"):
    """A pick of this draft has changed hands: `original` had it first, and `owner` makes it."""

    round: int
    original: int
    owner: int


class Completed(_Event, frozen=True, tag="completed"):
    """Nobody is on turn any more, and the draft stands."""


Event = (
    Planned
    | Drawn
    | Started
    | Picked
    | Nominated
    | Bid
    | Sold
    | Paused
    | Resumed
    | Delayed
    | Autopilot
    | Undone
    | Replaced
    | Traded
    | Completed
)


def body_of(event: Event) -> dict[str, object]:
    """Return the event as the document that is stored."""
    document: dict[str, object] = msgspec.to_builtins(event)
    return document


def event_of(body: dict[str, object]) -> Event:
    """Return the event of a stored document."""
    event: Event = msgspec.convert(body, Event)
    return event

"""What goes into a reader of a feed's file, and what comes out of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from app.core.errors import UserError
from app.record.events import Declared


class FeedFindingError(UserError):
    """The file cannot be used; the text says why and what to do."""


class UnknownFeedError(UserError):
    """There is no such feed, or it was removed while it ran."""

    def __init__(self, feed_id: int) -> None:
        super().__init__(f"There is no feed {feed_id} (anymore).")


@dataclass(frozen=True)
class Source:
    """Which feed a file belongs to, and when it is entered."""

    feed_id: int
    competition: str
    season: int
    now: datetime


@dataclass(frozen=True)
class Entered:
    """What a file changed.

    Attributes:
        changes: How many of each thing, by noun: `games added`, `players moved`.
        findings: What an operator should look at, in sentences.
        last_events: The last event number of each game into whose record events were entered.
        declared: Games whose record does not have the status of the schedule yet, such as a
            postponed one; it is declared once the rest is committed.
    """

    changes: Mapping[str, int] = field(default_factory=dict)
    findings: tuple[str, ...] = ()
    last_events: Mapping[str, int] = field(default_factory=dict)
    declared: tuple[tuple[str, Declared], ...] = ()


def change_words(changes: Mapping[str, int]) -> str:
    """What was changed, for people; empty for nothing.

    >>> change_words({"plays entered": 1204, "games final": 1, "statuses": 1, "events": 0})
    '1,204 plays entered, 1 game final, 1 status'
    """
    return ", ".join(
        f"{count:,} {noun if count != 1 else _singular(noun)}"
        for noun, count in changes.items()
        if count
    )


def _singular(noun: str) -> str:
    first, *others = noun.split(" ")
    return " ".join([first.removesuffix("es" if first.endswith("ses") else "s"), *others])

"""How scores count and rank: pure values, no store.

Scores are whole numbers in the mode's smallest unit (10^-decimals points), and here always keys
(order.py): the greater is the better. Times are whole microseconds since 1970 UTC. The Lua library
(lua/boards.lua) applies the same rules in Redis. docs/decisions/0010-boards.md explains them in
words.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

SECOND = 1_000_000
EXACT_BITS = 53  # sorted sets hold doubles, which are exact to 2^53
TIE_BITS = 52  # microseconds from 1970 to 2112
LAST_TIE = (1 << TIE_BITS) - 1
TIE_WIDTH = TIE_BITS // 4  # hexadecimal digits
# a total holds so many of the largest scores exactly: more than anybody sends to one board
SUMMED = 1_000_000


class Aggregation(StrEnum):
    """How a player's scores count: the best, the sum or the latest."""

    HIGHEST = "highest"
    SUM = "sum"
    LATEST = "latest"


class Ties(StrEnum):
    """Shared ranks are 1, 1, 3; dense ranks are 1, 1, 2.

    With EARLIEST, ranks are not shared: the earlier score ranks first, to the microsecond.
    """

    SHARED = "shared"
    DENSE = "dense"
    EARLIEST = "earliest"


class OutOfRangeError(ValueError):
    """A score outside what the board can hold exactly; the text names the range."""


@dataclass(frozen=True, order=True)
class Attempt:
    """One score of one member: `at` in microseconds, `event` unique."""

    at: int
    event: str
    score: int


@dataclass(frozen=True)
class Held:
    """What a board holds of a member: the score, the time that decides ties and its event.

    `event` decides under LATEST alone, between two attempts of the same microsecond.
    """

    score: int
    at: int
    event: str = ""


def add(aggregation: Aggregation, counted: Held | None, attempt: Attempt) -> Held:
    """Return what a member holds after one more attempt, whatever the order of attempts.

    HIGHEST keeps the best score, the earlier one of equals. SUM adds, with the time of the last
    addend. LATEST keeps the newest attempt. Between attempts of the same microsecond the smallest
    event decides under HIGHEST, otherwise the greatest. The rule's other forms, in Lua
    (layouts/lua/boards.lua) and SQL (app/scores/standings/folding.py), are held to this one by
    tests/boards/examples/folding.json and the property tests.
    """
    new = Held(attempt.score, attempt.at, attempt.event)
    if counted is None:
        return new
    match aggregation:
        case Aggregation.HIGHEST:
            return min(counted, new, key=lambda h: (-h.score, h.at, h.event))
        case Aggregation.SUM:
            at, event = max((counted.at, counted.event), (new.at, new.event))
            return Held(counted.score + new.score, at, event)
        case Aggregation.LATEST:
            return max(counted, new, key=lambda h: (h.at, h.event))


def fold(aggregation: Aggregation, attempts: Iterable[Attempt]) -> Held | None:
    """Return what a member's attempts come to, whatever their order; None without attempts."""
    counted: Held | None = None
    for attempt in attempts:
        counted = add(aggregation, counted, attempt)
    return counted


@dataclass(frozen=True)
class Budget:
    """How a member's place is stored: as one whole number, of which smaller ones rank higher.

    With `tied` the earlier microsecond ranks higher among equal scores, so the number combines
    score and time. A sorted set holds the score alone as its number, exact to 2^53, and the time at
    a fixed width in front of the member's name, so that its order by number, then by name, is the
    board's. Example: score 7 at microsecond 255 of member `ann` is -7 and `00000000000ffann`.
    """

    tied: bool = False

    @property
    def limit(self) -> int:
        """The largest score, of either sign, that is exact."""
        return (1 << EXACT_BITS) - 1

    def encode(self, counted: Held) -> int:
        """Return the stored value, of which smaller ones rank higher; times are of 1970 to 2112.

        Raises:
            OutOfRangeError: The score is outside the exact range.
        """
        if abs(counted.score) > self.limit:
            raise OutOfRangeError(
                f"{counted.score} is outside ±{self.limit}, the range in which this board is exact"
            )
        return (
            (-counted.score << TIE_BITS) + min(max(counted.at, 0), LAST_TIE)
            if self.tied
            else -counted.score
        )

    def score(self, stored: int) -> int:
        """Return the score in a stored value."""
        return -self.number(stored)

    def number(self, stored: int) -> int:
        """Return the number in the sorted set; equal scores have equal numbers."""
        return stored >> TIE_BITS if self.tied else stored

    def tie(self, stored: int) -> str:
        """Return the text in front of the member's name in the sorted set."""
        return f"{stored & LAST_TIE:0{TIE_WIDTH}x}" if self.tied else ""

    def text(self, stored: int) -> str:
        """Return the form that travels to and from Redis: number, then a colon and any tie."""
        return f"{self.number(stored)}:{self.tie(stored)}" if self.tied else str(stored)

    def read(self, text: bytes) -> int:
        """Return the stored value of such a text, whose number may be written as 1e+16 or -0."""
        number, _, tie = text.partition(b":")
        return self.joined(int(float(number)), tie)

    def of_name(self, number: float, name: bytes) -> tuple[int, bytes]:
        """Return the stored value and the member of an entry of a sorted set."""
        return (
            (self.joined(int(number), name[:TIE_WIDTH]), name[TIE_WIDTH:])
            if self.tied
            else (int(number), name)
        )

    def joined(self, number: int, tie: bytes | str) -> int:
        """Return the stored value of its two parts."""
        return (number << TIE_BITS) + int(tie, 16) if self.tied else number


def bound_limit(aggregation: str) -> int:
    """The range of the keys of a mode's records, chosen so that a player's sum stays exact.

    >>> bound_limit("highest"), bound_limit("sum")
    (9007199254740991, 9007199254)
    """
    return Budget().limit // (SUMMED if aggregation == Aggregation.SUM else 1)

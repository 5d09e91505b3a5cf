"""How scores count and rank: pure values, no store. The Lua library (lua/boards.lua) says the same in Redis.

Scores are whole numbers in the mode's smallest unit (10^-decimals of a point); times are whole microseconds
since 1970 UTC. The plain words of it all are in docs/decisions/0010-boards.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

SECOND = 1_000_000
EXACT_BITS = 53  # a double, which is what a sorted set holds, is exact to 2^53


class Aggregation(StrEnum):
    HIGHEST = "highest"
    SUM = "sum"
    LATEST = "latest"


class Ties(StrEnum):
    """SHARED ranks 1, 1, 3; DENSE 1, 1, 2; EARLIEST gives every rank once, the earlier second first."""

    SHARED = "shared"
    DENSE = "dense"
    EARLIEST = "earliest"


class OutOfRange(ValueError):
    """A score outside what the board can hold exactly; the text names the range."""


@dataclass(frozen=True, order=True)
class Attempt:
    """One score of one member: `at` in microseconds, `event` unique."""

    at: int
    event: str
    score: int


@dataclass(frozen=True)
class Held:
    """What a board holds of a member: the score, the time that decides ties, and the event of that time.

    `event` decides under LATEST alone, between two attempts of the same microsecond.
    """

    score: int
    at: int
    event: str = ""


def add(aggregation: Aggregation, held: Held | None, attempt: Attempt) -> Held:
    """What is held after one more attempt; the same whatever their order.

    HIGHEST: the best score and the first time it was reached. SUM: the total and the time of the last addend.
    LATEST: the newest attempt. Of attempts of one microsecond the smallest event names the time under HIGHEST, else
    the greatest. The rule's other forms, in Lua (lua/boards.lua) and SQL (app/scores/folding.py), are held to this one
    by tests/boards/examples/folding.json and the property tests.
    """
    one = Held(attempt.score, attempt.at, attempt.event)
    if held is None:
        return one
    match aggregation:
        case Aggregation.HIGHEST:
            return min(held, one, key=lambda h: (-h.score, h.at, h.event))
        case Aggregation.SUM:
            at, event = max((held.at, held.event), (one.at, one.event))
            return Held(held.score + one.score, at, event)
        case Aggregation.LATEST:
            return max(held, one, key=lambda h: (h.at, h.event))


def fold(aggregation: Aggregation, attempts: Iterable[Attempt]) -> Held | None:
    """What counts of a member's attempts, whatever their order; None when there are none."""
    held: Held | None = None
    for attempt in attempts:
        held = add(aggregation, held, attempt)
    return held


# The bits of the tie by kind of window: enough for its seconds, an hour more for the end of daylight saving.
# All-time counts from the start of the mode: 2^29 s are 17 years.
TIE_BITS = {"daily": 17, "weekly": 20, "monthly": 22, "all-time": 29}


@dataclass(frozen=True)
class Budget:
    """How the 53 bits of a stored value are shared between score and tie. The one place that decides it.

    `tie_bits` 0: no tie is stored (SHARED, DENSE). `origin`: microseconds at which the seconds begin to count.
    Example: 22 bits, score 7, one second in: 7 * 2^22 + (2^22 - 1 - 1), stored negated.
    """

    tie_bits: int = 0
    origin: int = 0

    @property
    def limit(self) -> int:
        """The largest score, of either sign, that is exact."""
        return (1 << (EXACT_BITS - self.tie_bits)) - 1

    def encode(self, held: Held) -> int:
        """The stored value: smaller ranks higher. Raises OutOfRange.

        A time before the origin counts as its first second, one after the last second as the last.
        """
        if abs(held.score) > self.limit:
            raise OutOfRange(f"{held.score} is outside ±{self.limit}, the range in which this board is exact")
        last = (1 << self.tie_bits) - 1
        return -((held.score << self.tie_bits) + last - self.second(held.at))

    def second(self, at: int) -> int:
        """The second that decides ties: from the origin on, within what the bits hold."""
        return min(max((at - self.origin) // SECOND, 0), (1 << self.tie_bits) - 1)

    def score(self, stored: int) -> int:
        """The score in a stored value."""
        return -stored >> self.tie_bits

    def bounds(self, score: int) -> tuple[int, int]:
        """Smallest and largest stored value of a score."""
        worst = -(score << self.tie_bits)
        return worst - ((1 << self.tie_bits) - 1), worst

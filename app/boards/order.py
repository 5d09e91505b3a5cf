"""The order of records: which one ranks before which. Pure values.

Everything between a board's writers and its readers sorts one number, the *key* of a record:
greater is better, equal keys are a tie. A key combines the score with the subscore, if the mode has
one. Tables, Redis and the archive hold keys (in columns called `score`); people and integrators
send and read scores. Only this module converts between them. docs/decisions/0037 says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from app.boards.rules import EXACT_BITS, OutOfRangeError

LARGEST_KEY = (1 << EXACT_BITS) - 1


class Best(StrEnum):
    """Which of two numbers ranks before the other."""

    HIGHEST = "highest"
    LOWEST = "lowest"


@dataclass(frozen=True)
class Subscore:
    """A second number of each record, `low` to `high`, that ranks equal scores.

    `title` is what people call it.
    """

    low: int
    high: int
    best: Best = Best.HIGHEST
    title: str = "Subscore"

    @property
    def size(self) -> int:
        """How many subscores there are."""
        return self.high - self.low + 1

    def place(self, subscore: int) -> int:
        """Return the subscore's place: 0 for the worst, rising."""
        return subscore - self.low if self.best is Best.HIGHEST else self.high - subscore

    def of_place(self, place: int) -> int:
        """Return the subscore at this place."""
        return self.low + place if self.best is Best.HIGHEST else self.high - place


@dataclass(frozen=True)
class Order:
    """How scores of a mode rank.

    Example: lowest is best, subscore 0 to 99, highest is best. 61 seconds with 40 points has the
    key -61 * 100 + 40 = -6060, before 61 seconds with 39 points (-6061) and after 60 seconds with
    none (-6000).
    """

    best: Best = Best.HIGHEST
    subscore: Subscore | None = None

    def key(self, score: int, subscore: int | None = None) -> int:
        """Return the key of a record.

        Raises:
            OutOfRangeError: The subscore is missing or outside its bounds.
        """
        subscore_rule = self.subscore
        signed = score if self.best is Best.HIGHEST else -score
        if subscore_rule is None:
            return signed
        if subscore is None or not subscore_rule.low <= subscore <= subscore_rule.high:
            raise OutOfRangeError(f"subscore must be {subscore_rule.low} to {subscore_rule.high}")
        return signed * subscore_rule.size + subscore_rule.place(subscore)

    def score_of(self, key: int) -> int:
        """Return the score of a key."""
        signed = key if self.subscore is None else key // self.subscore.size
        return signed if self.best is Best.HIGHEST else -signed

    def subscore_of(self, key: int) -> int | None:
        """Return the subscore of a key; None if records have none."""
        return None if self.subscore is None else self.subscore.of_place(key % self.subscore.size)

    def keys_of(self, low: int, high: int) -> tuple[int, int]:
        """Return the smallest and greatest key of scores from `low` to `high` with any subscore."""
        worst, best = (low, high) if self.best is Best.HIGHEST else (-high, -low)
        size = 1 if self.subscore is None else self.subscore.size
        return worst * size, best * size + size - 1

    def is_better(self, score: int, other: int) -> bool:
        """Whether a score ranks before another, whatever their subscores are."""
        return score > other if self.best is Best.HIGHEST else score < other

    def sql(self) -> str:
        """`key` of the columns score and subscore, as an SQL expression.

        NULL where a subscore is missing.
        """
        signed = "score" if self.best is Best.HIGHEST else "-score"
        subscore = self.subscore
        if subscore is None:
            return signed
        place = (
            f"subscore - ({subscore.low})"
            if subscore.best is Best.HIGHEST
            else f"({subscore.high}) - subscore"
        )
        return f"({signed}) * {subscore.size} + {place}"

    def bits(self, low: int, high: int) -> int:
        """Return how many bits the keys of scores from `low` to `high` need, without the sign."""
        return max(abs(key) for key in self.keys_of(low, high)).bit_length()


def order_of(best: str, subscore: Mapping[str, Any] | None) -> Order:
    """Build the order from a mode's columns; `subscore` has min, max, order and title."""
    if subscore is None:
        return Order(Best(best))
    second = Subscore(subscore["min"], subscore["max"], Best(subscore["order"]), subscore["title"])
    return Order(Best(best), second)


def row_of(order: Order) -> dict[str, Any]:
    """Return the values from which `order_of` builds this order."""
    subscore = order.subscore
    second = (
        None
        if subscore is None
        else {
            "min": subscore.low,
            "max": subscore.high,
            "order": subscore.best.value,
            "title": subscore.title,
        }
    )
    return {"best": order.best.value, "subscore": second}

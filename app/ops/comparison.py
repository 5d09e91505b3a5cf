"""Comparing derived stores with PostgreSQL: the last step of every repair command.

Rows are compared chunk by chunk, so that a board of millions takes no more memory than one of
thousands. Rows that differ are read again on both sides before they are reported, because writers
may be at work. The stores are in board_stores.py and tournament_stores.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from app.core.errors import UserError
from app.core.plurals import counted

NAMED = 10  # differences per repair that are listed
SUSPECTS = 1_000  # rows per store that are read again; with more it is wrong anyway
# Seconds before differing rows are read again: a writer commits in PostgreSQL before it writes to
# the store.
WAITS = (0.0, 0.5, 2.0)

Rows = Mapping[Any, object]  # by a key that is text or can be formatted


class Store(Protocol):
    """One derived store: rows by key, each a value that can be compared and shown."""

    name: str
    size: int  # how many stores it counts as

    def chunks(self) -> Iterable[Rows]:
        """Yield all rows that PostgreSQL holds."""

    def expected(self, keys: Sequence[Any]) -> Rows:
        """Return what PostgreSQL holds for these keys now."""

    def held(self, keys: Sequence[Any]) -> Rows:
        """Return what the store holds for these keys now. Raises RedisAway."""

    def counts(self) -> tuple[int, int]:
        """Count the rows in PostgreSQL and in the store. Raises RedisAway."""

    def strangers(self, most: int) -> Sequence[Any]:
        """Return at most so many keys of the store that PostgreSQL does not know.

        Raises RedisAway.
        """

    def shown(self, value: Any) -> str:
        """Format a row's value; None is a missing row."""

    def at_rest(self) -> AbstractContextManager[bool]:
        """Keep writers out of both, if the store can.

        Yields False if the store was deleted or is not read.
        """


@dataclass
class Comparison:
    """The result of comparing stores of one kind.

    Attributes:
        kind: What such a store is called, in singular and plural.
        source: What the stores are compared with.
        stores: How many were compared.
        rows: How many rows were compared.
        differing: How many rows differ at least.
        differences: Sentences about them, at most NAMED.
        wrong: Their stores and keys.
    """

    kind: tuple[str, str]
    source: str = "PostgreSQL"
    stores: int = 0
    rows: int = 0
    differing: int = 0
    differences: list[str] = field(default_factory=list)
    wrong: list[tuple[Any, Any]] = field(default_factory=list)

    def __str__(self) -> str:
        outcome = (
            f"{self.differing:,} differ from {self.source}"
            if self.differing
            else f"equal to {self.source}"
        )
        return f"{counted(self.stores, *self.kind)}, {counted(self.rows, 'row', 'rows')}: {outcome}"

    def add(self, store: Store, pause: Callable[[float], None] = time.sleep) -> None:
        """Compare one more store. Raises RedisAway."""
        self.stores += store.size
        _compare(store, self, pause)

    def note(self, differences: Sequence[str], differing: int | None = None) -> None:
        """Add sentences about so many differing rows; by default one row per sentence."""
        self.differing += len(differences) if differing is None else differing
        self.differences += differences[: NAMED - len(self.differences)]


def compare(
    kind: tuple[str, str],
    stores: Iterable[Store],
    say: Callable[[str], None] = lambda _: None,
    pause: Callable[[float], None] = time.sleep,
) -> Comparison:
    """Compare all of these stores. Raises RedisAway."""
    comparison = Comparison(kind)
    for store in stores:
        say(f"Comparing {store.name}")
        comparison.add(store, pause)
    return comparison


def judge(comparisons: Iterable[Comparison]) -> str:
    """Return a line for each kind of store.

    Raises:
        UserError: There are differences; the text has these lines and the first differences.
    """
    comparisons = list(comparisons)
    lines = [str(comparison) for comparison in comparisons]
    differences = [text for comparison in comparisons for text in comparison.differences][:NAMED]
    if not differences:
        return "\n".join(lines)
    advice = (
        "Run it again. If the result is the same, keep this text and the log for the person who "
        "looks after Pressbox."
    )
    raise UserError("\n".join([*lines, *differences, advice]))


def _compare(store: Store, comparison: Comparison, pause: Callable[[float], None]) -> None:
    suspects: list[Any] = []
    for chunk in store.chunks():
        comparison.rows += len(chunk)
        stored = store.held(list(chunk))
        suspects += [key for key, value in chunk.items() if stored.get(key) != value]
        if len(suspects) > SUSPECTS:
            break
    suspects = suspects[:SUSPECTS]
    for wait in WAITS:
        if wait:
            pause(wait)
        with store.at_rest() as is_there:
            if not is_there:
                return
            expected, stored = store.expected(suspects), store.held(suspects)
            suspects = [key for key in suspects if expected.get(key) != stored.get(key)]
            counts = rows, in_store = store.counts()
            if not suspects and rows == in_store:
                return
            missing = [key for key in suspects if key not in stored]
            strangers = store.strangers(NAMED) if in_store > rows - len(missing) else []
    _note(
        store,
        comparison,
        {key: (expected.get(key), stored.get(key)) for key in suspects},
        counts,
        strangers,
    )


def _note(
    store: Store,
    comparison: Comparison,
    differing: Mapping[Any, tuple[object, object]],
    counts: tuple[int, int],
    strangers: Sequence[Any],
) -> None:
    rows, in_store = counts
    texts = [
        f"{store.name}, {key}: {store.shown(stored)} in the store, {store.shown(expected)} in "
        "PostgreSQL"
        for key, (expected, stored) in differing.items()
    ]
    texts += [
        f"{store.name}, {key}: in the store, not in PostgreSQL"
        for key in strangers
        if key not in differing
    ]
    if rows != in_store:
        texts.append(f"{store.name}: {in_store:,} rows in the store, {rows:,} in PostgreSQL")
    comparison.wrong += [(store, key) for key in (*differing, *strangers)]
    comparison.note(texts, max(len(differing) + len(strangers), abs(rows - in_store)))


def shown(value: object) -> str:
    """Format a value that is readable as it is."""
    return "nothing" if value is None else str(value)

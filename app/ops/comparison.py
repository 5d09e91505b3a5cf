"""Whether a derived store holds what PostgreSQL holds: the last step of every repair command.

Rows are compared chunk by chunk, so a board of millions takes no more memory than one of thousands.
A writer that changes the store meanwhile is no difference: rows that differ are read again on both
sides before they are reported. The stores are in board_stores.py and tournament_stores.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from app.core.errors import UserError

NAMED = 10  # differences of one repair that are named
SUSPECTS = 1_000  # rows of one store that are read again; with more it is wrong anyway
# Before each look at the rows that differ: a writer commits in PostgreSQL, and then writes to the
# store.
WAITS = (0.0, 0.5, 2.0)

Rows = Mapping[Any, object]  # by whatever names a row, which is text or says itself as text


class Store(Protocol):
    """One derived store: rows by key, each a value that can be compared and shown."""

    name: str
    size: int  # for how many it stands

    def chunks(self) -> Iterable[Rows]:
        """All rows that PostgreSQL holds."""

    def expected(self, keys: Sequence[Any]) -> Rows:
        """What PostgreSQL holds of these now."""

    def held(self, keys: Sequence[Any]) -> Rows:
        """What the store holds of these now. Raises RedisAway."""

    def counts(self) -> tuple[int, int]:
        """How many rows PostgreSQL and the store hold now. Raises RedisAway."""

    def strangers(self, most: int) -> Sequence[Any]:
        """Keys in the store of which PostgreSQL knows nothing, at most so many.

        Raises RedisAway.
        """

    def shown(self, value: Any) -> str:
        """A row's value as people read it; None is a row that is not there."""

    def at_rest(self) -> AbstractContextManager[bool]:
        """Inside, nobody writes to either, where that can be had.

        False: the store is no more, or is not read.
        """


@dataclass
class Comparison:
    """`kind`: what stores of this kind are called, one and many.

    `source`: what they are compared with. `differences`: sentences, NAMED at most; `differing`: how
    many rows differ, at least; `wrong`: their stores and keys.
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
        """Compares one more. Raises RedisAway."""
        self.stores += store.size
        _compare(store, self, pause)

    def note(self, differences: Sequence[str], differing: int | None = None) -> None:
        """These sentences, of so many rows that differ; else one of each."""
        self.differing += len(differences) if differing is None else differing
        self.differences += differences[: NAMED - len(self.differences)]


def counted(number: int, one: str, many: str) -> str:
    """A number with its noun, such as `2 boards`."""
    return f"{number:,} {one if number == 1 else many}"


def compare(
    kind: tuple[str, str],
    stores: Iterable[Store],
    say: Callable[[str], None] = lambda text: None,
    pause: Callable[[float], None] = time.sleep,
) -> Comparison:
    """Compares all of these. Raises RedisAway."""
    comparison = Comparison(kind)
    for store in stores:
        say(f"Comparing {store.name}")
        comparison.add(store, pause)
    return comparison


def judge(comparisons: Iterable[Comparison]) -> str:
    """A line for each kind of store.

    Raises UserError, with these lines and the first differences, if there are any.
    """
    comparisons = list(comparisons)
    lines = [str(comparison) for comparison in comparisons]
    differences = [text for comparison in comparisons for text in comparison.differences][:NAMED]
    if not differences:
        return "\n".join(lines)
    advice = (
        "Run it again. If it says the same, keep this text and the log for whoever looks after "
        "Pressbox."
    )
    raise UserError("\n".join([*lines, *differences, advice]))


def _compare(store: Store, comparison: Comparison, pause: Callable[[float], None]) -> None:
    suspects: list[Any] = []
    for chunk in store.chunks():
        comparison.rows += len(chunk)
        held = store.held(list(chunk))
        suspects += [key for key, value in chunk.items() if held.get(key) != value]
        if len(suspects) > SUSPECTS:
            break
    suspects = suspects[:SUSPECTS]
    for wait in WAITS:
        if wait:
            pause(wait)
        with store.at_rest() as is_there:
            if not is_there:
                return
            expected, held = store.expected(suspects), store.held(suspects)
            suspects = [key for key in suspects if expected.get(key) != held.get(key)]
            counts = rows, in_store = store.counts()
            if not suspects and rows == in_store:
                return
            missing = [key for key in suspects if key not in held]
            strangers = store.strangers(NAMED) if in_store > rows - len(missing) else []
    _note(
        store,
        comparison,
        {key: (expected.get(key), held.get(key)) for key in suspects},
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
        f"{store.name}, {key}: {store.shown(held)} in the store, {store.shown(expected)} in "
        "PostgreSQL"
        for key, (expected, held) in differing.items()
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
    """A value that people can read as it is."""
    return "nothing" if value is None else str(value)

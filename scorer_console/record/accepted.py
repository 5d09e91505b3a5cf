"""The accepted events of a game, decoded once per process, so that key presses only read new ones.

The outbox's rows become a fold (effective_events.py), which is cached for the games that were shown
last. Rows are only added to the outbox, in order of event number. If the last row has changed since
it was read (because the game was deleted or restored), everything is read again.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock

from sqlalchemy import Row, bindparam, select

from app.core.db import db
from app.record.events import decode
from app.stream.models import OutboxMessage
from scorer_console.record.effective_events import Fold

KEPT_GAMES = 64
SPOTTER = "spotter:"
_ENTRY = re.compile(r"^(?P<entry>.+):\d+$")

RowId = tuple[int, datetime]  # id, accepted at
OutboxRow = Row[int, datetime, str, bytes]  # id, accepted at, idempotency key, payload


@dataclass(frozen=True)
class AcceptedEvents:
    """The accepted events of a game.

    `entries` has the entry of each event, in the order of `fold.entered`, and `numbers` event and
    play number by idempotency key. `last_row` is id and time of the newest row, which must still
    exist when more rows are read.
    """

    fold: Fold = field(default_factory=Fold)
    entries: list[str] = field(default_factory=list)
    numbers: dict[str, tuple[int, int]] = field(default_factory=dict)
    last_row: RowId | None = None

    @property
    def last_number(self) -> int:
        """Number of the newest event; 0 before the first."""
        return self.fold.entered[-1].event_number if self.fold.entered else 0

    def numbers_of(self, keys: Iterable[str]) -> dict[str, tuple[int, int]]:
        """Return event and play number of those of the keys that were accepted, by key."""
        return {key: self.numbers[key] for key in keys if key in self.numbers}

    def with_rows(self, rows: Sequence[OutboxRow]) -> AcceptedEvents:
        """Return the events with those of later rows, which are in order of event number."""
        events = [decode(row.payload) for row in rows]
        keys = [row.idempotency_key for row in rows]
        numbers = {
            key: (event.event_number, event.play_number)
            for key, event in zip(keys, events, strict=True)
        }
        return AcceptedEvents(
            fold=self.fold.with_events(events),
            entries=[*self.entries, *map(_entry_of, keys)],
            numbers=self.numbers | numbers,
            last_row=(rows[-1].id, rows[-1].accepted_at),
        )


_kept: OrderedDict[str, AcceptedEvents] = OrderedDict()
_lock = Lock()


def accepted_events(game_id: str, newest: RowId | None = None) -> AcceptedEvents:
    """Load all accepted events of the game. Only those since the last call are read and decoded.

    `newest` is the last row, if the caller has just read it: if it is known, nothing is read.
    """
    with _lock:
        known = _kept.get(game_id, AcceptedEvents())
    if newest is not None and newest == known.last_row:
        return known
    rows = _rows(game_id, known.last_number)
    if known.last_row is not None:
        if rows and (rows[0].id, rows[0].accepted_at) == known.last_row:
            rows = rows[1:]
        else:
            known, rows = AcceptedEvents(), _rows(game_id, 0)
    if rows:
        known = known.with_rows(rows)
    remember(game_id, known)
    return known


def remember(game_id: str, known: AcceptedEvents) -> None:
    """Cache the events, which are all that the database had at some moment."""
    with _lock:
        _kept[game_id] = known
        _kept.move_to_end(game_id)
        while len(_kept) > KEPT_GAMES:
            _kept.popitem(last=False)


def spotters_entry(member: str, key: str) -> str:
    """Return the name of a spotter's entry. It includes the spotter, who holds no lease."""
    return f"{SPOTTER}{member}:{key}"


def is_spotters(entry: str) -> bool:
    """Whether a spotter made the entry."""
    return entry.startswith(SPOTTER)


def forget() -> None:
    """Empty the cache."""
    with _lock:
        _kept.clear()


_ROWS = (
    select(
        OutboxMessage.id,
        OutboxMessage.accepted_at,
        OutboxMessage.idempotency_key,
        OutboxMessage.payload,
    )
    .where(
        OutboxMessage.game_id == bindparam("game"), OutboxMessage.event_number >= bindparam("first")
    )
    .order_by(OutboxMessage.event_number)
)


def _rows(game_id: str, first: int) -> Sequence[OutboxRow]:
    """Load the rows from an event number on, by number."""
    return db.session.execute(_ROWS, {"game": game_id, "first": first}).all()


def _entry_of(key: str) -> str:
    """Return the common part of the keys of an entry. Each step of a script is an entry."""
    entry = _ENTRY.match(key)
    return entry["entry"] if entry and not key.startswith("script:") else key

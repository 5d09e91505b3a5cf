"""Numbers events: the only way into the record (PRODUCT A2).

The number, the outbox row and the counters are written in one transaction while the game's row is
locked. So event numbers have no gaps and no repeats, and within a game the outbox is in the order
of the events. The console, `pressbox replay` and the demo player all use it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache

import msgspec
from sqlalchemy import func, select, text
from sqlalchemy.dialects.postgresql import insert

from app.core.clock import to_ms
from app.core.db import db, transaction
from app.core.errors import UserError
from app.record.events import (
    Body,
    Correction,
    GameEvent,
    Nullify,
    Snap,
    check,
    decode,
    encode,
    targets,
)
from app.record.finality import is_final_before, may_follow_final
from app.record.models import Game
from app.stream.models import DECLARES_FINAL, OutboxMessage
from app.stream.topics import OUTBOX_CHANNEL
from scorer_console.lease import leases
from scorer_console.record.accepted import accepted_events
from scorer_console.record.effective_events import Fold, placed_like

FINAL = (
    "The score is final: overturn an event to correct it, add a tackle or a credit to an earlier "
    "play, or take the "
    "final score back to go on with the game."
)


class RefusedEntryError(UserError):
    """The entry does not fit the record so far; the text says what to change."""


@dataclass(frozen=True)
class Entry:
    """An event that a scorer submits. `key` makes it idempotent: repeats get the first outcome.

    If `play_number` is None, a snap begins the next play. Any other event belongs to the play of
    the previous snap in the same submission, or else to the current play, which is the last one in
    the order of the game. `is_checked` means that the body comes from events.body_from or decode,
    which have checked its limits. Bodies built in Python are checked when they are submitted.
    `number` is the only number it may get, because it refers to other events by their expected
    numbers.
    """

    body: Body
    key: str
    play_number: int | None = None
    is_checked: bool = False
    number: int | None = None


@dataclass(frozen=True)
class Sender:
    """The console that an entry comes from.

    `made_under` is the newest epoch that its scorer knew of when they made the entry, or None if it
    is made right now.
    """

    console: str
    made_under: int | None = None


@dataclass(frozen=True)
class Accepted:
    """An event that has its number."""

    event_number: int
    play_number: int
    repeated: bool


def submit(
    game_id: str,
    entries: Sequence[Entry],
    now: datetime,
    *,
    console: str,
    made_under: int | None = None,
) -> list[Accepted]:
    """Accept all entries in order, or none. Commits. Returns one outcome per entry, in order.

    Entries that were accepted before get the same outcome, no matter who sends them. New ones are
    only accepted from the console that holds the game, if no other console has held it since epoch
    `made_under` (leases.require).

    Raises:
        UnknownGameError: There is no such game.
        LeaseLostError: The console does not hold the game.
        RefusedEntryError: An entry does not fit the record.
        InvalidEventError: A field is wrong; the text names it.
    """
    checked = _checked(entries)
    with transaction():
        game = leases.lock(game_id)
        known = known_numbers(game_id, [entry.key for entry in entries])
        if any(entry.key not in known for entry in checked):
            leases.require(game, console, now, made_under)
        return add(game, checked, known, now)


def submit_parts(
    game_id: str,
    parts: Sequence[Entry],
    now: datetime,
    sender: Sender,
    refuse_misfits: Callable[[Game, Sequence[Entry]], None],
) -> list[Accepted]:
    """Accept all parts of one entry of a scorer, or none, like `submit`.

    If only some parts were accepted before, the scorer has changed the entry since. Then nothing is
    added, and only the accepted parts are returned.

    Args:
        game_id: The game.
        parts: The events of the entry.
        now: The time.
        sender: The console that the entry comes from.
        refuse_misfits: Raises RefusedEntryError for new parts that do not fit the locked game;
            nobody enters anything meanwhile.
    """
    checked = _checked(parts)
    with transaction():
        game = leases.lock(game_id)
        known = known_numbers(game_id, [part.key for part in parts])
        if known:
            checked = [part for part in checked if part.key in known]
        else:
            leases.require(game, sender.console, now, sender.made_under)
            refuse_misfits(game, checked)
        return add(game, checked, known, now)


def _checked(entries: Sequence[Entry]) -> list[Entry]:
    return [
        entry if entry.is_checked else replace(entry, body=check(entry.body)) for entry in entries
    ]


def add(
    game: Game, entries: Sequence[Entry], known: dict[str, tuple[int, int]], now: datetime
) -> list[Accepted]:
    """Number checked entries of a locked game and write them to the outbox.

    It is part of the caller's transaction. Entries in `known` (known_numbers) were accepted before
    and keep their numbers. Raises RefusedEntryError.
    """
    since_final = _said_since_final(game.id)
    accepted: list[Accepted] = []
    rows = []
    numbers = Numbers(game, cache(lambda: accepted_events(game.id).fold), now)
    for entry in entries:
        if entry.key in known:
            number, play = known[entry.key]
            accepted.append(Accepted(number, play, repeated=True))
            continue
        body = entry.body
        event = numbers.event(entry, body)
        if not may_follow_final(body) and is_final_before(event.event_number, since_final):
            raise RefusedEntryError(FINAL)
        since_final.append((event.event_number, body))
        known[entry.key] = (event.event_number, event.play_number)
        accepted.append(Accepted(event.event_number, event.play_number, repeated=False))
        rows.append(
            {
                "game_id": game.id,
                "event_number": event.event_number,
                "play_number": event.play_number,
                "idempotency_key": entry.key,
                "payload": encode(event),
                "is_practice": game.is_practice,
            }
        )
    if rows:
        db.session.execute(insert(OutboxMessage), rows)
        db.session.execute(text(f"NOTIFY {OUTBOX_CHANNEL}"))
    return accepted


def known_numbers(game_id: str, keys: list[str]) -> dict[str, tuple[int, int]]:
    """Load event and play number of the entries that were accepted before, by key."""
    rows = db.session.execute(
        select(
            OutboxMessage.idempotency_key, OutboxMessage.event_number, OutboxMessage.play_number
        ).where(OutboxMessage.game_id == game_id, OutboxMessage.idempotency_key.in_(keys))
    )
    return {key: (number, play) for key, number, play in rows}


def _said_since_final(game_id: str) -> list[tuple[int, Body]]:
    """Load number and body of the events from the first final score on; empty without one.

    They are read from the outbox, because the game's state is updated a little later.
    """
    first = (
        select(func.min(OutboxMessage.event_number))
        .where(OutboxMessage.game_id == game_id, text(DECLARES_FINAL))
        .scalar_subquery()
    )
    payloads = db.session.scalars(
        select(OutboxMessage.payload).where(
            OutboxMessage.game_id == game_id, OutboxMessage.event_number >= first
        )
    )
    return [(event.event_number, event.body) for event in map(decode, payloads)]


def _keeping_its_place(body: Body, before: Callable[[], Fold]) -> Body:
    """Give a ruling the place of the one that it replaces, unless it names another place."""
    if not isinstance(body, Correction) or isinstance(body, Nullify):
        return body
    fold = before()
    try:
        latest = fold.last_body(fold.event(body.event))
    except LookupError:
        return body  # in the same submission, or missing, which is refused
    return msgspec.structs.replace(body, ruling=placed_like(body.ruling, latest))


class Numbers:
    """Numbers the entries of one submission, continuing from the counters of `game`.

    `before` returns the events that have been accepted so far.
    """

    def __init__(self, game: Game, before: Callable[[], Fold], now: datetime) -> None:
        self._game, self._before, self._now = game, before, now
        self._play: int | None = None  # the current one
        self._corrections: set[int] = set()  # of this submission

    def event(self, entry: Entry, body: Body) -> GameEvent:
        """Return the entry as an event with its number. Raises RefusedEntryError."""
        play = entry.play_number
        if play is None and not isinstance(body, Snap):
            if self._play is None:
                self._play = self._before().current_play(self._game.last_play_number)
            play = self._play
        if entry.number not in (None, self._game.last_event_number + 1):
            raise RefusedEntryError(_otherwise_numbered(entry, self._game.last_event_number + 1))
        self._refuse_correcting_corrections(body)
        event = _number(self._game, play, _keeping_its_place(body, self._before), self._now)
        if isinstance(body, Correction):
            self._corrections.add(event.event_number)
        if isinstance(body, Snap):
            self._play = event.play_number
        return event

    def _refuse_correcting_corrections(self, body: Body) -> None:
        """Refuse a correction of a correction, which would be recorded and change nothing.

        To correct a correction, enter a new ruling on the event that it corrected.
        """
        if not isinstance(body, Correction):
            return
        corrections = {
            event.event_number: event.body
            for event in self._before().corrections
            if event.event_number in body.targets
        }
        if wrong := sorted({*corrections, *self._corrections.intersection(body.targets)}):
            first = corrections.get(wrong[0])
            named = (
                " and ".join(f"#{number}" for number in targets(first))
                if first
                else "what it names"
            )
            raise RefusedEntryError(
                f"event: {wrong[0]} is a correction itself; rule anew on {named}, or undo "
                f"{wrong[0]}."
            )


def _otherwise_numbered(entry: Entry, number: int) -> str:
    return (
        f"number: this was made to become event {entry.number} and would become {number}, so the "
        "numbers in it may "
        "mean other events by now: choose again what it corrects."
    )


def _number(game: Game, play_number: int | None, body: Body, now: datetime) -> GameEvent:
    """Raise the game's counters. If `play_number` is None, this snap begins the next play."""
    number = game.last_event_number + 1
    if play_number is None:
        game.last_play_number += 1
    play = game.last_play_number if play_number is None else play_number
    _refuse_places_to_come(game, number, body)
    if play > game.last_play_number:
        raise RefusedEntryError(
            f"play_number: play {play} has not begun; the last one is {game.last_play_number}."
        )
    for target in targets(body):
        if target >= number:
            raise RefusedEntryError(
                f"event: {target} has not happened yet; the last event is {number - 1}."
            )
    game.last_event_number = number
    return GameEvent(
        game_id=game.id,
        event_number=number,
        play_number=play,
        epoch=game.epoch,
        recorded_at=to_ms(now),
        body=body,
    )


def _refuse_places_to_come(game: Game, number: int, body: Body) -> None:
    """Refuse a place after all future events, because it would stay the last one for ever."""
    fact = (
        body
        if not isinstance(body, Correction)
        else None
        if isinstance(body, Nullify)
        else body.ruling
    )
    if fact is None:
        return
    if fact.place is not None and fact.place > number:
        raise RefusedEntryError(
            f"place: {fact.place:g} has not happened yet; give a number up to {number}."
        )
    last = game.last_play_number + 1
    if isinstance(fact, Snap) and fact.play_place is not None and fact.play_place >= last:
        raise RefusedEntryError(
            f"play_place: {fact.play_place:g} has not happened yet; give a number below {last}."
        )

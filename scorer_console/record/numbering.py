"""Numbers events: the only way into the record (PRODUCT A2).

The number, the outbox row and the counters are written in one transaction while the game's row is
locked. So event numbers have no gaps and no repeats, and within a game the outbox is in the order
of the events. The console, `pressbox replay` and the demo player all use it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import msgspec
from sqlalchemy import text

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
    encode,
    targets,
)
from app.record.finality import declares_final, is_final_before, may_follow_final
from app.stream.topics import OUTBOX_CHANNEL
from scorer_console.lease import leases
from scorer_console.lease.leases import ScoredGame
from scorer_console.record.accepted import AcceptedEvents, accepted_events, remember
from scorer_console.record.effective_events import Fold, placed_like

FINAL = (
    "The score is final. Overturn an event to correct it, add a tackle or a credit to an earlier "
    "play, or undo the final score to continue the game."
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
        before = accepted_events(game_id)
        if any(entry.key not in before.numbers for entry in checked):
            leases.require(game, console, now, made_under)
        added = add(game, checked, before, now)
    remember(game_id, added.events)
    return added.outcomes


def add_parts(
    game_id: str,
    parts: Sequence[Entry],
    now: datetime,
    sender: Sender,
    refuse_misfits: Callable[[ScoredGame, AcceptedEvents, Sequence[Entry]], None],
) -> Added:
    """Accept all parts of one entry of a scorer, or none, like `submit`. The caller commits.

    If only some parts were accepted before, the scorer has changed the entry since. Then nothing is
    added, and only the accepted parts are returned.

    Args:
        game_id: The game.
        parts: The events of the entry.
        now: The time.
        sender: The console that the entry comes from.
        refuse_misfits: Raises RefusedEntryError for new parts that do not fit the locked game and
            its events; nobody enters anything meanwhile.
    """
    checked = _checked(parts)
    game = leases.lock(game_id)
    before = accepted_events(game_id)
    if known := before.numbers_of(part.key for part in parts):
        checked = [part for part in checked if part.key in known]
    else:
        leases.require(game, sender.console, now, sender.made_under)
        refuse_misfits(game, before, checked)
    return add(game, checked, before, now)


def _checked(entries: Sequence[Entry]) -> list[Entry]:
    return [
        entry if entry.is_checked else replace(entry, body=check(entry.body)) for entry in entries
    ]


@dataclass(frozen=True)
class Added:
    """One outcome per entry, in order, and all accepted events of the game once it is committed."""

    outcomes: list[Accepted]
    events: AcceptedEvents


def add(game: ScoredGame, entries: Sequence[Entry], before: AcceptedEvents, now: datetime) -> Added:
    """Number checked entries of a locked game and write them to the outbox.

    It is part of the caller's transaction. `before` are all events of the game. Entries that are
    among them keep their numbers. Raises RefusedEntryError.
    """
    since_final = _said_since_final(before.fold)
    known = before.numbers_of(entry.key for entry in entries)
    outcomes: list[Accepted] = []
    new: list[tuple[str, GameEvent]] = []
    numbers = Numbers(game, before.fold, now)
    for entry in entries:
        if entry.key in known:
            outcomes.append(Accepted(*known[entry.key], repeated=True))
            continue
        event = numbers.event(entry, entry.body)
        if not may_follow_final(entry.body) and is_final_before(event.event_number, since_final):
            raise RefusedEntryError(FINAL)
        if since_final or declares_final(entry.body):
            since_final.append((event.event_number, entry.body))
        known[entry.key] = (event.event_number, event.play_number)
        outcomes.append(Accepted(event.event_number, event.play_number, repeated=False))
        new.append((entry.key, event))
    return Added(outcomes, _write(game, numbers, new, before) if new else before)


# The relay waits for the notification.
_WRITE = text(f"""
    WITH written AS (
      INSERT INTO outbox (game_id, event_number, play_number, idempotency_key, payload, is_practice)
      SELECT :game, new.*, :is_practice
      FROM unnest(CAST(:numbers AS int[]), CAST(:plays AS int[]), CAST(:keys AS text[]),
        CAST(:payloads AS bytea[])) AS new
      RETURNING id, accepted_at, idempotency_key, payload, event_number
    ), counted AS (
      UPDATE games SET last_event_number = :last_event, last_play_number = :last_play
      WHERE id = :game
    )
    SELECT id, accepted_at, idempotency_key, payload, pg_notify('{OUTBOX_CHANNEL}', '')
    FROM written ORDER BY event_number
""")  # noqa: S608 (a name of ours)


def _write(
    game: ScoredGame, numbers: Numbers, new: Sequence[tuple[str, GameEvent]], before: AcceptedEvents
) -> AcceptedEvents:
    """Write the events and the game's counters. Returns all accepted events."""
    events = [event for _, event in new]
    rows = db.session.execute(
        _WRITE,
        {
            "game": game.id,
            "is_practice": game.is_practice,
            "numbers": [event.event_number for event in events],
            "plays": [event.play_number for event in events],
            "keys": [key for key, _ in new],
            "payloads": [encode(event) for event in events],
            "last_event": numbers.last_event,
            "last_play": numbers.last_play,
        },
    ).all()
    return before.with_rows(rows)


def _said_since_final(fold: Fold) -> list[tuple[int, Body]]:
    """Return number and body of the events from the first final score on; empty without one.

    They are the accepted ones, because the game's state is updated a little later.
    """
    if fold.first_final is None:
        return []
    return [
        (event.event_number, event.body)
        for event in fold.entered
        if event.event_number >= fold.first_final
    ]


def _keeping_its_place(body: Body, fold: Fold) -> Body:
    """Give a ruling the place of the one that it replaces, unless it names another place."""
    if not isinstance(body, Correction) or isinstance(body, Nullify):
        return body
    try:
        latest = fold.last_body(fold.event(body.event))
    except LookupError:
        return body  # in the same submission, or missing, which is refused
    return msgspec.structs.replace(body, ruling=placed_like(body.ruling, latest))


class Numbers:
    """Numbers the entries of one submission, continuing from the counters of `game`.

    `before` are the events that have been accepted so far.
    """

    def __init__(self, game: ScoredGame, before: Fold, now: datetime) -> None:
        self._game, self._before, self._now = game, before, now
        self.last_event, self.last_play = game.last_event_number, game.last_play_number
        self._play: int | None = None  # the current one
        self._corrections: set[int] = set()  # of this submission

    def event(self, entry: Entry, body: Body) -> GameEvent:
        """Return the entry as an event with its number. Raises RefusedEntryError."""
        play = entry.play_number
        if play is None and not isinstance(body, Snap):
            if self._play is None:
                self._play = self._before.current_play(self.last_play)
            play = self._play
        if entry.number not in (None, self.last_event + 1):
            raise RefusedEntryError(_otherwise_numbered(entry, self.last_event + 1))
        self._refuse_correcting_corrections(body)
        event = self._numbered(play, _keeping_its_place(body, self._before))
        if isinstance(body, Correction):
            self._corrections.add(event.event_number)
        if isinstance(body, Snap):
            self._play = event.play_number
        return event

    def _numbered(self, play_number: int | None, body: Body) -> GameEvent:
        """Raise the counters. If `play_number` is None, this snap begins the next play."""
        number = self.last_event + 1
        last_play = self.last_play + (play_number is None)
        play = last_play if play_number is None else play_number
        _refuse_places_to_come(number, last_play, body)
        if play > last_play:
            raise RefusedEntryError(
                f"play_number: play {play} has not begun; the last one is {last_play}."
            )
        for target in targets(body):
            if target >= number:
                raise RefusedEntryError(
                    f"event: {target} has not happened yet; the last event is {number - 1}."
                )
        self.last_event, self.last_play = number, last_play
        return GameEvent(
            game_id=self._game.id,
            event_number=number,
            play_number=play,
            epoch=self._game.epoch,
            recorded_at=to_ms(self._now),
            body=body,
        )

    def _refuse_correcting_corrections(self, body: Body) -> None:
        """Refuse a correction of a correction, which would be recorded and change nothing.

        To correct a correction, enter a new ruling on the event that it corrected.
        """
        if not isinstance(body, Correction):
            return
        corrections = {
            event.event_number: event.body
            for event in self._before.corrections
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
                f"event: {wrong[0]} is itself a correction. Overturn {named} again, or undo "
                f"{wrong[0]}."
            )


def _otherwise_numbered(entry: Entry, number: int) -> str:
    return (
        f"number: this entry was made as event {entry.number} but would become event {number}, so "
        "the event numbers in it may be wrong. Choose again what it corrects."
    )


def _refuse_places_to_come(number: int, last_play: int, body: Body) -> None:
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
    last = last_play + 1
    if isinstance(fact, Snap) and fact.play_place is not None and fact.play_place >= last:
        raise RefusedEntryError(
            f"play_place: {fact.play_place:g} has not happened yet; give a number below {last}."
        )

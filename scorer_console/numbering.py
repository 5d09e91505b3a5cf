"""Numbers the record: the one door through which an event enters it (PRODUCT A2).

The number, the outbox row and the counters are written in one transaction while the game's row is locked,
so event numbers have no gap and no repeat, and outbox order is event order within a game.
Called by the console, by `pressbox replay` and by the demo player alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select, text
from sqlalchemy.dialects.postgresql import insert

from app.core.clock import to_ms
from app.core.db import db, transaction
from app.core.errors import UserError
from app.record.events import Body, GameEvent, Snap, check, decode, encode, targets
from app.record.finality import is_final_before, may_follow_final
from app.record.models import Game
from app.stream.models import DECLARES_FINAL, OutboxMessage
from app.stream.topics import OUTBOX_CHANNEL
from scorer_console import leases

FINAL = "The score is final: overturn an event to correct it, or take the final score back to go on with the game."


class RefusedEntry(UserError):
    """The entry does not fit the record so far; the text says what to change."""


@dataclass(frozen=True)
class Entry:
    """What a scorer submits. `key` makes it idempotent: the same key again gives the first outcome.

    `play_number` None: the current play (a snap begins the next one). `is_checked`: the body comes from
    events.body_from or decode, so its limits hold already; a body built in Python is checked when it is submitted.
    """

    body: Body
    key: str
    play_number: int | None = None
    is_checked: bool = False


@dataclass(frozen=True)
class Accepted:
    event_number: int
    play_number: int
    repeated: bool


def submit(game_id: str, entries: Sequence[Entry], now: datetime, *, console: str) -> list[Accepted]:
    """Accepts all entries in order, or none. Commits. One outcome an entry, in the same order.

    What was accepted before is answered again whoever asks; something new only from the console that holds
    the game. Raises UnknownGame, LeaseLost, RefusedEntry, or InvalidEvent that names the field.
    """
    bodies = [entry.body if entry.is_checked else check(entry.body) for entry in entries]
    with transaction():
        game = leases.lock(game_id)
        known = _known(game_id, [entry.key for entry in entries])
        if any(entry.key not in known for entry in entries):
            leases.require(game, console, now)
        said = _said_since_final(game_id)
        accepted: list[Accepted] = []
        rows = []
        for entry, body in zip(entries, bodies, strict=True):
            if entry.key in known:
                number, play = known[entry.key]
                accepted.append(Accepted(number, play, repeated=True))
                continue
            event = _number(game, entry, body, now)
            if not may_follow_final(body) and is_final_before(event.event_number, said):
                raise RefusedEntry(FINAL)
            said.append((event.event_number, body))
            known[entry.key] = (event.event_number, event.play_number)
            accepted.append(Accepted(event.event_number, event.play_number, repeated=False))
            rows.append(
                {
                    "game_id": game_id,
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


def _known(game_id: str, keys: list[str]) -> dict[str, tuple[int, int]]:
    """Event and play number of the entries that were accepted before, by key."""
    found = db.session.execute(
        select(OutboxMessage.idempotency_key, OutboxMessage.event_number, OutboxMessage.play_number).where(
            OutboxMessage.game_id == game_id, OutboxMessage.idempotency_key.in_(keys)
        )
    )
    return {key: (number, play) for key, number, play in found}


def _said_since_final(game_id: str) -> list[tuple[int, Body]]:
    """Number and body of the entries from the first one on that declared a final score; none before there is one.

    Read from the outbox, not from the game's state: that follows a moment later.
    """
    first = (
        select(func.min(OutboxMessage.event_number))
        .where(OutboxMessage.game_id == game_id, text(DECLARES_FINAL))
        .scalar_subquery()
    )
    found = db.session.scalars(
        select(OutboxMessage.payload).where(OutboxMessage.game_id == game_id, OutboxMessage.event_number >= first)
    )
    return [(event.event_number, event.body) for event in map(decode, found)]


def _number(game: Game, entry: Entry, body: Body, now: datetime) -> GameEvent:
    number = game.last_event_number + 1
    if isinstance(body, Snap) and entry.play_number is None:
        game.last_play_number += 1
    play = game.last_play_number if entry.play_number is None else entry.play_number
    if play > game.last_play_number:
        raise RefusedEntry(f"play_number: play {play} has not begun; the last one is {game.last_play_number}.")
    for target in targets(body):
        if target >= number:
            raise RefusedEntry(f"event: {target} has not happened yet; the last event is {number - 1}.")
    game.last_event_number = number
    return GameEvent(
        game_id=game.id,
        event_number=number,
        play_number=play,
        epoch=game.epoch,
        recorded_at=to_ms(now),
        body=body,
    )

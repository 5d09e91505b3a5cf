"""Takes messages into the record: idempotent, one transaction per batch.

Any message may come twice, and the process may die between any two lines; applying the messages
again ends in the same rows. Broken messages become dead letters and do not hold up the others.
Events that wait for another one (a correction without its original, or an event that may have come
after the final score) come back in `Outcome.deferred`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import text

from app.core.db import db, transaction
from app.core.postgres.advisory_locks import Lock
from app.record import events as ev
from app.record import finality
from app.record.revisions import Revision, correct, insert_events
from app.record.totals import OnChange, recompute
from app.stream.dead_letters import dead_letter
from app.stream.messages import Message


@dataclass
class Outcome:
    """The result of a batch: counts, messages to try again, and the games it touched."""

    inserted: int = 0
    duplicates: int = 0
    dead: int = 0
    corrected: int = 0
    deferred: list[Message] = field(default_factory=list)
    games: list[str] = field(default_factory=list)


# epoch, and the first event number that was given under it; rising
Epochs = Sequence[tuple[int, int]]


def newer_epoch(epochs: Epochs, event: ev.GameEvent) -> tuple[int, int] | None:
    """The newer epoch that had the game when this event's number was assigned, if any.

    The event is refused then.
    """
    newer = [
        (epoch, first)
        for epoch, first in epochs
        if epoch > event.epoch and first <= event.event_number
    ]
    return newer[-1] if newer else None


@dataclass(frozen=True)
class Registered:
    """A game as ingestion needs it. `clubs`: home and away."""

    clubs: tuple[str, str]
    epochs: Epochs


# Locks each game for the transaction, in order of id, so that two batches of one game follow each
# other.
_LOCK_GAMES = text("""
    SELECT id, home_id, away_id, pg_advisory_xact_lock(hashtextextended(id, :lock)),
      (SELECT coalesce(json_agg(json_build_array(epoch, first_event_number) ORDER BY epoch), '[]')
       FROM scorer_leases WHERE game_id = id) AS epochs
    FROM (SELECT id, home_id, away_id FROM games WHERE id = ANY(:ids)
      ORDER BY id OFFSET 0) AS ordered
""")


def ingest_batch(messages: Sequence[Message], now: datetime, on_change: OnChange) -> Outcome:
    """Take the messages in, in order. Commits once.

    `on_change` runs inside the transaction, at most once, with the games whose stat lines changed.
    """
    with transaction():
        return take_in(messages, now, on_change)


def take_in(messages: Sequence[Message], now: datetime, on_change: OnChange) -> Outcome:
    """As ingest_batch, but the caller commits, and the games stay locked until then.

    Rolls back if it fails.
    """
    outcome = Outcome()
    decoded: list[tuple[Message, ev.GameEvent]] = []
    dead: list[tuple[Message, str]] = []
    for message in messages:
        try:
            decoded.append((message, ev.decode(message.value)))
        except ev.InvalidEventError as error:
            dead.append((message, str(error)))
    try:
        registered = lock_games({event.game_id for _, event in decoded})
        events: list[tuple[Message, ev.GameEvent]] = []
        for message, event in decoded:
            if (reason := _refusal(event, registered.get(event.game_id))) is None:
                events.append((message, event))
            else:
                dead.append((message, reason))
        judged = finality.judge(event for _, event in events)
        if judged.refused or judged.unclear:
            dead += [
                (message, finality.REASON) for message, event in events if event in judged.refused
            ]
            outcome.deferred += [message for message, event in events if event in judged.unclear]
            events = [
                (kept_message, kept_event)
                for kept_message, kept_event in events
                if kept_event not in judged.refused and kept_event not in judged.unclear
            ]
        touched = _insert_plain(
            [
                (kept_message, kept_event)
                for kept_message, kept_event in events
                if not isinstance(kept_event.body, ev.Correction)
            ],
            outcome,
        )
        corrected = correct(
            [
                (kept_message, kept_event)
                for kept_message, kept_event in events
                if isinstance(kept_event.body, ev.Correction)
            ]
        )
        outcome.corrected = corrected.count
        outcome.duplicates += corrected.duplicates
        outcome.deferred += corrected.deferred
        for game_id, plays in corrected.touched.items():
            touched[game_id] |= plays
        outcome.dead = dead_letter(dead)
        recompute(
            touched, {game_id: registered[game_id].clubs for game_id in touched}, now, on_change
        )
    except BaseException:
        db.session.rollback()
        raise
    outcome.games = sorted(registered)
    return outcome


def _refusal(event: ev.GameEvent, game: Registered | None) -> str | None:
    """Why the event may not enter the record, or None."""
    if game is None:
        return f"game_id: game {event.game_id} is not registered; register it, then replay this"
    if (newer := newer_epoch(game.epochs, event)) is not None:
        epoch, first = newer
        return (
            f"epoch: {event.epoch} is over; epoch {epoch} has numbered this game's events since "
            f"event {first}"
        )
    return None


def lock_games(ids: set[str]) -> dict[str, Registered]:
    """The registered games by id, locked until the transaction ends."""
    if not ids:
        return {}
    rows = db.session.execute(_LOCK_GAMES, {"ids": sorted(ids), "lock": Lock.GAME})
    return {
        row.id: Registered(
            (row.home_id, row.away_id), [tuple(epoch_row) for epoch_row in row.epochs]
        )
        for row in rows
    }


def _insert_plain(
    events: Iterable[tuple[Message, ev.GameEvent]], outcome: Outcome
) -> defaultdict[str, set[int]]:
    """Insert originals; returns the plays that got a new row, by game.

    Never reads first: unique keys reject duplicates.
    """
    first: dict[tuple[str, int], Revision] = {}
    repeated = 0
    for message, event in events:
        original = Revision(
            message, event, event.body, event.event_number, 0, event.play_number, valid=True
        )
        repeated += first.setdefault((event.game_id, event.event_number), original) is not original
    new = insert_events(list(first.values()))
    outcome.inserted += len(new)
    outcome.duplicates += repeated + len(first) - len(new)
    touched: defaultdict[str, set[int]] = defaultdict(set)
    for revision in new:
        touched[revision.event.game_id].add(revision.play_number)
    return touched

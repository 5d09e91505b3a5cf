"""Takes messages into the record: idempotent, in one transaction a batch.

Promise: any message may come twice, and the process may die between any two lines; applying the messages
again ends in the same rows. Broken messages become dead letters and do not hold up the others.
Called by the ingest job; what waits for another event (a correction without its original, an
event of which it is not clear yet whether it came after the final score) comes back in `Outcome.deferred`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import select, text, update
from sqlalchemy.dialects.postgresql import insert

from app.core.db import db, transaction
from app.core.locks import Lock
from app.record import events as ev
from app.record import finality
from app.record.models import Correction, RecordedEvent
from app.record.rows import row_of
from app.record.totals import OnChange, recompute
from app.stream.dead_letters import dead_letter
from app.stream.messages import Message


@dataclass
class Outcome:
    inserted: int = 0
    seen: int = 0
    dead: int = 0
    corrected: int = 0
    deferred: list[Message] = field(default_factory=list)
    games: list[str] = field(default_factory=list)


Epochs = Sequence[tuple[int, int]]  # epoch, and the first event number that was given under it; rising


def newer_epoch(epochs: Epochs, event: ev.GameEvent) -> tuple[int, int] | None:
    """The newer epoch that held the game when this event's number was given, if any: the event is not its scorer's."""
    newer = [(epoch, first) for epoch, first in epochs if epoch > event.epoch and first <= event.event_number]
    return newer[-1] if newer else None


@dataclass(frozen=True)
class Registered:
    """A game as ingestion needs it. `clubs`: home and away."""

    clubs: tuple[str, str]
    epochs: Epochs


# Locks each game for the transaction, in order of id, so that two batches of one game follow each other.
_LOCK_GAMES = text("""
    SELECT id, home_id, away_id, pg_advisory_xact_lock(hashtextextended(id, :lock)),
      (SELECT coalesce(json_agg(json_build_array(epoch, first_event_number) ORDER BY epoch), '[]')
       FROM scorer_leases WHERE game_id = id) AS epochs
    FROM (SELECT id, home_id, away_id FROM games WHERE id = ANY(:ids) ORDER BY id OFFSET 0) AS ordered
""")


def ingest_batch(messages: Sequence[Message], now: datetime, on_change: OnChange) -> Outcome:
    """Takes the messages in, in order. Commits once. `on_change` runs inside the transaction, once a game."""
    with transaction():
        return take_in(messages, now, on_change)


def take_in(messages: Sequence[Message], now: datetime, on_change: OnChange) -> Outcome:
    """As ingest_batch, but the caller commits, and the games stay locked until then. Rolls back when it fails."""
    outcome = Outcome()
    decoded: list[tuple[Message, ev.GameEvent]] = []
    dead: list[tuple[Message, str]] = []
    for message in messages:
        try:
            decoded.append((message, ev.decode(message.value)))
        except ev.InvalidEvent as error:
            dead.append((message, str(error)))
    try:
        registered = lock_games({event.game_id for _, event in decoded})
        events: list[tuple[Message, ev.GameEvent]] = []
        for message, event in decoded:
            if (reason := _refusal(event, registered.get(event.game_id))) is None:
                events.append((message, event))
            else:
                dead.append((message, reason))
        late = finality.judge(event for _, event in events)
        dead += [(message, finality.REASON) for message, event in events if event in late.refused]
        outcome.deferred += [message for message, event in events if event in late.unclear]
        events = [(m, e) for m, e in events if e not in late.refused and e not in late.unclear]
        plain = [(m, e) for m, e in events if not isinstance(e.body, ev.Correction)]
        touched = _insert_plain(plain, outcome)
        for message, event in events:
            if isinstance(event.body, ev.Correction) and (plays := _correct(message, event, event.body, outcome)):
                touched[event.game_id] |= plays
        outcome.dead = dead_letter(dead)
        for game_id in sorted(touched):
            recompute(game_id, touched[game_id], registered[game_id].clubs, now, on_change)
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
        return f"epoch: {event.epoch} is over; epoch {epoch} has numbered this game's events since event {first}"
    return None


def lock_games(ids: set[str]) -> dict[str, Registered]:
    """The registered ones of these games by id, locked until the transaction ends."""
    if not ids:
        return {}
    found = db.session.execute(_LOCK_GAMES, {"ids": sorted(ids), "lock": Lock.GAME})
    return {row.id: Registered((row.home_id, row.away_id), [tuple(one) for one in row.epochs]) for row in found}


def _event_row(message: Message, event: ev.GameEvent, body: ev.Body, *, number: int, revision: int) -> dict[str, Any]:
    plain = ev.body_to(body)
    return {
        "game_id": event.game_id,
        "event_number": number,
        "revision": revision,
        "play_number": event.play_number,
        "type": plain["type"],
        "valid": True,
        "body": plain,
        "epoch": event.epoch,
        "recorded_at": event.recorded_at,
        "partition": message.partition,
        "offset": message.offset,
    }


def _insert_plain(events: list[tuple[Message, ev.GameEvent]], outcome: Outcome) -> defaultdict[str, set[int]]:
    """Inserts originals; the plays that got a new row, by game. Never reads first: the keys refuse doubles."""
    touched: defaultdict[str, set[int]] = defaultdict(set)
    if not events:
        return touched
    rows = [_event_row(m, e, e.body, number=e.event_number, revision=0) for m, e in events]
    new = set(
        db.session.execute(
            insert(RecordedEvent).on_conflict_do_nothing().returning(RecordedEvent.game_id, RecordedEvent.event_number),
            rows,
        ).all()
    )
    outcome.inserted += len(new)
    outcome.seen += len(events) - len(new)
    by_table: dict[Any, list[dict[str, Any]]] = {}
    for row, (_, event) in zip(rows, events, strict=True):
        key = (event.game_id, event.event_number)
        if key in new:
            touched[event.game_id].add(event.play_number)
        if key in new and (found := row_of(event.body, event.recorded_at)) is not None:
            table, columns = found
            by_table.setdefault(table, []).append(_key(row) | columns)
    for table, table_rows in by_table.items():
        db.session.execute(insert(table).on_conflict_do_nothing(), table_rows)
    return touched


def _key(event_row: dict[str, Any]) -> dict[str, Any]:
    """The columns that an event's row in the play tables shares with its row in `events`."""
    return {name: event_row[name] for name in ("game_id", "event_number", "revision", "play_number", "valid")}


def _correct(message: Message, event: ev.GameEvent, body: ev.Correction, outcome: Outcome) -> set[int]:
    """Applies a nullify or an overturn; the plays that changed, none when an original is still missing.

    The highest revision wins whatever the order of arrival: revision r of an event is valid
    exactly when no correction with a number above r names it.
    """
    targets = list(body.targets)
    originals = dict(
        db.session.execute(
            select(RecordedEvent.event_number, RecordedEvent.play_number).where(
                RecordedEvent.game_id == event.game_id,
                RecordedEvent.event_number.in_(targets),
                RecordedEvent.revision == 0,
            )
        ).all()
    )
    if len(originals) < len(set(targets)):
        outcome.deferred.append(message)
        return set()
    own = _event_row(message, event, body, number=event.event_number, revision=0)
    is_new = db.session.execute(
        insert(RecordedEvent).on_conflict_do_nothing().returning(RecordedEvent.event_number), [own]
    ).all()
    if not is_new:
        outcome.seen += 1
        return set()
    outcome.corrected += 1
    db.session.execute(
        insert(Correction).on_conflict_do_nothing(),
        [
            {"game_id": event.game_id, "event_number": n, "revision": event.event_number, "kind": own["type"]}
            for n in sorted(set(targets))
        ],
    )
    _invalidate(event.game_id, targets, below=event.event_number)
    if not isinstance(body, ev.Nullify):
        _insert_ruling(message, event, body, originals[body.event])
    return {event.play_number, *originals.values()}


def _invalidate(game_id: str, targets: list[int], *, below: int) -> None:
    def lower(table: Any) -> Any:
        return (
            update(table)
            .where(table.game_id == game_id, table.event_number.in_(targets), table.revision < below, table.valid)
            .values(valid=False)
        )

    bodies = db.session.scalars(lower(RecordedEvent).returning(RecordedEvent.body)).all()
    tables = {found[0] for body in bodies if (found := row_of(ev.body_from(body), 0)) is not None}
    for table in tables:
        db.session.execute(lower(table))


def _insert_ruling(
    message: Message, event: ev.GameEvent, body: ev.Overturn | ev.StatCorrection, play_number: int
) -> None:
    number = body.event
    later = db.session.scalar(
        select(Correction.revision)
        .where(
            Correction.game_id == event.game_id,
            Correction.event_number == number,
            Correction.revision > event.event_number,
        )
        .limit(1)
    )
    row = _event_row(message, event, body.ruling, number=number, revision=event.event_number)
    row |= {"valid": later is None, "play_number": play_number}
    db.session.execute(insert(RecordedEvent).on_conflict_do_nothing(), [row])
    found = row_of(body.ruling, event.recorded_at)
    if found is not None:
        table, columns = found
        db.session.execute(insert(table).on_conflict_do_nothing(), [_key(row) | columns])

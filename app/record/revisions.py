"""Writes revisions of events: rows in `events` and the play tables, and what corrections change.

All of a batch together: one statement per table, however many games and events there are. Which
messages are taken is in ingest.py, what follows from the rows in totals.py. The caller commits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import TextClause, text

from app.core.db import db
from app.core.db.bulk_insert import as_json, insert_rows
from app.record import events as ev
from app.record.models import Correction, RecordedEvent
from app.record.play_tables import PLAY_ROWS, row_of
from app.stream.messages import Message

Key = tuple[str, int]  # game and event number


@dataclass(frozen=True, slots=True)
class Revision:
    """What `event`, which came as `message`, says that event `number` was.

    `revision`: 0 for the original; a ruling has the number of its correction.
    """

    message: Message
    event: ev.GameEvent
    body: ev.Body
    number: int
    revision: int
    play_number: int
    valid: bool


@dataclass
class Corrected:
    """The result of corrections.

    `count`: new corrections; `touched`: plays by game. `deferred`: corrections whose original is
    missing.
    """

    count: int = 0
    duplicates: int = 0
    deferred: list[Message] = field(default_factory=list)
    touched: defaultdict[str, set[int]] = field(default_factory=lambda: defaultdict(set))


def insert_events(revisions: Sequence[Revision]) -> list[Revision]:
    """Insert the revisions with their rows in the play tables.

    Returns those that were not there, in their order.
    """
    written = insert_rows(
        RecordedEvent,
        [
            {
                **_key(revision),
                "type": ev.type_of(revision.body),
                "body": revision.body,
                "epoch": revision.event.epoch,
                "recorded_at": revision.event.recorded_at,
                "partition": revision.message.partition,
                "offset": revision.message.offset,
            }
            for revision in revisions
        ],
        returning=("game_id", "event_number", "revision"),
    )
    keys = {tuple(row) for row in written}
    new = [
        revision
        for revision in revisions
        if (revision.event.game_id, revision.number, revision.revision) in keys
    ]
    by_table: dict[Any, list[dict[str, Any]]] = {}
    for revision in new:
        if (table_row := row_of(revision.body, revision.event.recorded_at)) is not None:
            table, columns = table_row
            by_table.setdefault(table, []).append(_key(revision) | columns)
    for table, rows in by_table.items():
        insert_rows(table, rows)
    return new


def _key(revision: Revision) -> dict[str, Any]:
    """The columns that a revision's rows in the play tables and in `events` share."""
    return {
        "game_id": revision.event.game_id,
        "event_number": revision.number,
        "revision": revision.revision,
        "play_number": revision.play_number,
        "valid": revision.valid,
    }


def correct(events: Sequence[tuple[Message, ev.GameEvent]]) -> Corrected:
    """Apply corrections (only corrections may come), in order.

    An original, or another correction, must be in the record or stand before what corrects it. The
    highest revision wins in any order of arrival: revision r of an event is valid if and only if no
    correction with a number above r names it.
    """
    result = Corrected()
    if not events:
        return result
    plays = _plays_of(
        {
            (event_.game_id, number)
            for _, event_ in events
            for number in (event_.event_number, *_targets(event_))
        }
    )
    new: list[tuple[Message, ev.GameEvent]] = []
    for message, event in events:
        correction_key = (event.game_id, event.event_number)
        target_keys = [(event.game_id, number) for number in _targets(event)]
        if any(key not in plays for key in target_keys):
            result.deferred.append(message)
        elif correction_key in plays:
            result.duplicates += 1
        else:
            plays[correction_key] = event.play_number
            new.append((message, event))
            result.touched[event.game_id] |= {
                event.play_number,
                *(plays[key] for key in target_keys),
            }
    result.count = len(new)
    insert_events(
        [
            Revision(
                message_,
                event_,
                event_.body,
                event_.event_number,
                0,
                event_.play_number,
                valid=True,
            )
            for message_, event_ in new
        ]
    )
    _correct(new, plays)
    return result


def _targets(event: ev.GameEvent) -> set[int]:
    assert isinstance(event.body, ev.Correction)
    return set(event.body.targets)


def _correct(new: Sequence[tuple[Message, ev.GameEvent]], plays: dict[Key, int]) -> None:
    """Store the corrections, invalidate what they correct, and insert their rulings."""
    rows = [
        {
            "game_id": event_.game_id,
            "event_number": number,
            "revision": event_.event_number,
            "kind": ev.type_of(event_.body),
        }
        for _, event_ in new
        for number in sorted(_targets(event_))
    ]
    if not rows:
        return
    insert_rows(Correction, rows)
    _invalidate(rows)
    rulings = [
        (message_, event_, event_.body)
        for message_, event_ in new
        if isinstance(event_.body, ev.Overturn | ev.StatCorrection)
    ]
    last_corrections = _last_corrections(
        {(event.game_id, body.event) for _, event, body in rulings}
    )
    insert_events(
        [
            Revision(
                message,
                event,
                body.ruling,
                body.event,
                event.event_number,
                plays[event.game_id, body.event],
                valid=last_corrections[event.game_id, body.event] == event.event_number,
            )
            for message, event, body in rulings
        ]
    )


def _lower(table: str, more: str = "") -> TextClause:
    """Invalidate every revision below a correction of its event."""
    return text(f"""
        UPDATE {table} AS t SET valid = false
        FROM json_to_recordset(CAST(:rows AS json)) AS c(game_id text, event_number int,
          revision int)
        WHERE (t.game_id, t.event_number) = (c.game_id, c.event_number) AND t.revision < c.revision
          AND t.valid {more}
    """)  # noqa: S608 (made of the models' own names alone)


_LOWER_EVENTS = _lower(RecordedEvent.__tablename__, "RETURNING t.type")
_LOWER_PLAYS = {name: _lower(name) for name in PLAY_ROWS}


def _invalidate(corrections: Sequence[dict[str, Any]]) -> None:
    rows = {"rows": as_json(corrections)}
    kinds = {ev.EVENT_TYPES[name] for name in db.session.scalars(_LOWER_EVENTS, rows)}
    for table in sorted({kind.table.name for kind in kinds if kind.table is not None}):
        db.session.execute(_LOWER_PLAYS[table], rows)


_NAMED = "json_to_recordset(CAST(:keys AS json)) AS k(game_id text, event_number int)"
_PLAYS_OF = text(f"""
    SELECT game_id, event_number, play_number FROM events JOIN {_NAMED} USING (game_id,
      event_number) WHERE revision = 0
""")  # noqa: S608 (made of our own words alone)
_LAST_CORRECTIONS = text(f"""
    SELECT game_id, event_number, max(revision) FROM corrections JOIN {_NAMED} USING (game_id,
      event_number)
    GROUP BY game_id, event_number
""")  # noqa: S608 (made of our own words alone)


def _plays_of(keys: Collection[Key]) -> dict[Key, int]:
    """The play that each of these events came with; missing events are left out."""
    return _by_key(_PLAYS_OF, keys)


def _last_corrections(keys: Collection[Key]) -> dict[Key, int]:
    """The highest number of a correction of each of these events."""
    return _by_key(_LAST_CORRECTIONS, keys)


def _by_key(statement: TextClause, keys: Collection[Key]) -> dict[Key, int]:
    key_rows = [{"game_id": game_id, "event_number": number} for game_id, number in sorted(keys)]
    rows = db.session.execute(statement, {"keys": as_json(key_rows)}) if key_rows else ()
    return {(game_id, number): value for game_id, number, value in rows}

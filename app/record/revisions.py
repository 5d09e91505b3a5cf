"""Revisions of events on their way into the record: their rows in `events` and in the play tables,
and what corrections do to them. All of a batch together: a statement for each table, however many
games and events there are.

Not here: which messages are taken (ingest.py), what follows from the rows (totals.py). Only the
caller commits.
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
    """What `event`, which came as `message`, says that event `number` was: 0 is the original, else
    the ruling has the number of its correction.
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
    """`count`: corrections that are new; `touched`: plays by game.

    `deferred`: those whose original is missing.
    """

    count: int = 0
    seen: int = 0
    deferred: list[Message] = field(default_factory=list)
    touched: defaultdict[str, set[int]] = field(default_factory=lambda: defaultdict(set))


def insert_events(revisions: Sequence[Revision]) -> list[Revision]:
    """Inserts the revisions with their rows in the play tables.

    Gives those that were not there, in their order.
    """
    written = insert_rows(
        RecordedEvent,
        [
            {
                **_key(one),
                "type": ev.type_of(one.body),
                "body": one.body,
                "epoch": one.event.epoch,
                "recorded_at": one.event.recorded_at,
                "partition": one.message.partition,
                "offset": one.message.offset,
            }
            for one in revisions
        ],
        returning=("game_id", "event_number", "revision"),
    )
    keys = {tuple(row) for row in written}
    new = [one for one in revisions if (one.event.game_id, one.number, one.revision) in keys]
    by_table: dict[Any, list[dict[str, Any]]] = {}
    for one in new:
        if (found := row_of(one.body, one.event.recorded_at)) is not None:
            table, columns = found
            by_table.setdefault(table, []).append(_key(one) | columns)
    for table, rows in by_table.items():
        insert_rows(table, rows)
    return new


def _key(one: Revision) -> dict[str, Any]:
    """The columns that a revision's row in the play tables shares with its row in `events`."""
    return {
        "game_id": one.event.game_id,
        "event_number": one.number,
        "revision": one.revision,
        "play_number": one.play_number,
        "valid": one.valid,
    }


def correct(events: Sequence[tuple[Message, ev.GameEvent]]) -> Corrected:
    """Applies corrections (and nothing else may come), in order: an original, or another
    correction, must be in the record or stand before what corrects it.

    The highest revision wins whatever the order of arrival: revision r of an event is valid exactly
    when no correction with a number above r names it.
    """
    done = Corrected()
    if not events:
        return done
    plays = _plays_of(
        {(e.game_id, number) for _, e in events for number in (e.event_number, *_targets(e))}
    )
    new: list[tuple[Message, ev.GameEvent]] = []
    for message, event in events:
        own = (event.game_id, event.event_number)
        named = [(event.game_id, number) for number in _targets(event)]
        if any(key not in plays for key in named):
            done.deferred.append(message)
        elif own in plays:
            done.seen += 1
        else:
            plays[own] = event.play_number
            new.append((message, event))
            done.touched[event.game_id] |= {event.play_number, *(plays[key] for key in named)}
    done.count = len(new)
    insert_events(
        [Revision(m, e, e.body, e.event_number, 0, e.play_number, valid=True) for m, e in new]
    )
    _correct(new, plays)
    return done


def _targets(event: ev.GameEvent) -> set[int]:
    assert isinstance(event.body, ev.Correction)
    return set(event.body.targets)


def _correct(new: Sequence[tuple[Message, ev.GameEvent]], plays: dict[Key, int]) -> None:
    """Notes the corrections, takes away what they correct, and inserts what they rule instead."""
    rows = [
        {
            "game_id": e.game_id,
            "event_number": number,
            "revision": e.event_number,
            "kind": ev.type_of(e.body),
        }
        for _, e in new
        for number in sorted(_targets(e))
    ]
    if not rows:
        return
    insert_rows(Correction, rows)
    _invalidate(rows)
    rulings = [
        (m, e, e.body) for m, e in new if isinstance(e.body, ev.Overturn | ev.StatCorrection)
    ]
    last = _last_corrections({(event.game_id, body.event) for _, event, body in rulings})
    insert_events(
        [
            Revision(
                message,
                event,
                body.ruling,
                body.event,
                event.event_number,
                plays[event.game_id, body.event],
                valid=last[event.game_id, body.event] == event.event_number,
            )
            for message, event, body in rulings
        ]
    )


def _lower(table: str, more: str = "") -> TextClause:
    """Makes every revision invalid that is below a correction of its event."""
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
    """The play that each of these events came with.

    Those that are not in the record are left out.
    """
    return _by_key(_PLAYS_OF, keys)


def _last_corrections(keys: Collection[Key]) -> dict[Key, int]:
    """The highest number of a correction of each of these events."""
    return _by_key(_LAST_CORRECTIONS, keys)


def _by_key(statement: TextClause, keys: Collection[Key]) -> dict[Key, int]:
    given = [{"game_id": game_id, "event_number": number} for game_id, number in sorted(keys)]
    found = db.session.execute(statement, {"keys": as_json(given)}) if given else ()
    return {(game_id, number): value for game_id, number, value in found}

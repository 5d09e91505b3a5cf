"""Attempts into PostgreSQL by the batch: COPY into a table of the connection's own, then in, doubles left out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from psycopg.types.json import Json, Jsonb
from sqlalchemy import text

from app.core.clock import from_us
from app.core.db import db
from app.scores.events import ScoreEvent


@dataclass
class Judged:
    """A score as it was decided, and where its message stands."""

    event: ScoreEvent
    partition: int
    offset: int
    state: str
    reasons: list[str]


_COLUMNS = {
    "event_id": "uuid",
    "attempt_id": "uuid",
    "player_id": "uuid",
    "mode_id": "uuid",
    "score": "int8",
    "subscore": "int8",
    "achieved_at": "timestamptz",
    "fraud_state": "text",
    "fraud_reasons": "text[]",
    "score_metadata": "json",
    "client_meta": "jsonb",
    "device": "text",
    "address": "text",
    "replay": "text",
    "kafka_partition": "int4",
    "kafka_offset": "int8",
}
_NAMES = ", ".join(_COLUMNS)
_TYPED = ", ".join(f"{name} {kind}" for name, kind in _COLUMNS.items())
_DRAFT = text(f"CREATE TEMP TABLE IF NOT EXISTS incoming_scores ({_TYPED}) ON COMMIT DELETE ROWS")
_INSERT = text(
    f"INSERT INTO score_attempts ({_NAMES}) SELECT {_NAMES} FROM incoming_scores ORDER BY event_id"  # noqa: S608
    " ON CONFLICT DO NOTHING RETURNING event_id"
)


def insert(rows: Iterable[Judged]) -> set[UUID]:
    """Inserts the attempts that are not there yet; gives their events. The caller commits."""
    db.session.execute(_DRAFT)
    connection: Any = db.session.connection().connection.driver_connection
    with connection.cursor() as cursor, cursor.copy(f"COPY incoming_scores ({_NAMES}) FROM STDIN") as copy:
        copy.set_types(list(_COLUMNS.values()))
        for row in rows:
            copy.write_row(_values(row))
    return set(db.session.scalars(_INSERT))


def _values(row: Judged) -> tuple[Any, ...]:
    event = row.event
    return (
        event.event_id,
        event.attempt_id,
        event.player_id,
        event.mode_id,
        event.score,
        event.subscore,
        from_us(event.achieved_at),
        row.state,
        row.reasons,
        None if event.metadata is None else Json(event.metadata),
        Jsonb(event.client_meta),
        event.device,
        event.address,
        event.replay,
        row.partition,
        row.offset,
    )

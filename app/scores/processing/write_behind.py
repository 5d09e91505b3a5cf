"""Writes attempts to PostgreSQL in batches: one statement, one round trip, no duplicates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import msgspec
from psycopg.errors import UniqueViolation
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from app.core.clock import from_us
from app.core.db import db
from app.scores.events import ScoreEvent


@dataclass
class Judged:
    """A score as it was decided, and the position of its message."""

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
    "session_id": "text",
    "kafka_partition": "int4",
    "kafka_offset": "int8",
}
_NAMES = ", ".join(_COLUMNS)
_TYPED = ", ".join(f"{name} {kind}" for name, kind in _COLUMNS.items())
_INSERT = text(
    f"INSERT INTO score_attempts ({_NAMES})"  # noqa: S608
    f" SELECT {_NAMES} FROM json_to_recordset(CAST(:rows AS json)) AS incoming ({_TYPED}) ORDER BY "
    "event_id"
)
_encode = msgspec.json.Encoder().encode


def insert(rows: Iterable[Judged]) -> bool:
    """Insert the attempts with their keys (ScoreAttemptKey); the caller commits.

    Returns:
        False if another writer has inserted one of them meanwhile: roll back.
    """
    sent = _encode([dict(zip(_COLUMNS, _values(row), strict=True)) for row in rows]).decode()
    try:
        db.session.execute(_INSERT, {"rows": sent})
    except IntegrityError as error:
        if isinstance(error.orig, UniqueViolation):
            return False
        raise
    return True


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
        event.metadata,
        event.client_meta,
        event.device,
        event.address,
        event.replay,
        event.session_id,
        row.partition,
        row.offset,
    )

"""Metadata of the records on a board: the game's JSON object of the score that counts.

A record is found by what the board holds of the player, so it is the best score's metadata, not the
last one's; of a sum it is the last addend's. A score that Redis shows a moment before PostgreSQL
has it has no metadata until then. Modes without metadata cost nothing. events.metadata_fault says
what may be in it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import select, text, union_all

from app.accounts import sanctions
from app.boards.archive.archived_board import ArchivedBoard
from app.boards.reads import Row
from app.boards.services import Reading
from app.core.blob_store import blob_store
from app.core.db import db
from app.scores.archive import reads as archive
from app.scores.models import ArchivedStanding, ScoreAttempt
from app.scores.standings.own_place import own_record

Metadata = dict[str, Any]

_STANDING = """
    SELECT player_id, score AS key, event_id FROM board_scores
    WHERE board_id = :board AND player_id = ANY(CAST(:players AS uuid[]))
"""


def of_rows(reading: Reading, rows: Collection[Row]) -> dict[str, Metadata]:
    """Return the metadata of these rows by member, for scores that have any.

    At most two statements, and for an archived board those of the months of its scores.
    """
    if not reading.mode.takes_metadata or reading.record is None or not rows:
        return {}
    order = reading.mode.ordering
    if isinstance(reading.board, ArchivedBoard):
        events = reading.board.events([row.member for row in rows])
        in_postgresql = of_events(events)
        players = {
            event: UUID(member) for member, event in events.items() if member not in in_postgresql
        }
        archived = archive.metadata_of(blob_store(), players)
        return in_postgresql | {
            member: archived[event] for member, event in events.items() if event in archived
        }
    table = (
        _STANDING.replace("board_scores", "frozen_scores")
        if reading.record.frozen_at
        else _STANDING
    )
    values = {"board": reading.record.id, "players": [row.member for row in rows]}
    records = {
        str(record.player_id): (record.key, record.event_id)
        for record in db.session.execute(text(table), values)
    }
    viewer = sanctions.shadowed_viewer()
    if viewer is not None and (viewers_record := own_record(reading, viewer)) is not None:
        records.setdefault(str(viewer), viewers_record)
    keys = {row.member: order.key(row.score, row.subscore) for row in rows}
    return of_events(
        {member: event for member, (key, event) in records.items() if keys.get(member) == key}
    )


def of_events(events: Mapping[str, UUID]) -> dict[str, Metadata]:
    """Return the metadata of each member's event, unless it left PostgreSQL with its board."""
    if not events:
        return {}
    query = union_all(
        select(ScoreAttempt.event_id, ScoreAttempt.score_metadata).where(
            ScoreAttempt.event_id.in_(events.values()), ScoreAttempt.score_metadata.is_not(None)
        ),
        select(ArchivedStanding.event_id, ArchivedStanding.score_metadata).where(
            ArchivedStanding.player_id.in_([UUID(member) for member in events]),
            ArchivedStanding.event_id.in_(events.values()),
            ArchivedStanding.score_metadata.is_not(None),
        ),
    )
    by_event = {row.event_id: row.score_metadata for row in db.session.execute(query)}
    return {member: by_event[event] for member, event in events.items() if event in by_event}

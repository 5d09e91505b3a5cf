"""All that is known of one event of a game: message, position, revisions and what it earned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import or_, select

from app.core.blob_store import BlobStoreError, blob_store
from app.core.db import db
from app.moderation.inspection import Message, from_kafka, pretty
from app.record.models import Correction, LedgerEntry, RecordedEvent
from app.stream import archive
from app.stream.models import OutboxMessage
from app.stream.segments import BrokenSegmentError
from app.stream.topics import GAME_EVENTS


@dataclass(frozen=True)
class EventInspection:
    """An event: what the scorer sent, every revision, its corrections and what it earned."""

    outbox: OutboxMessage | None
    rows: Sequence[RecordedEvent]
    corrections: Sequence[Correction]
    ledger: Sequence[LedgerEntry]


def inspect_event(game_id: str, event_number: int) -> EventInspection | None:
    """Load all that is known of an event, or None if there is no such event."""
    outbox = db.session.scalar(
        select(OutboxMessage).where(
            OutboxMessage.game_id == game_id, OutboxMessage.event_number == event_number
        )
    )
    here = (RecordedEvent.game_id == game_id, RecordedEvent.event_number == event_number)
    rows = db.session.scalars(
        select(RecordedEvent).where(*here).order_by(RecordedEvent.revision)
    ).all()
    if outbox is None and not rows:
        return None
    corrections = db.session.scalars(
        select(Correction)
        .where(
            Correction.game_id == game_id,
            or_(Correction.event_number == event_number, Correction.revision == event_number),
        )
        .order_by(Correction.revision)
    ).all()
    ledger = db.session.scalars(
        select(LedgerEntry)
        .where(LedgerEntry.game_id == game_id, LedgerEntry.event_number == event_number)
        .order_by(LedgerEntry.id)
    ).all()
    return EventInspection(outbox, rows, corrections, ledger)


def event_message(
    game_id: str, event_number: int, partition: int | None, offset: int | None
) -> Message:
    """Read the message from Kafka, or from the archive if Kafka no longer has it."""
    message = Message("", "", "It was not published.")
    if partition is not None and offset is not None:
        message = from_kafka(GAME_EVENTS, partition, offset)
    if not message.fault:
        return message
    for segment in archive.segments_of(game_id):
        if event_number in segment.event_numbers:
            try:
                messages = archive.load(blob_store(), segment)
            except (BrokenSegmentError, BlobStoreError) as error:
                return Message("", "", f"{message.fault} The archive cannot be read: {error}.")
            value = messages[segment.event_numbers.index(event_number)].value
            return Message(f"the archive ({segment.name})", pretty(value))
    return message

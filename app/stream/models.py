"""Tables of the stream: outbox, archived segments, dead letters, counts of refused messages.

The outbox holds every accepted event, written in the transaction that numbered it (PRODUCT A2, A4).
It is the source of truth for what scorers entered: Kafka can be refilled from it.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import BigId, CreatedAt, db

Model: Any = db.Model

# True for a message that declares a final score or turns another event into one.
DECLARES_FINAL = """position('"type":"final"'::bytea IN payload) > 0"""


class OutboxMessage(Model):
    """An accepted event. `payload` is the exact message.

    Partition and offset are set once every in-sync replica has the message. Messages of practice
    games are stored only here and never published.
    """

    __tablename__ = "outbox"

    id: Mapped[BigId]
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"))
    event_number: Mapped[int]
    play_number: Mapped[int]
    idempotency_key: Mapped[str]
    payload: Mapped[bytes] = mapped_column(LargeBinary)
    is_practice: Mapped[bool] = mapped_column(server_default="false")
    accepted_at: Mapped[CreatedAt]
    published_at: Mapped[datetime | None]
    partition: Mapped[int | None]
    offset: Mapped[int | None] = mapped_column(BigInteger)

    __table_args__ = (
        UniqueConstraint("game_id", "event_number", name="uq_outbox_event_number"),
        UniqueConstraint("game_id", "idempotency_key", name="uq_outbox_idempotency_key"),
        Index(
            "ix_outbox_unpublished",
            "id",
            postgresql_where=text("published_at IS NULL AND NOT is_practice"),
        ),
        Index("ix_outbox_final", "game_id", "event_number", postgresql_where=text(DECLARES_FINAL)),
    )


class ArchivedSegment(Model):
    """An object in the blob store: these events of a game, taken from the topic on this UTC day.

    `verified_at` is when it was last read back complete. It is empty if the object was found broken
    and could not be repaired. `sha256` is that of segments.digest(). An event is in at most one
    verified segment.
    """

    __tablename__ = "archived_segments"

    topic: Mapped[str] = mapped_column(primary_key=True)
    game_id: Mapped[str] = mapped_column(primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    segment: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    count: Mapped[int]
    sha256: Mapped[str]
    event_numbers: Mapped[list[int]] = mapped_column(ARRAY(Integer))
    written_at: Mapped[datetime]
    verified_at: Mapped[datetime | None]

    __table_args__ = (UniqueConstraint("name", name="uq_archived_segments_name"),)


class DeadLetter(Model):
    """A message that could not be ingested, with the reason.

    `replays` is how often it was sent again, and `replayed_at` when it was last. `done_at` is when
    it was dealt with (a message that fails again after a replay is a new row). `dropped_because` is
    an operator's reason to give it up. If `is_ours` is false, it had no valid signature: its
    content and key are unverified, and only the beginning of a long one is stored.
    """

    __tablename__ = "dead_letters"

    id: Mapped[BigId]
    topic: Mapped[str]
    partition: Mapped[int]
    offset: Mapped[int] = mapped_column(BigInteger)
    key: Mapped[str | None]
    payload: Mapped[bytes] = mapped_column(LargeBinary)
    reason: Mapped[str]
    is_ours: Mapped[bool] = mapped_column(server_default="true")
    created_at: Mapped[CreatedAt]
    replays: Mapped[int] = mapped_column(server_default="0")
    replayed_at: Mapped[datetime | None]
    done_at: Mapped[datetime | None]
    dropped_because: Mapped[str | None]

    __table_args__ = (
        # Includes the content, because a new in-memory broker starts its offsets from 0 again.
        Index(
            "ix_dead_letters_message",
            "topic",
            "partition",
            "offset",
            text("sha256(payload)"),
            unique=True,
        ),
        Index("ix_dead_letters_not_ours", "topic", postgresql_where=text("NOT is_ours")),
        Index("ix_dead_letters_open", "created_at", postgresql_where=text("done_at IS NULL")),
    )


class RefusedMessages(Model):
    """The number of messages without a valid signature per topic, UTC day and reason.

    The first of them are also stored as dead letters that are not ours. During a flood the others
    are only counted here. Messages that are delivered again after a crash may be counted again.
    """

    __tablename__ = "refused_messages"

    topic: Mapped[str] = mapped_column(primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    reason: Mapped[str] = mapped_column(primary_key=True)
    messages: Mapped[int] = mapped_column(BigInteger)
    last_at: Mapped[datetime]

"""The outbox: every accepted event, written in the same transaction that numbered it (PRODUCT A2, A4).

It is the truth of what scorers did; Kafka can be refilled from it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, LargeBinary, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import BigId, CreatedAt, db

Model: Any = db.Model


class OutboxMessage(Model):
    """`payload` is the message to the letter; partition and offset are set once every in-sync replica has it.

    Messages of practice games are kept here alone: the relay never sees them.
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
        Index("ix_outbox_unpublished", "id", postgresql_where=text("published_at IS NULL AND NOT is_practice")),
    )

"""Tables of webhooks: where integrators are notified, and every delivery.

Webhooks and their places in the feed are source data; deliveries are kept for a limited time.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Index,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, TEXT
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import BigId, CreatedAt, db

Model: Any = db.Model


class Webhook(Model):
    """An address of an integrator that is notified of changes.

    `place` is the place in the feed up to which deliveries were created. The secret is stored in
    the clear: every delivery is signed with it, and until `old_secret_until` with the one before
    too. While `leased_until` has not passed, the worker that holds `lease` is sending.
    """

    __tablename__ = "webhooks"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    integrator_id: Mapped[int] = mapped_column(ForeignKey("integrators.id", ondelete="CASCADE"))
    url: Mapped[str]
    events: Mapped[list[str]] = mapped_column(ARRAY(TEXT))
    secret: Mapped[str]
    old_secret: Mapped[str | None]
    old_secret_until: Mapped[datetime | None]
    created_at: Mapped[CreatedAt]
    place: Mapped[int] = mapped_column(BigInteger)
    leased_until: Mapped[datetime | None]
    lease: Mapped[UUID | None]

    __table_args__ = (
        Index("ix_webhooks_integrator_id", "integrator_id"),
        CheckConstraint("(old_secret IS NULL) = (old_secret_until IS NULL)", name="old_secret"),
    )


class WebhookDelivery(Model):
    """One body for one webhook; `number` counts from 1 in the order of the feed.

    Waiting deliveries are sent in that order. Tries end a day after `first_tried_at`, which is None
    before the first one. `replays` counts how often an operator sent it again after its last try.
    `timeline` is the newest fork of the feed (FeedFork) when it was created, or 0; it is part of
    the message's id, because numbers start again behind the restored ones.
    """

    __tablename__ = "webhook_deliveries"

    id: Mapped[BigId]
    webhook_id: Mapped[UUID] = mapped_column(ForeignKey("webhooks.id", ondelete="CASCADE"))
    number: Mapped[int]
    body: Mapped[str]
    state: Mapped[str] = mapped_column(server_default="waiting")
    tries: Mapped[int] = mapped_column(server_default="0")
    next_at: Mapped[datetime]
    made_at: Mapped[datetime]
    first_tried_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    status: Mapped[int | None]
    reason: Mapped[str | None]
    replays: Mapped[int] = mapped_column(server_default="0")
    timeline: Mapped[int] = mapped_column(BigInteger, server_default="0")

    __table_args__ = (
        UniqueConstraint("webhook_id", "number", name="uq_webhook_deliveries_number"),
        CheckConstraint("state in ('waiting', 'delivered', 'dead')", name="state"),
        CheckConstraint("(state = 'waiting') = (ended_at IS NULL)", name="ended_at"),
        Index(
            "ix_webhook_deliveries_waiting",
            "webhook_id",
            "number",
            postgresql_where=text("state = 'waiting'"),
        ),
        Index("ix_webhook_deliveries_ended_at", "ended_at"),
        Index("ix_webhook_deliveries_dead", "ended_at", postgresql_where=text("state = 'dead'")),
    )

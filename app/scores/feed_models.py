"""Tables of the change feed and of webhooks.

BoardChange is written by a trigger on board_scores (migration "friends"), whoever writes there, for
the boards of integrators alone. Truth: webhooks and their place in the feed. Kept for a time:
changes and deliveries.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Identity,
    Index,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TEXT
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import BigId, CreatedAt, db

Model: Any = db.Model


class BoardChange(Model):
    """What a player holds on a board from now on: a key (app/boards/order.py); None: they left it.

    Or, without a board, what else integrators are told: `event`, and `details` as the feed gives
    them. Of a player (app/competitions: rewards), or of nobody (app/scores/deletion.py: a mode or a
    game is gone).

    `place`: where it stands in the feed; None until it is assigned, after the commit
    (feed_places.py). A player's changes on a board have rising ids: the row in board_scores is
    locked before the id is given.
    """

    __tablename__ = "board_changes"

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    integrator_id: Mapped[int] = mapped_column(ForeignKey("integrators.id", ondelete="CASCADE"))
    board_id: Mapped[int | None] = mapped_column(ForeignKey("boards.id", ondelete="CASCADE"))
    player_id: Mapped[UUID | None]
    score: Mapped[int | None] = mapped_column(BigInteger)
    event: Mapped[str | None]
    details: Mapped[dict[str, Any] | None] = mapped_column(JSONB)
    changed_at: Mapped[datetime] = mapped_column(server_default=func.now())
    place: Mapped[int | None] = mapped_column(BigInteger)

    __table_args__ = (
        CheckConstraint(
            "(board_id IS NULL) = (event IS NOT NULL) AND (event IS NULL) = (details IS NULL)",
            name="event",
        ),
        CheckConstraint("player_id IS NOT NULL OR event IS NOT NULL", name="player"),
        UniqueConstraint("place", name="uq_board_changes_place"),
        Index("ix_board_changes_feed", "integrator_id", "place"),
        Index("ix_board_changes_unplaced", "id", postgresql_where=text("place IS NULL")),
        Index("ix_board_changes_changed_at", "changed_at"),
        Index("ix_board_changes_board_id", "board_id"),
    )


class FeedState(Model):
    """One row: the last place that was assigned, and the database in which that was
    (feed_places.HERE).
    """

    __tablename__ = "feed_state"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False, server_default="1")
    last_place: Mapped[int] = mapped_column(BigInteger, server_default="0")
    server: Mapped[str | None]

    __table_args__ = (CheckConstraint("id = 1", name="single"),)


class FeedFork(Model):
    """The database was restored, copied or failed over: what has a place after `kept_through` and
    before `resumed_from` was given to readers and is no more.
    """

    __tablename__ = "feed_forks"

    resumed_from: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    kept_through: Mapped[int] = mapped_column(BigInteger)
    at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (CheckConstraint("kept_through < resumed_from", name="forward"),)


class FeedFloor(Model):
    """Up to where an integrator's changes are no longer kept."""

    __tablename__ = "feed_floors"

    integrator_id: Mapped[int] = mapped_column(
        ForeignKey("integrators.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    place: Mapped[int] = mapped_column(BigInteger)


class Webhook(Model):
    """An address of an integrator that is notified of changes.

    `place`: up to where of the feed deliveries were made. The secret is kept as it is: every
    delivery is signed with it, and until `old_secret_until` with the one before it too.

    `leased_until`: a worker is sending until then; `lease` is its name.
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

    Waiting ones go in that order.

    `first_tried_at`: tries end a day after it; None before the first one. `replays`: how often an
    operator has sent it again after its last try. `timeline`: 0, or the newest fork of the feed
    (FeedFork) when it was made. Numbers begin anew behind the restored ones, so it is part of the
    message's id.
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

"""Tables of the change feed.

A trigger on board_scores (migration "friends") writes BoardChange rows, only for boards of
integrators. Changes are kept for a limited time.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

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
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import db

Model: Any = db.Model


class BoardChange(Model):
    """What a player holds on a board from now on: a key (app/boards/order.py); None: they left.

    Without a board it is another event for integrators: `event`, with `details` as the feed gives
    them. Such an event concerns a player (rewards of app/competitions) or nobody
    (app/scores/deletion/games.py: a mode or game is gone).

    `place` is where it stands in the feed; None until it is assigned after the commit (places.py).
    A player's changes on a board have rising ids, because the row in board_scores is locked before
    the id is drawn.
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
    """One row: the last assigned place and the database that assigned it (places.HERE)."""

    __tablename__ = "feed_state"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False, server_default="1")
    last_place: Mapped[int] = mapped_column(BigInteger, server_default="0")
    server: Mapped[str | None]

    __table_args__ = (CheckConstraint("id = 1", name="single"),)


class FeedFork(Model):
    """A restore, copy or failover of the database.

    Readers got changes with places after `kept_through` and before `resumed_from` that no
    longer exist.
    """

    __tablename__ = "feed_forks"

    resumed_from: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    kept_through: Mapped[int] = mapped_column(BigInteger)
    at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (CheckConstraint("kept_through < resumed_from", name="forward"),)


class FeedFloor(Model):
    """The place up to which an integrator's changes are no longer kept."""

    __tablename__ = "feed_floors"

    integrator_id: Mapped[int] = mapped_column(
        ForeignKey("integrators.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    place: Mapped[int] = mapped_column(BigInteger)

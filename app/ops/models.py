"""Tables of requested operations, of incidents, and of counts for the objectives."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import BigId, db

Model: Any = db.Model

WAITING, RUNNING, DONE, FAILED = "waiting", "running", "done", "failed"


class Operation(Model):
    """A requested operation: a drill of drills.DRILLS, or sending dead letters again.

    `progress` is the newest line of a running operation, `outcome` its result or why it failed. A
    dry run changes nothing.
    """

    __tablename__ = "operations"

    id: Mapped[BigId]
    kind: Mapped[str]
    arguments: Mapped[dict[str, Any]] = mapped_column(JSONB, server_default="{}")
    is_dry_run: Mapped[bool]
    member_id: Mapped[int | None] = mapped_column(ForeignKey("members.id"))
    reason: Mapped[str]
    state: Mapped[str] = mapped_column(server_default="waiting")
    progress: Mapped[str] = mapped_column(server_default="")
    outcome: Mapped[str] = mapped_column(server_default="")
    created_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]

    @property
    def steps(self) -> tuple[int, int] | None:
        """How many steps of how many are done, if the newest line of progress says so."""
        match = re.search(r"(\d+) of (\d+)", self.progress)
        return (int(match[1]), int(match[2])) if match else None

    __table_args__ = (
        CheckConstraint("state in ('waiting', 'running', 'done', 'failed')", name="state"),
    )


class Incident(Model):
    """A part that was down, or a store that was restarted; at most one is open per part.

    `mended_by` says what ended it; it is None while the incident goes on.
    """

    __tablename__ = "incidents"

    id: Mapped[BigId]
    part: Mapped[str]
    cause: Mapped[str]
    began_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
    mended_by: Mapped[str | None]

    __table_args__ = (
        CheckConstraint("(ended_at IS NULL) = (mended_by IS NULL)", name="ended"),
        CheckConstraint("ended_at >= began_at", name="order"),
        Index("uq_incidents_open", "part", unique=True, postgresql_where=text("ended_at IS NULL")),
        Index("ix_incidents_began_at", "began_at"),
    )


class StoreStart(Model):
    """The last known start of a store, as an `id` that changes with each start.

    It is stored, so that the next watch notes a restart that no watch has seen. A start of all of
    Pressbox deletes it.
    """

    __tablename__ = "store_starts"

    store: Mapped[str] = mapped_column(primary_key=True)
    id: Mapped[str]
    at: Mapped[datetime]


class MeasureCount(Model):
    """How often something was counted (app/core/metrics.py).

    `span`: `bin` (five minutes from `at`), `day` (UTC) or `total` (`at` is 1970).
    """

    __tablename__ = "measure_counts"

    span: Mapped[str] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(primary_key=True)
    field: Mapped[str] = mapped_column(primary_key=True)
    count: Mapped[int] = mapped_column(BigInteger)

    __table_args__ = (CheckConstraint("span in ('bin', 'day', 'total')", name="span"),)


class Timeline(Model):
    """The restore epoch (app/core/restore_epoch.py): no row before the first restore."""

    __tablename__ = "timeline"

    epoch: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)

    __table_args__ = (CheckConstraint("epoch > 0", name="epoch"),)

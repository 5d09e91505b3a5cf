"""The table of jobs that failed for good."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import BigId, db

Model: Any = db.Model


class DeadJob(Model):
    """A job that is not retried by itself. In PostgreSQL, so that it survives Redis.

    `payload`: the arguments as they were sent. `cause`: the kind of error, for grouping; `error`:
    its last message. `attempts`: how often it ran. `replays`: how often an operator sent it again;
    `replayed_at`: the last time. `done_at`: when it was closed; `dropped_because`: an operator's
    reason for dropping it. `rq_id`: the run that failed last, so that it is counted once. A job
    that fails again after a replay keeps its row.
    """

    __tablename__ = "dead_jobs"

    id: Mapped[BigId]
    queue: Mapped[str]
    job: Mapped[str]
    key: Mapped[str]
    payload: Mapped[dict[str, Any]]
    cause: Mapped[str]
    error: Mapped[str]
    attempts: Mapped[int]
    first_failed_at: Mapped[datetime]
    died_at: Mapped[datetime]
    replays: Mapped[int] = mapped_column(server_default="0")
    replayed_at: Mapped[datetime | None]
    done_at: Mapped[datetime | None]
    dropped_because: Mapped[str | None]
    rq_id: Mapped[str]

    __table_args__ = (
        UniqueConstraint("job", "key", name="uq_dead_jobs_key"),
        Index("ix_dead_jobs_open", "died_at", postgresql_where=text("done_at IS NULL")),
    )

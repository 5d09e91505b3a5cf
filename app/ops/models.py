"""The table of operations: drills, replays and backups that an operator asked for, with how far they are."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import BigId, db

Model: Any = db.Model

WAITING, RUNNING, DONE, FAILED = "waiting", "running", "done", "failed"


class Operation(Model):
    """`kind`: of drills.DRILLS, or dead letters to send again. `progress`: the newest line of a running one;
    `outcome`: what came of it, or why it failed. A dry run changes nothing."""

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
        """How many are done of how many, where the newest line of progress says so."""
        found = re.search(r"(\d+) of (\d+)", self.progress)
        return (int(found[1]), int(found[2])) if found else None

    __table_args__ = (CheckConstraint("state in ('waiting', 'running', 'done', 'failed')", name="state"),)

"""Tables of waivers. All of it is truth: claims, and what runs decided."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    SmallInteger,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import BigId, db

Model: Any = db.Model


class WaiverRun(Model):
    """A run of a league. Its time is unique, so that a run which is begun again changes nothing.

    Attributes:
        attempt: From 1; it rises when the commissioner has the run decided anew.
        priorities: The franchises before the run, the first one first.
    """

    __tablename__ = "waiver_runs"

    id: Mapped[BigId]
    league_id: Mapped[int] = mapped_column(ForeignKey("leagues.id", ondelete="CASCADE"))
    scheduled_for: Mapped[datetime]
    processed_at: Mapped[datetime]
    attempt: Mapped[int] = mapped_column(SmallInteger, server_default="1")
    priorities: Mapped[list[int]] = mapped_column(ARRAY(SmallInteger))

    __table_args__ = (
        UniqueConstraint("league_id", "scheduled_for", name="uq_waiver_runs_scheduled_for"),
        CheckConstraint("attempt > 0", name="attempt"),
    )


class WaiverClaim(Model):
    """A franchise's claim. Others see it once it is decided.

    Attributes:
        position: Its place among the franchise's open claims, from 1.
        claim_group: Of the claims of one group only the first that wins counts.
        run_id: The run that decided it; None while it is open.
        result: What the run decided: rules.Result, or `cancelled`.
    """

    __tablename__ = "waiver_claims"

    id: Mapped[BigId]
    league_id: Mapped[int] = mapped_column(BigInteger)
    franchise: Mapped[int] = mapped_column(SmallInteger)
    footballer_id: Mapped[str] = mapped_column(ForeignKey("footballers.id"))
    drop_id: Mapped[str | None] = mapped_column(ForeignKey("footballers.id"))
    bid: Mapped[int] = mapped_column(server_default="0")
    position: Mapped[int] = mapped_column(SmallInteger)
    claim_group: Mapped[int | None] = mapped_column(SmallInteger)
    placed_at: Mapped[datetime]
    run_id: Mapped[int | None] = mapped_column(ForeignKey("waiver_runs.id", ondelete="CASCADE"))
    result: Mapped[str | None]
    reason: Mapped[str] = mapped_column(server_default="")

    __table_args__ = (
        ForeignKeyConstraint(
            ["league_id", "franchise"],
            ["franchises.league_id", "franchises.number"],
            name="fk_waiver_claims_franchise",
            ondelete="CASCADE",
        ),
        Index(
            "uq_waiver_claims_open",
            "league_id",
            "franchise",
            "footballer_id",
            text("coalesce(drop_id, '')"),
            unique=True,
            postgresql_where=text("result IS NULL"),
        ),
        Index("ix_waiver_claims_run_id", "run_id"),
        CheckConstraint("bid >= 0", name="bid"),
        CheckConstraint("position > 0", name="position"),
        CheckConstraint(
            "result in ('won', 'lost', 'skipped', 'impossible', 'cancelled')", name="result"
        ),
        CheckConstraint("run_id IS NULL OR result IS NOT NULL", name="run_id"),
    )

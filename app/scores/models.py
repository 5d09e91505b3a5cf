"""Tables of score submission: every submitted score, and later decisions about it.

Source data, append-only except for an attempt's fraud state, `rolled_back_at` and `rollback_id`,
and a correction's `published_at`. Attempts are partitioned by month; three tables describe
months that have left PostgreSQL (app/scores/archive).
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, ClassVar
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    PrimaryKeyConstraint,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSON, TEXT
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import BigId, CreatedAt, db

Model: Any = db.Model


class ScoreAttempt(Model):
    """One submission as it was decided.

    It counts on boards if `fraud_state` is clean and it is not rolled back. `event_id` is derived
    from player and attempt, so a second submission is the same row. `score` is in the mode's
    smallest unit, `subscore` the second number in modes that have one. `score_metadata` is the
    game's own data about the score: shown with it, never interpreted. `session_id` is the game
    server's name of the session in which it was played.

    The table is partitioned by range of `achieved_at`, one UTC month each (decision 104). A unique
    key has to contain the partition's column, so ScoreAttemptKey is what makes `event_id` unique.
    Only attempts of archived months are missing here.
    """

    __tablename__ = "score_attempts"

    event_id: Mapped[UUID] = mapped_column()
    attempt_id: Mapped[UUID]
    player_id: Mapped[UUID] = mapped_column(ForeignKey("players.id"))
    mode_id: Mapped[UUID] = mapped_column(ForeignKey("score_modes.id", ondelete="CASCADE"))
    score: Mapped[int] = mapped_column(BigInteger)
    subscore: Mapped[int | None] = mapped_column(BigInteger)
    achieved_at: Mapped[datetime]
    fraud_state: Mapped[str] = mapped_column(server_default="clean")
    fraud_reasons: Mapped[list[str]] = mapped_column(ARRAY(TEXT), server_default="{}")
    rolled_back_at: Mapped[datetime | None]
    rollback_id: Mapped[UUID | None]  # the bulk rollback that took it back (app/moderation)
    score_metadata: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    client_meta: Mapped[dict[str, Any]] = mapped_column(server_default="{}")
    device: Mapped[str | None]  # salted hashes, as in the message
    address: Mapped[str | None]
    replay: Mapped[str | None]
    session_id: Mapped[str | None]
    rechecked_at: Mapped[datetime | None]  # when the slow layers, or a person, have checked it
    kafka_partition: Mapped[int | None]
    kafka_offset: Mapped[int | None] = mapped_column(BigInteger)
    ingested_at: Mapped[CreatedAt]

    __table_args__ = (
        PrimaryKeyConstraint("event_id", "achieved_at", name="pk_score_attempts"),
        CheckConstraint(
            "octet_length(CAST(score_metadata AS text)) <= 8192", name="score_metadata"
        ),
        CheckConstraint("fraud_state in ('clean', 'flagged', 'rejected')", name="fraud_state"),
        Index("ix_score_attempts_counted", "mode_id", "player_id", "achieved_at"),
        Index("ix_score_attempts_mode_time", "mode_id", "achieved_at"),
        Index("ix_score_attempts_player_time", "player_id", text("ingested_at DESC")),
        Index(
            "ix_score_attempts_recheck",
            "achieved_at",
            postgresql_where=text(
                "rechecked_at IS NULL AND fraud_state = 'clean' AND rolled_back_at IS NULL"
            ),
        ),
        ForeignKeyConstraint(
            ["rollback_id"], ["rollbacks.id"], name="fk_score_attempts_rollback_id"
        ),
        Index(
            "ix_score_attempts_rollback_id",
            "rollback_id",
            postgresql_where=text("rollback_id IS NOT NULL"),
        ),
        Index("ix_score_attempts_address", "address", postgresql_where=text("address IS NOT NULL")),
        Index("ix_score_attempts_device", "device", postgresql_where=text("device IS NOT NULL")),
        Index(
            "ix_score_attempts_flagged",
            "mode_id",
            "ingested_at",
            postgresql_where=text("fraud_state = 'flagged'"),
        ),
        {"postgresql_partition_by": "RANGE (achieved_at)"},
    )
    __mapper_args__: ClassVar = {"primary_key": [event_id]}


class ScoreAttemptKey(Model):
    """Every attempt that was ever decided, in PostgreSQL or archived: none is counted twice.

    A trigger of `score_attempts` adds and removes the keys. They stay when a month is archived, and
    corrections and appeals point to them.
    """

    __tablename__ = "score_attempt_keys"

    event_id: Mapped[UUID] = mapped_column(primary_key=True)
    player_id: Mapped[UUID]
    mode_id: Mapped[UUID]
    achieved_at: Mapped[datetime]


class ScoreMonth(Model):
    """A month of attempts that was archived; with `restored_at` it was brought back since.

    `month` is its first day, in UTC. `settled_at` is when an attempt of the month changed last:
    later moments see it as the archive has it. `blob` and `sha256` are of the Parquet object,
    `rollback_ids` those of whose attempts some are in it. Since `rewrite_since` the object has data
    of people who were erased, or of games that were deleted.
    """

    __tablename__ = "score_months"

    month: Mapped[date] = mapped_column(primary_key=True)
    archived_at: Mapped[datetime]
    settled_at: Mapped[datetime]
    attempts: Mapped[int] = mapped_column(BigInteger)
    blob: Mapped[str]
    sha256: Mapped[str]
    rollback_ids: Mapped[list[UUID]] = mapped_column(ARRAY(Uuid()), server_default="{}")
    rewrite_since: Mapped[datetime | None]
    restored_at: Mapped[datetime | None]

    __table_args__ = (CheckConstraint("extract(day FROM month) = 1", name="month"),)


class ArchivedStanding(Model):
    """What a player's counted attempts of an archived month come to on a board that is still live.

    It has the form of one attempt, and folding it with the player's other attempts gives what all
    attempts would give: the month's best, its latest, or their sum with the time of the latest.
    Hidden players have rows too.
    """

    __tablename__ = "archived_standings"

    board_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("boards.id", ondelete="CASCADE"), primary_key=True
    )
    player_id: Mapped[UUID] = mapped_column(
        ForeignKey("players.id", ondelete="CASCADE"), primary_key=True
    )
    month: Mapped[date] = mapped_column(
        ForeignKey("score_months.month", ondelete="CASCADE"), primary_key=True
    )
    event_id: Mapped[UUID]
    score: Mapped[int] = mapped_column(BigInteger)
    subscore: Mapped[int | None] = mapped_column(BigInteger)
    achieved_at: Mapped[datetime]
    score_metadata: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))

    __table_args__ = (
        Index("ix_archived_standings_player_id", "player_id"),
        Index("ix_archived_standings_month", "month"),
    )


class ScoreCorrection(Model):
    """A decision about an attempt: taken back, or the outcome of a review.

    `before` is the fraud state before it. `member_id` is empty if the anti-cheat's rules decided.
    Redis shows it since `published_at`.
    """

    __tablename__ = "score_corrections"

    id: Mapped[BigId]
    event_id: Mapped[UUID] = mapped_column(
        ForeignKey("score_attempt_keys.event_id", ondelete="CASCADE")
    )
    action: Mapped[str]
    before: Mapped[str]
    member_id: Mapped[int | None] = mapped_column(ForeignKey("members.id"))
    reason: Mapped[str]
    created_at: Mapped[datetime]
    published_at: Mapped[datetime | None]

    __table_args__ = (
        CheckConstraint(
            "action in ('roll_back', 'restore', 'accept', 'reject', 'flag')", name="action"
        ),
        Index("ix_score_corrections_event_id", "event_id"),
        Index(
            "ix_score_corrections_unpublished", "id", postgresql_where=text("published_at IS NULL")
        ),
    )


class AnticheatLimits(Model):
    """A mode's own limits, set by its integrator instead of the defaults.

    `per_minute` and `per_hour` limit the scores of one player; `reach` is that of the fence above
    the cohort.
    """

    __tablename__ = "anticheat_limits"

    mode_id: Mapped[UUID] = mapped_column(
        ForeignKey("score_modes.id", ondelete="CASCADE"), primary_key=True
    )
    per_minute: Mapped[int]
    per_hour: Mapped[int]
    reach: Mapped[int]
    set_by: Mapped[int | None] = mapped_column(ForeignKey("members.id"))
    set_at: Mapped[datetime]

    __table_args__ = (
        CheckConstraint(
            "per_minute BETWEEN 1 AND 1000 AND per_hour BETWEEN per_minute AND 10000 AND reach "
            "BETWEEN 1 AND 100",
            name="bounds",
        ),
    )

"""Tables of competitions.

Declarations, entries, attempts and the ledger of rewards are the truth. An entry's rank, score,
outcome and next tier are derived from them at settlement.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.boards.rules import Aggregation, Ties
from app.core.db import BigId, CreatedAt, db

Model: Any = db.Model
DRAFT, LIVE, ENDED = "draft", "live", "ended"


class Competition(Model):
    """A competition: windows on the scores of one mode.

    `aggregation` and `ties`: the mode's when the competition went live; all windows are settled by
    them. `declaration`: see declaration.py. `live_at`, `ended_at`: when it got this state.
    """

    __tablename__ = "competitions"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    mode_id: Mapped[UUID] = mapped_column(ForeignKey("score_modes.id", ondelete="CASCADE"))
    slug: Mapped[str]
    title: Mapped[str]
    state: Mapped[str] = mapped_column(server_default=DRAFT)
    declaration: Mapped[dict[str, Any]] = mapped_column(JSONB)
    aggregation: Mapped[str | None]
    ties: Mapped[str | None]
    created_at: Mapped[CreatedAt]
    live_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]

    __table_args__ = (
        UniqueConstraint("mode_id", "slug", name="uq_competitions_slug"),
        CheckConstraint("state in ('draft', 'live', 'ended')", name="state"),
        CheckConstraint(
            f"aggregation in {tuple(member.value for member in Aggregation)}", name="aggregation"
        ),
        CheckConstraint(f"ties in {tuple(member.value for member in Ties)}", name="ties"),
        CheckConstraint("(state = 'draft') = (live_at IS NULL)", name="live_at"),
        CheckConstraint("(state = 'ended') = (ended_at IS NOT NULL)", name="ended_at"),
    )


class CompetitionWindow(Model):
    """A window of a competition, created when it goes live.

    `settled_at`: the first settlement; `settlements`: their number. `stale_since`: since when a
    score that counts in it has changed after its end (set by a trigger). `final_at`: the end of the
    correction period.
    """

    __tablename__ = "competition_windows"

    competition_id: Mapped[UUID] = mapped_column(
        ForeignKey("competitions.id", ondelete="CASCADE"), primary_key=True
    )
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    starts_at: Mapped[datetime]
    ends_at: Mapped[datetime]
    join_until: Mapped[datetime]
    settles_at: Mapped[datetime]
    final_at: Mapped[datetime]
    settled_at: Mapped[datetime | None]
    settlements: Mapped[int] = mapped_column(server_default="0")
    stale_since: Mapped[datetime | None]

    __table_args__ = (
        CheckConstraint("starts_at < ends_at AND ends_at < settles_at", name="order"),
        Index(
            "ix_competition_windows_unsettled",
            "settles_at",
            postgresql_where=text("settled_at IS NULL"),
        ),
        Index(
            "ix_competition_windows_stale",
            "stale_since",
            postgresql_where=text("stale_since IS NOT NULL"),
        ),
    )


class CompetitionEntry(Model):
    """A player in a window.

    `tier` and `cohort` start at 1, and tier 1 is the lowest. `seat`: the player's number in the
    tier. `counts_from`: earlier scores do not count. `attempts`: taken so far. `carried`: placed
    here by the settlement of the window before. `rank` and the following columns are those of the
    last settlement; `next_tier` is None before the first one.
    """

    __tablename__ = "competition_entries"

    id: Mapped[BigId]
    competition_id: Mapped[UUID]
    window_number: Mapped[int]
    player_id: Mapped[UUID] = mapped_column(ForeignKey("players.id", ondelete="CASCADE"))
    tier: Mapped[int]
    seat: Mapped[int]
    cohort: Mapped[int]
    joined_at: Mapped[datetime]
    counts_from: Mapped[datetime]
    carried: Mapped[bool] = mapped_column(server_default="false")
    attempts: Mapped[int] = mapped_column(server_default="0")
    rank: Mapped[int | None]
    score: Mapped[int | None] = mapped_column(BigInteger)
    outcome: Mapped[str | None]
    next_tier: Mapped[int | None]

    __table_args__ = (
        ForeignKeyConstraint(
            ["competition_id", "window_number"],
            ["competition_windows.competition_id", "competition_windows.number"],
            ondelete="CASCADE",
            name="fk_competition_entries_window",
        ),
        UniqueConstraint(
            "competition_id", "window_number", "player_id", name="uq_competition_entries_player"
        ),
        UniqueConstraint(
            "competition_id", "window_number", "tier", "seat", name="uq_competition_entries_seat"
        ),
        CheckConstraint("outcome in ('promoted', 'relegated', 'stays')", name="outcome"),
        Index("ix_competition_entries_player_id", "player_id"),
        Index("ix_competition_entries_cohort", "competition_id", "window_number", "tier", "cohort"),
    )


class CompetitionAttempt(Model):
    """An attempt that a player took in a window; the only ones that count if attempts are limited.

    `number` counts from 1, and no two attempts of one entry share one, even if taken at once.
    """

    __tablename__ = "competition_attempts"

    entry_id: Mapped[int] = mapped_column(
        ForeignKey("competition_entries.id", ondelete="CASCADE"), primary_key=True
    )
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    player_id: Mapped[UUID] = mapped_column(ForeignKey("players.id", ondelete="CASCADE"))
    attempt_id: Mapped[UUID]
    taken_at: Mapped[datetime]

    __table_args__ = (
        UniqueConstraint("player_id", "attempt_id", name="uq_competition_attempts_attempt"),
    )


class CompetitionInvitation(Model):
    """A player who may join if `join` is invited."""

    __tablename__ = "competition_invitations"

    competition_id: Mapped[UUID] = mapped_column(
        ForeignKey("competitions.id", ondelete="CASCADE"), primary_key=True
    )
    player_id: Mapped[UUID] = mapped_column(
        ForeignKey("players.id", ondelete="CASCADE"), primary_key=True
    )
    invited_at: Mapped[datetime]

    __table_args__ = (Index("ix_competition_invitations_player_id", "player_id"),)


class CompetitionReward(Model):
    """A line of the ledger, never changed: a reward granted (`amount` above 0) or withdrawn.

    A player's balance is the sum of their lines. Each line is in the change feed, in the same
    transaction. `settlement`: the settlement of the window that wrote the line, so a second run
    cannot write it again.
    """

    __tablename__ = "competition_rewards"

    id: Mapped[BigId]
    competition_id: Mapped[UUID]
    window_number: Mapped[int]
    settlement: Mapped[int]
    player_id: Mapped[UUID] = mapped_column(ForeignKey("players.id", ondelete="CASCADE"))
    reward: Mapped[str]
    amount: Mapped[int] = mapped_column(BigInteger)
    tier: Mapped[int]
    rank: Mapped[int | None]
    written_at: Mapped[datetime]

    __table_args__ = (
        ForeignKeyConstraint(
            ["competition_id", "window_number"],
            ["competition_windows.competition_id", "competition_windows.number"],
            ondelete="CASCADE",
            name="fk_competition_rewards_window",
        ),
        UniqueConstraint(
            "competition_id",
            "window_number",
            "player_id",
            "reward",
            "settlement",
            name="uq_competition_rewards_line",
        ),
        CheckConstraint("amount <> 0", name="amount"),
        Index("ix_competition_rewards_player_id", "player_id"),
    )

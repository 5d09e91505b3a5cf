"""Tables of the leaderboard platform: games and modes, boards, and what each board holds.

Truth: score games, modes, boards (with the attempts in app/scores/models.py). Derived from the attempts, and
the truth for Redis: BoardScore, BoardCount.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TEXT
from sqlalchemy.orm import Mapped, mapped_column

from app.boards.rules import Aggregation, Ties
from app.core.db import BigId, CreatedAt, db

Model: Any = db.Model


class ScoreGame(Model):
    """A namespace of modes. `integrator_id` empty: Pressbox's own (fantasy, predictions, the site)."""

    __tablename__ = "score_games"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    slug: Mapped[str] = mapped_column(unique=True)
    title: Mapped[str]
    integrator_id: Mapped[int | None] = mapped_column(ForeignKey("integrators.id"))
    created_at: Mapped[CreatedAt]


class Mode(Model):
    """How scores of a game count. Scores are in 10^-`decimals` of a point; bounds in the same unit.

    `keep_days` by kind of window: how long a closed window stays in Redis and PostgreSQL before it is archived.
    """

    __tablename__ = "score_modes"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    game_id: Mapped[UUID] = mapped_column(ForeignKey("score_games.id", ondelete="CASCADE"))
    slug: Mapped[str]
    title: Mapped[str]
    aggregation: Mapped[str]
    ties: Mapped[str]
    time_zone: Mapped[str] = mapped_column(server_default="UTC")
    decimals: Mapped[int] = mapped_column(server_default="0")
    windows: Mapped[list[str]] = mapped_column(ARRAY(TEXT), server_default="{all-time}")
    keep_days: Mapped[dict[str, Any]] = mapped_column(server_default="{}")
    min_score: Mapped[int] = mapped_column(BigInteger)
    max_score: Mapped[int] = mapped_column(BigInteger)
    layout: Mapped[str] = mapped_column(server_default="hash")
    shards: Mapped[int] = mapped_column(server_default="1")
    created_at: Mapped[datetime]

    __table_args__ = (
        UniqueConstraint("game_id", "slug", name="uq_score_modes_slug"),
        CheckConstraint(f"aggregation in {tuple(one.value for one in Aggregation)}", name="aggregation"),
        CheckConstraint(f"ties in {tuple(one.value for one in Ties)}", name="ties"),
        CheckConstraint("decimals between 0 and 3", name="decimals"),
        CheckConstraint("min_score <= max_score", name="bounds"),
        CheckConstraint("layout in ('hash', 'range')", name="layout"),
        CheckConstraint("shards between 1 and 1024", name="shards"),
    )


class ModeChange(Model):
    """Somebody changed how a mode's scores count or rank. `moved`: ranks that changed on all its boards then."""

    __tablename__ = "score_mode_changes"

    id: Mapped[BigId]
    mode_id: Mapped[UUID] = mapped_column(ForeignKey("score_modes.id", ondelete="CASCADE"), index=True)
    member_id: Mapped[int | None] = mapped_column(ForeignKey("members.id"))
    reason: Mapped[str]
    aggregation_before: Mapped[str]
    ties_before: Mapped[str]
    aggregation: Mapped[str]
    ties: Mapped[str]
    moved: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[datetime]


class BoardRecord(Model):
    """One mode in one window. `generation`: the one that readers use in Redis.

    `origin`: where the seconds of its ties begin. `archived_at`: from then on it is read from the blob store.
    `next_...`: while it moves (moving.py), where to; `next_player_id` is the last player copied there, `copied` how
    many. `retired`: generations that nobody reads any more, to be dropped from Redis.
    `stale_since`: Redis missed something of it; it is read from PostgreSQL until it is rebuilt.
    `blob`: the archived board's name in the blob store, `blob_sha256` what it holds; `cleared_at`: its rows and keys
    are gone since.
    """

    __tablename__ = "boards"

    id: Mapped[BigId]
    mode_id: Mapped[UUID] = mapped_column(ForeignKey("score_modes.id", ondelete="CASCADE"))
    window_id: Mapped[str]
    layout: Mapped[str]
    shards: Mapped[int]
    generation: Mapped[int] = mapped_column(server_default="1")
    origin: Mapped[datetime]
    closes_at: Mapped[datetime | None]
    expires_at: Mapped[datetime | None]
    archived_at: Mapped[datetime | None]
    blob: Mapped[str | None]
    blob_sha256: Mapped[str | None]
    cleared_at: Mapped[datetime | None]
    stale_since: Mapped[datetime | None]
    next_generation: Mapped[int | None]
    next_layout: Mapped[str | None]
    next_shards: Mapped[int | None]
    next_player_id: Mapped[UUID | None]
    copied: Mapped[int] = mapped_column(BigInteger, server_default="0")
    retired: Mapped[list[dict[str, Any]]] = mapped_column(JSONB, server_default="[]")

    __table_args__ = (
        UniqueConstraint("mode_id", "window_id", name="uq_boards_window"),
        CheckConstraint(
            "num_nulls(next_generation, next_layout, next_shards) in (0, 3) and next_generation > generation",
            name="next",
        ),
        Index("ix_boards_stale_since", "stale_since", postgresql_where=text("stale_since IS NOT NULL")),
        Index("ix_boards_expires_at", "expires_at", postgresql_where=text("archived_at IS NULL")),
        Index("ix_boards_uncleared", "id", postgresql_where=text("archived_at IS NOT NULL AND cleared_at IS NULL")),
    )


class BoardScore(Model):
    """What a board holds of a player: equals the fold of their clean attempts (app/boards/rules.py)."""

    __tablename__ = "board_scores"

    board_id: Mapped[int] = mapped_column(ForeignKey("boards.id", ondelete="CASCADE"), primary_key=True)
    player_id: Mapped[UUID] = mapped_column(primary_key=True)
    score: Mapped[int] = mapped_column(BigInteger)
    tie_second: Mapped[int] = mapped_column(server_default="0")  # into the board, clamped; 0 unless ties are EARLIEST
    at: Mapped[int] = mapped_column(BigInteger)  # microseconds
    event_id: Mapped[UUID]

    __table_args__ = (
        Index("ix_board_scores_order", "board_id", text("score DESC"), "tie_second", "player_id"),
        Index("ix_board_scores_player_id", "player_id"),
    )


class BoardCount(Model):
    """How many players stand at a score: my-rank without ranking the table."""

    __tablename__ = "board_counts"

    board_id: Mapped[int] = mapped_column(ForeignKey("boards.id", ondelete="CASCADE"), primary_key=True)
    score: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    players: Mapped[int] = mapped_column(BigInteger)

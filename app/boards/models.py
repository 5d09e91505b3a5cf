"""Tables of the leaderboard platform: games and modes, boards, and what each board holds.

Score games, modes and boards are source data (as are the attempts in app/scores/models.py).
BoardScore and BoardCount are derived from the attempts, and are the source for Redis.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TEXT
from sqlalchemy.orm import Mapped, mapped_column

from app.boards.order import Best, Order, order_of
from app.boards.rules import Aggregation, Ties
from app.boards.windows import custom as custom_windows
from app.boards.windows.custom import Calendar
from app.core.db import BigId, CreatedAt, db

Model: Any = db.Model

# A sum has no second number to break ties.
SUBSCORE = """subscore IS NULL OR (aggregation <> 'sum'
  AND CAST(subscore ->> 'min' AS bigint) <= CAST(subscore ->> 'max' AS bigint)
  AND subscore ->> 'order' IN ('highest', 'lowest')
  AND length(subscore ->> 'title') BETWEEN 1 AND 40) IS TRUE"""


class ScoreGame(Model):
    """A namespace of modes.

    `integrator_id` is empty for Pressbox's own games (fantasy, predictions, the site). A hidden
    game is in no public list since `hidden_at`; since `archived_at` no mode of it takes scores;
    since `deleting_at` it cannot be found (app/scores/deletion/games.py). `allowed_origins` are the
    origins of pages that may call the API for it, in alphabetical order.
    """

    __tablename__ = "score_games"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    slug: Mapped[str] = mapped_column(unique=True)
    title: Mapped[str]
    integrator_id: Mapped[int | None] = mapped_column(ForeignKey("integrators.id"))
    allowed_origins: Mapped[list[str]] = mapped_column(ARRAY(TEXT), server_default="{}")
    created_at: Mapped[CreatedAt]
    hidden_at: Mapped[datetime | None]
    archived_at: Mapped[datetime | None]
    deleting_at: Mapped[datetime | None]

    __table_args__ = (
        Index("ix_score_games_allowed_origins", "allowed_origins", postgresql_using="gin"),
    )


class Mode(Model):
    """How scores of a game count, in units of 10^-`decimals` points, bounds included.

    `order` says which of two scores is better; `subscore` (min, max, order, title) describes the
    second number that ranks equal scores, if records have one. `custom_windows` are the mode's
    declared windows (windows/custom.py). `keep_days` says by kind of window how long a closed one
    stays in Redis and PostgreSQL before it is archived. `late_hours` is the greatest age of a score
    that a trusted server sends. Boards are updated every `update_seconds`, or at once if it is 0.
    A mode is in no public list since `hidden_at` and takes no scores since `archived_at`; boards of
    a `private` one are read by the integrator's keys and players only. With `takes_metadata` scores
    may carry a small JSON object, and reads show that of the record that stands.
    """

    __tablename__ = "score_modes"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    game_id: Mapped[UUID] = mapped_column(ForeignKey("score_games.id", ondelete="CASCADE"))
    slug: Mapped[str]
    title: Mapped[str]
    aggregation: Mapped[str]
    ties: Mapped[str]
    order: Mapped[str] = mapped_column(server_default="highest")
    subscore: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    time_zone: Mapped[str] = mapped_column(server_default="UTC")
    decimals: Mapped[int] = mapped_column(server_default="0")
    windows: Mapped[list[str]] = mapped_column(ARRAY(TEXT), server_default="{all-time}")
    custom_windows: Mapped[list[dict[str, Any]]] = mapped_column(JSONB, server_default="[]")
    keep_days: Mapped[dict[str, Any]] = mapped_column(server_default="{}")
    min_score: Mapped[int] = mapped_column(BigInteger)
    max_score: Mapped[int] = mapped_column(BigInteger)
    layout: Mapped[str] = mapped_column(server_default="hash")
    shards: Mapped[int] = mapped_column(server_default="1")
    late_hours: Mapped[int] = mapped_column(server_default="24")
    update_seconds: Mapped[int] = mapped_column(server_default="0")
    private: Mapped[bool] = mapped_column(server_default="false")
    takes_metadata: Mapped[bool] = mapped_column(server_default="false")
    created_at: Mapped[datetime]
    hidden_at: Mapped[datetime | None]
    archived_at: Mapped[datetime | None]
    deleting_at: Mapped[datetime | None]

    __table_args__ = (
        UniqueConstraint("game_id", "slug", name="uq_score_modes_slug"),
        CheckConstraint(
            f"aggregation in {tuple(aggregation.value for aggregation in Aggregation)}",
            name="aggregation",
        ),
        CheckConstraint(f"ties in {tuple(ties.value for ties in Ties)}", name="ties"),
        CheckConstraint(f'"order" in {tuple(best.value for best in Best)}', name="order"),
        CheckConstraint(SUBSCORE, name="subscore"),
        CheckConstraint("decimals between 0 and 3", name="decimals"),
        CheckConstraint("min_score <= max_score", name="bounds"),
        CheckConstraint("layout in ('hash', 'range')", name="layout"),
        CheckConstraint("shards between 1 and 1024", name="shards"),
        CheckConstraint("late_hours between 0 and 8784", name="late_hours"),
        CheckConstraint("update_seconds between 0 and 3600", name="update_seconds"),
    )

    @property
    def calendar(self) -> Calendar:
        """The mode's time zone and its declared windows."""
        return Calendar(self.time_zone, custom_windows.loaded(self.custom_windows))

    @property
    def ordering(self) -> Order:
        """The mode's order of records."""
        return order_of(self.order, self.subscore)


class ModeChange(Model):
    """A change of how a mode's scores count or rank.

    `moved` is the number of ranks that changed on all its boards.
    """

    __tablename__ = "score_mode_changes"

    id: Mapped[BigId]
    mode_id: Mapped[UUID] = mapped_column(
        ForeignKey("score_modes.id", ondelete="CASCADE"), index=True
    )
    member_id: Mapped[int | None] = mapped_column(ForeignKey("members.id"))
    reason: Mapped[str]
    aggregation_before: Mapped[str]
    ties_before: Mapped[str]
    aggregation: Mapped[str]
    ties: Mapped[str]
    moved: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[datetime]


class BoardRecord(Model):
    """One mode in one window. The row is made with the window's first score.

    `generation` is the one that readers use in Redis. `origin` is when its window begins or its
    mode was created. Since `archived_at` it is read from the blob store; `blob` is its name there,
    `blob_sha256` its digest, and since `cleared_at` its rows and keys are gone.

    The `next_...` columns say where a moving board goes (layouts/moving.py): `next_player_id` is
    the last player copied and `copied` how many were. `retired` lists generations that nobody reads
    any more and that will be dropped from Redis.

    `stale_since`: Redis missed a change, so the board is read from PostgreSQL until it is rebuilt.
    `frozen_at`: the public sees the board as it stood then (FrozenScore) until it thaws.
    `verified_at`: since when every place in Redis is known to equal PostgreSQL's
    (app/boards/verification). `rebuilt_at`: when it was last filled from PostgreSQL. `fault` and
    `fault_at` describe the last fault found, `faults` counts them.
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
    frozen_at: Mapped[datetime | None]
    next_generation: Mapped[int | None]
    next_layout: Mapped[str | None]
    next_shards: Mapped[int | None]
    next_player_id: Mapped[UUID | None]
    copied: Mapped[int] = mapped_column(BigInteger, server_default="0")
    retired: Mapped[list[dict[str, Any]]] = mapped_column(JSONB, server_default="[]")
    verified_at: Mapped[datetime | None]
    rebuilt_at: Mapped[datetime | None]
    fault: Mapped[str | None]
    fault_at: Mapped[datetime | None]
    faults: Mapped[int] = mapped_column(server_default="0")

    __table_args__ = (
        UniqueConstraint("mode_id", "window_id", name="uq_boards_window"),
        CheckConstraint(
            "num_nulls(next_generation, next_layout, next_shards) in (0, 3) and next_generation > "
            "generation",
            name="next",
        ),
        Index(
            "ix_boards_stale_since", "stale_since", postgresql_where=text("stale_since IS NOT NULL")
        ),
        Index("ix_boards_expires_at", "expires_at", postgresql_where=text("archived_at IS NULL")),
        Index(
            "ix_boards_uncleared",
            "id",
            postgresql_where=text("archived_at IS NOT NULL AND cleared_at IS NULL"),
        ),
    )


class BoardScore(Model):
    """What a board holds of a player: the fold of their clean attempts (app/boards/rules.py).

    `score` is the key of their record (app/boards/order.py), so the greater is the better in every
    mode.
    """

    __tablename__ = "board_scores"

    board_id: Mapped[int] = mapped_column(
        ForeignKey("boards.id", ondelete="CASCADE"), primary_key=True
    )
    player_id: Mapped[UUID] = mapped_column(primary_key=True)
    score: Mapped[int] = mapped_column(BigInteger)
    # `at` if ties are EARLIEST, else 0
    tie: Mapped[int] = mapped_column(BigInteger, server_default="0")
    at: Mapped[int] = mapped_column(BigInteger)  # microseconds
    event_id: Mapped[UUID]

    __table_args__ = (
        Index("ix_board_scores_order", "board_id", text("score DESC"), "tie", "player_id"),
        Index("ix_board_scores_player_id", "player_id"),
    )


class WaitingScore(Model):
    """What a player will hold on a board from the mode's next update on, `due_at` at the latest.

    Only in modes with `update_seconds`: the fold of the player's clean attempts, of which
    BoardScore does not have the latest yet.
    """

    __tablename__ = "waiting_scores"

    board_id: Mapped[int] = mapped_column(
        ForeignKey("boards.id", ondelete="CASCADE"), primary_key=True
    )
    player_id: Mapped[UUID] = mapped_column(primary_key=True)
    score: Mapped[int] = mapped_column(BigInteger)
    at: Mapped[int] = mapped_column(BigInteger)  # microseconds
    event_id: Mapped[UUID]
    due_at: Mapped[datetime]

    __table_args__ = (
        Index("ix_waiting_scores_due_at", "due_at"),
        Index("ix_waiting_scores_player_id", "player_id"),
    )


class BoardCount(Model):
    """How many players stand at a key: gives a rank without ranking the table."""

    __tablename__ = "board_counts"

    board_id: Mapped[int] = mapped_column(
        ForeignKey("boards.id", ondelete="CASCADE"), primary_key=True
    )
    score: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    players: Mapped[int] = mapped_column(BigInteger)


class FrozenScore(Model):
    """A row of a frozen board as the public sees it: BoardScore at the moment of the freeze."""

    __tablename__ = "frozen_scores"

    board_id: Mapped[int] = mapped_column(
        ForeignKey("boards.id", ondelete="CASCADE"), primary_key=True
    )
    player_id: Mapped[UUID] = mapped_column(primary_key=True)
    score: Mapped[int] = mapped_column(BigInteger)
    tie: Mapped[int] = mapped_column(BigInteger)
    at: Mapped[int] = mapped_column(BigInteger)
    event_id: Mapped[UUID]

    __table_args__ = (
        Index("ix_frozen_scores_order", "board_id", text("score DESC"), "tie", "player_id"),
    )


class FrozenCount(Model):
    """BoardCount of a frozen board."""

    __tablename__ = "frozen_counts"

    board_id: Mapped[int] = mapped_column(
        ForeignKey("boards.id", ondelete="CASCADE"), primary_key=True
    )
    score: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    players: Mapped[int] = mapped_column(BigInteger)

"""People and their machines: who may sign in, who stands on boards, and who may send scores."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from flask_login import UserMixin
from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import ARRAY, TEXT
from sqlalchemy.orm import Mapped, mapped_column

from app.accounts.rules import ROLES
from app.core.db import BigId, CreatedAt, db

Model: Any = db.Model


class Member(UserMixin, db.Model):  # type: ignore[name-defined]
    """A person with an account. Names are unique whatever their case. `country`: ISO 3166, two letters.

    `feed_version`: version of the secret address of the member's feed of notices; a new one ends the old address.
    """

    __tablename__ = "members"

    id: Mapped[BigId]
    username: Mapped[str]
    display_name: Mapped[str]
    password_hash: Mapped[str]
    role: Mapped[str]
    country: Mapped[str | None]
    feed_version: Mapped[int] = mapped_column(server_default="1")
    created_at: Mapped[CreatedAt]

    __table_args__ = (
        CheckConstraint("country ~ '^[A-Z]{2}$'", name="country"),
        Index("uq_members_username", text("lower(username)"), unique=True),
        CheckConstraint(f"role in {ROLES}", name="role"),
    )


class Integrator(Model):
    """Somebody whose own games have boards here; `owner_id` is the member who manages its keys."""

    __tablename__ = "integrators"

    id: Mapped[BigId]
    name: Mapped[str] = mapped_column(unique=True)
    owner_id: Mapped[int] = mapped_column(ForeignKey("members.id"))
    created_at: Mapped[CreatedAt]


class ApiKey(Model):
    """A key of an integrator's servers. Only its SHA-256 is kept; `prefix` lets people tell keys apart."""

    __tablename__ = "api_keys"

    id: Mapped[BigId]
    integrator_id: Mapped[int] = mapped_column(ForeignKey("integrators.id", ondelete="CASCADE"))
    name: Mapped[str]
    prefix: Mapped[str]
    digest: Mapped[str] = mapped_column(unique=True)
    scopes: Mapped[list[str]] = mapped_column(ARRAY(TEXT))
    created_at: Mapped[CreatedAt]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]

    __table_args__ = (Index("ix_api_keys_integrator_id", "integrator_id"),)


class Player(Model):
    """Who stands on boards: a member of Pressbox (`member_id`) or a player of an integrator's (`external_id`)."""

    __tablename__ = "players"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    display_name: Mapped[str]
    member_id: Mapped[int | None] = mapped_column(ForeignKey("members.id"), unique=True)
    integrator_id: Mapped[int | None] = mapped_column(ForeignKey("integrators.id"))
    external_id: Mapped[str | None]
    created_at: Mapped[CreatedAt]
    banned_until: Mapped[datetime | None]

    __table_args__ = (
        UniqueConstraint("integrator_id", "external_id", name="uq_players_external_id"),
        CheckConstraint("(member_id IS NULL) <> (external_id IS NULL)", name="one_origin"),
        CheckConstraint("(integrator_id IS NULL) = (external_id IS NULL)", name="external"),
    )


class RefreshToken(Model):
    """A refresh token of a player, as its SHA-256. Good until spent; `family`: all that came from one sign-in."""

    __tablename__ = "refresh_tokens"

    id: Mapped[BigId]
    family: Mapped[UUID]
    player_id: Mapped[UUID] = mapped_column(ForeignKey("players.id", ondelete="CASCADE"))
    digest: Mapped[str] = mapped_column(unique=True)
    created_at: Mapped[CreatedAt]
    expires_at: Mapped[datetime]
    spent_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]

    __table_args__ = (Index("ix_refresh_tokens_family", "family"), Index("ix_refresh_tokens_player_id", "player_id"))


class Friendship(Model):
    """What two players are to each other: one row a pair, `low_id` the smaller of the two.

    `state`: none, asked (by `asked_by`) or friends. A block ends friendship and the blocker's own request; a request
    of the blocked player stays, looks to that player as if sent, and is shown to nobody else.
    """

    __tablename__ = "friendships"

    low_id: Mapped[UUID] = mapped_column(ForeignKey("players.id", ondelete="CASCADE"), primary_key=True)
    high_id: Mapped[UUID] = mapped_column(ForeignKey("players.id", ondelete="CASCADE"), primary_key=True)
    state: Mapped[str] = mapped_column(server_default="none")
    asked_by: Mapped[UUID | None]
    since: Mapped[datetime | None]
    low_blocks: Mapped[bool] = mapped_column(server_default="false")
    high_blocks: Mapped[bool] = mapped_column(server_default="false")

    __table_args__ = (
        CheckConstraint("low_id < high_id", name="order"),
        CheckConstraint("state in ('none', 'asked', 'friends')", name="state"),
        CheckConstraint(
            "(state = 'asked') = (asked_by IS NOT NULL) AND (asked_by IS NULL OR asked_by IN (low_id, high_id))",
            name="asked_by",
        ),
        CheckConstraint("(state = 'none') = (since IS NULL)", name="since"),
        CheckConstraint("NOT (state = 'friends' AND (low_blocks OR high_blocks))", name="no_blocked_friends"),
        CheckConstraint(
            "NOT (low_blocks AND asked_by IS NOT DISTINCT FROM low_id)"
            " AND NOT (high_blocks AND asked_by IS NOT DISTINCT FROM high_id)",
            name="no_blocker_asks",
        ),
        Index("ix_friendships_high_id", "high_id"),
    )


class EndedSession(db.Model):  # type: ignore[name-defined]
    """A session that was signed out. Its cookie may still turn up (a late answer, a copy) and is worth nothing."""

    __tablename__ = "ended_sessions"

    id: Mapped[str] = mapped_column(primary_key=True)
    ended_at: Mapped[datetime]

"""Tables of talk: posts, reactions, how far members have read, connections and deliveries."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, UniqueConstraint
from sqlalchemy import text as sql
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import BigId, CreatedAt, db
from app.talk.formats import SERVICES
from app.talk.rules import REACTIONS

Model: Any = db.Model

POST = "post"
RESULT, CORRECTED = "result", "corrected"  # of a week that has ended (results.py)
KINDS = (POST, "joined", "rules", RESULT, CORRECTED)
LONGEST_STORED = 4_000  # of a text with its mentions as ids
ROLES = ("commissioner", "moderator")  # who removes posts


class Post(Model):
    """A post on a league's board or in the thread of a matchup.

    Attributes:
        thread: Empty on the board of the league (rules.thread_of_matchup).
        member_id: Who wrote it, or who joined; None for what Pressbox writes about the league.
        kind: `post` if a member wrote it.
        text: With mentions as in rules.py; None if Pressbox wrote it (words.py makes its text).
        data: What a post of Pressbox is about: ids and numbers, no names.
        key: The cause of a post of Pressbox, once per league.
        picture: The name of the picture in the blob store (pictures.py).
        removed_as: Whether a commissioner or a moderator took it away; it stays for moderators.
        pinned_at: When the commissioner pinned it; one post per thread.
    """

    __tablename__ = "posts"

    id: Mapped[BigId]
    league_id: Mapped[int] = mapped_column(ForeignKey("leagues.id", ondelete="CASCADE"))
    thread: Mapped[str] = mapped_column(server_default="")
    member_id: Mapped[int | None] = mapped_column(ForeignKey("members.id", ondelete="CASCADE"))
    kind: Mapped[str] = mapped_column(server_default=POST)
    text: Mapped[str | None]
    data: Mapped[dict[str, Any]] = mapped_column(JSONB, server_default=sql("'{}'::jsonb"))
    key: Mapped[str | None]
    reply_to_id: Mapped[int | None] = mapped_column(ForeignKey("posts.id", ondelete="SET NULL"))
    picture: Mapped[str | None]
    created_at: Mapped[datetime]
    edited_at: Mapped[datetime | None]
    removed_at: Mapped[datetime | None]
    removed_by: Mapped[int | None] = mapped_column(ForeignKey("members.id", ondelete="SET NULL"))
    removed_as: Mapped[str | None]
    removal_reason: Mapped[str | None]
    pinned_at: Mapped[datetime | None]

    __table_args__ = (
        CheckConstraint(f"kind in {KINDS}", name="kind"),
        CheckConstraint("(kind = 'post') = (key IS NULL)", name="key"),
        CheckConstraint("(kind = 'post') = (text IS NOT NULL)", name="text"),
        CheckConstraint("kind <> 'post' OR member_id IS NOT NULL", name="author"),
        CheckConstraint(f"length(text) <= {LONGEST_STORED}", name="length"),
        CheckConstraint(
            "num_nulls(removed_at, removed_as, removal_reason) IN (0, 3)", name="removed"
        ),
        CheckConstraint(f"removed_as in {ROLES}", name="removed_as"),
        Index("ix_posts_thread", "league_id", "thread", "id"),
        Index("ix_posts_member_id", "member_id"),
        Index("ix_posts_reply_to_id", "reply_to_id"),
        Index("uq_posts_key", "league_id", "key", unique=True),
        Index(
            "uq_posts_pinned",
            "league_id",
            "thread",
            unique=True,
            postgresql_where=sql("pinned_at IS NOT NULL"),
        ),
    )


class Reaction(Model):
    """A member's reaction to a post; each kind once."""

    __tablename__ = "post_reactions"

    post_id: Mapped[int] = mapped_column(
        ForeignKey("posts.id", ondelete="CASCADE"), primary_key=True
    )
    member_id: Mapped[int] = mapped_column(
        ForeignKey("members.id", ondelete="CASCADE"), primary_key=True
    )
    kind: Mapped[str] = mapped_column(primary_key=True)
    created_at: Mapped[datetime]

    __table_args__ = (
        CheckConstraint(f"kind in {tuple(REACTIONS)}", name="kind"),
        Index("ix_post_reactions_member_id", "member_id"),
    )


class BoardRead(Model):
    """How far a member has read the board of a league: up to this post."""

    __tablename__ = "board_reads"

    league_id: Mapped[int] = mapped_column(
        ForeignKey("leagues.id", ondelete="CASCADE"), primary_key=True
    )
    member_id: Mapped[int] = mapped_column(
        ForeignKey("members.id", ondelete="CASCADE"), primary_key=True
    )
    post_id: Mapped[int] = mapped_column(BigInteger)

    __table_args__ = (Index("ix_board_reads_member_id", "member_id"),)


class Connection(Model):
    """A league's address at Discord, Slack or anywhere else, where posts of Pressbox go too.

    `url` is secret: whoever has it can write into the channel. `stopped_at` and `stop_reason`: it
    does not take posts any more. While `leased_until` has not passed, the worker that holds `lease`
    is sending.
    """

    __tablename__ = "league_connections"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    league_id: Mapped[int] = mapped_column(ForeignKey("leagues.id", ondelete="CASCADE"))
    service: Mapped[str]
    url: Mapped[str]
    created_at: Mapped[CreatedAt]
    stopped_at: Mapped[datetime | None]
    stop_reason: Mapped[str | None]
    leased_until: Mapped[datetime | None]
    lease: Mapped[UUID | None]

    __table_args__ = (
        CheckConstraint(f"service in {tuple(SERVICES)}", name="service"),
        CheckConstraint("(stopped_at IS NULL) = (stop_reason IS NULL)", name="stopped"),
        Index("ix_league_connections_league_id", "league_id"),
    )


class ConnectionDelivery(Model):
    """A post to be sent to a connection; without a post it is a test."""

    __tablename__ = "connection_deliveries"

    id: Mapped[BigId]
    connection_id: Mapped[UUID] = mapped_column(
        ForeignKey("league_connections.id", ondelete="CASCADE")
    )
    post_id: Mapped[int | None] = mapped_column(ForeignKey("posts.id", ondelete="CASCADE"))
    state: Mapped[str] = mapped_column(server_default="waiting")
    tries: Mapped[int] = mapped_column(server_default="0")
    next_at: Mapped[datetime]
    made_at: Mapped[datetime]
    first_tried_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    status: Mapped[int | None]
    reason: Mapped[str | None]

    __table_args__ = (
        UniqueConstraint("connection_id", "post_id", name="uq_connection_deliveries_post"),
        CheckConstraint("state in ('waiting', 'delivered', 'dead')", name="state"),
        CheckConstraint("(state = 'waiting') = (ended_at IS NULL)", name="ended_at"),
        Index("ix_connection_deliveries_post_id", "post_id"),
        Index(
            "ix_connection_deliveries_waiting",
            "next_at",
            postgresql_where=sql("state = 'waiting'"),
        ),
        Index("ix_connection_deliveries_ended_at", "ended_at"),
    )

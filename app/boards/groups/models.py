"""Tables of guilds: groups of a game's players that its integrator declares; source data."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import BigId, db

Model: Any = db.Model


class Guild(Model):
    """A group of players of one game."""

    __tablename__ = "guilds"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    game_id: Mapped[UUID] = mapped_column(ForeignKey("score_games.id", ondelete="CASCADE"))
    slug: Mapped[str]
    name: Mapped[str]
    created_at: Mapped[datetime]

    __table_args__ = (UniqueConstraint("game_id", "slug", name="uq_guilds_slug"),)


class GuildMember(Model):
    """A player's membership of a guild from `joined_at` until `left_at`; empty while it lasts.

    A player is in one guild per game at a time.
    """

    __tablename__ = "guild_members"

    id: Mapped[BigId]
    game_id: Mapped[UUID] = mapped_column(ForeignKey("score_games.id", ondelete="CASCADE"))
    guild_id: Mapped[UUID] = mapped_column(ForeignKey("guilds.id", ondelete="CASCADE"), index=True)
    player_id: Mapped[UUID] = mapped_column(
        ForeignKey("players.id", ondelete="CASCADE"), index=True
    )
    joined_at: Mapped[datetime]
    left_at: Mapped[datetime | None]

    __table_args__ = (
        Index(
            "uq_guild_members_player",
            "game_id",
            "player_id",
            unique=True,
            postgresql_where=text("left_at IS NULL"),
        ),
    )

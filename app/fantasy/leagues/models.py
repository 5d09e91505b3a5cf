"""Tables of what commissioners did and of what members share. They hold truth, nothing derived."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    UniqueConstraint,
)
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import BigId, CreatedAt, db

Model: Any = db.Model


class LeagueBan(Model):
    """A member who was removed by the commissioner and may not rejoin."""

    __tablename__ = "league_bans"

    league_id: Mapped[int] = mapped_column(
        ForeignKey("leagues.id", ondelete="CASCADE"), primary_key=True
    )
    member_id: Mapped[int] = mapped_column(
        ForeignKey("members.id", ondelete="CASCADE"), primary_key=True
    )
    created_at: Mapped[CreatedAt]


class ScoreAdjustment(Model):
    """Points that a commissioner gave or took, with the reason that is shown beside them."""

    __tablename__ = "score_adjustments"

    id: Mapped[BigId]
    league_id: Mapped[int] = mapped_column(ForeignKey("leagues.id", ondelete="CASCADE"))
    member_id: Mapped[int] = mapped_column(ForeignKey("members.id", ondelete="CASCADE"))
    gameweek_id: Mapped[int] = mapped_column(ForeignKey("gameweeks.id"))
    points: Mapped[int]
    reason: Mapped[str]
    by_id: Mapped[int] = mapped_column(ForeignKey("members.id"))
    created_at: Mapped[CreatedAt]

    __table_args__ = (
        Index("ix_score_adjustments_league_id", "league_id", "gameweek_id"),
        CheckConstraint("points <> 0", name="points"),
        CheckConstraint("length(trim(reason)) > 0", name="reason"),
    )


class RuleChange(Model):
    """A change of a league's scoring rules for all gameweeks of the season, with its reason."""

    __tablename__ = "rule_changes"

    id: Mapped[BigId]
    league_id: Mapped[int] = mapped_column(ForeignKey("leagues.id", ondelete="CASCADE"))
    old_rules: Mapped[str]
    new_rules: Mapped[str]
    reason: Mapped[str]
    by_id: Mapped[int] = mapped_column(ForeignKey("members.id"))
    created_at: Mapped[CreatedAt]

    __table_args__ = (
        Index("ix_rule_changes_league_id", "league_id"),
        CheckConstraint("length(trim(reason)) > 0", name="reason"),
    )


class SwingShare(Model):
    """A play's swing in a league that a member shares by a link.

    It is deleted if the member removes the link or leaves the league.
    """

    __tablename__ = "swing_shares"

    id: Mapped[BigId]
    league_id: Mapped[int] = mapped_column(BigInteger)
    member_id: Mapped[int] = mapped_column(ForeignKey("members.id", ondelete="CASCADE"))
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id", ondelete="CASCADE"))
    play_number: Mapped[int]
    created_at: Mapped[CreatedAt]

    __table_args__ = (
        ForeignKeyConstraint(
            ["league_id", "member_id"],
            ["league_members.league_id", "league_members.member_id"],
            ondelete="CASCADE",
        ),
        UniqueConstraint("league_id", "member_id", "game_id", "play_number"),
        Index("ix_swing_shares_member_id", "member_id", "id"),
    )


class WeekShare(Model):
    """A recap or a matchup of a gameweek that a member shares by a link.

    `home_id`: the matchup's home member; 0 for a recap. It is deleted if the member removes the
    link or leaves the league.
    """

    __tablename__ = "week_shares"

    id: Mapped[BigId]
    league_id: Mapped[int] = mapped_column(BigInteger)
    member_id: Mapped[int] = mapped_column(ForeignKey("members.id", ondelete="CASCADE"))
    gameweek_id: Mapped[int] = mapped_column(ForeignKey("gameweeks.id", ondelete="CASCADE"))
    kind: Mapped[str]
    home_id: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[CreatedAt]

    __table_args__ = (
        CheckConstraint("kind IN ('recap', 'matchup')", name="kind"),
        ForeignKeyConstraint(
            ["league_id", "member_id"],
            ["league_members.league_id", "league_members.member_id"],
            ondelete="CASCADE",
        ),
        UniqueConstraint("league_id", "member_id", "gameweek_id", "kind", "home_id"),
        Index("ix_week_shares_member_id", "member_id", "id"),
    )

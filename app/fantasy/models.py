"""Tables of the fantasy game: leagues, who is in them, team sheets, and their points.

Truth: leagues, memberships, team sheets. Derived: PlayerPoints, SheetPoints, LeagueVersion.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import BigId, CreatedAt, db

Model: Any = db.Model


class Gameweek(Model):
    """The games of one week of a season that count together; team sheets lock at `deadline`."""

    __tablename__ = "gameweeks"

    id: Mapped[BigId]
    season: Mapped[int]
    season_type: Mapped[str]
    week: Mapped[int]
    name: Mapped[str]
    deadline: Mapped[datetime]

    __table_args__ = (UniqueConstraint("season", "season_type", "week", name="uq_gameweeks_week"),)


class League(Model):
    """`rules` names a scoring preset (scoring.py)."""

    __tablename__ = "leagues"

    id: Mapped[BigId]
    slug: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    invite_code: Mapped[str] = mapped_column(unique=True)
    rules: Mapped[str]
    commissioner_id: Mapped[int] = mapped_column(ForeignKey("members.id"))
    created_at: Mapped[CreatedAt]


class LeagueMember(Model):
    __tablename__ = "league_members"

    league_id: Mapped[int] = mapped_column(ForeignKey("leagues.id", ondelete="CASCADE"), primary_key=True)
    member_id: Mapped[int] = mapped_column(ForeignKey("members.id", ondelete="CASCADE"), primary_key=True)
    team_name: Mapped[str]
    joined_at: Mapped[CreatedAt]

    __table_args__ = (Index("ix_league_members_member_id", "member_id"),)


class TeamSheet(Model):
    """A member's footballers for a gameweek; one sheet serves all his leagues."""

    __tablename__ = "team_sheets"

    id: Mapped[BigId]
    member_id: Mapped[int] = mapped_column(ForeignKey("members.id", ondelete="CASCADE"))
    gameweek_id: Mapped[int] = mapped_column(ForeignKey("gameweeks.id"))
    saved_at: Mapped[datetime]

    __table_args__ = (
        UniqueConstraint("member_id", "gameweek_id", name="uq_team_sheets_member_gameweek"),
        Index("ix_team_sheets_gameweek_id", "gameweek_id"),
    )


class TeamSheetPick(Model):
    """One slot of a sheet. `multiplier`: 2 for the captain, else 1."""

    __tablename__ = "team_sheet_picks"

    team_sheet_id: Mapped[int] = mapped_column(ForeignKey("team_sheets.id", ondelete="CASCADE"), primary_key=True)
    place: Mapped[int] = mapped_column(primary_key=True)
    slot: Mapped[str]
    footballer_id: Mapped[str] = mapped_column(ForeignKey("footballers.id"))
    multiplier: Mapped[int]
    is_vice_captain: Mapped[bool]

    __table_args__ = (
        UniqueConstraint("team_sheet_id", "footballer_id", name="uq_team_sheet_picks_footballer"),
        Index("ix_team_sheet_picks_footballer_id", "footballer_id"),
        CheckConstraint("multiplier in (1, 2)", name="multiplier"),
    )


class PlayerPoints(Model):
    """Thousandths of a fantasy point, by rules preset. Negative is normal.

    `held`: how much of `points` rests on plays under review.
    """

    __tablename__ = "player_points"

    game_id: Mapped[str] = mapped_column(primary_key=True)
    player_id: Mapped[str] = mapped_column(primary_key=True)
    rules: Mapped[str] = mapped_column(primary_key=True)
    points: Mapped[int]
    held: Mapped[int] = mapped_column(server_default="0")

    __table_args__ = (Index("ix_player_points_player_id", "player_id", "rules"),)


class SheetPoints(Model):
    """A sheet's total in thousandths under one preset, and what of it is held; recomputed whole after every change."""

    __tablename__ = "sheet_points"

    team_sheet_id: Mapped[int] = mapped_column(ForeignKey("team_sheets.id", ondelete="CASCADE"), primary_key=True)
    rules: Mapped[str] = mapped_column(primary_key=True)
    points: Mapped[int]
    held: Mapped[int] = mapped_column(server_default="0")


class LeagueVersion(Model):
    """Rises whenever a league's table of a gameweek changed; fragments take it as their ETag.

    `game_statuses`: the statuses of the gameweek's games when the version was made, in order of their ids.
    """

    __tablename__ = "league_versions"

    league_id: Mapped[int] = mapped_column(ForeignKey("leagues.id", ondelete="CASCADE"), primary_key=True)
    gameweek_id: Mapped[int] = mapped_column(ForeignKey("gameweeks.id"), primary_key=True)
    version: Mapped[int]
    game_statuses: Mapped[str]
    updated_at: Mapped[datetime]

"""Tables of points.

Truth: ImportedLine and CustomRules. Derived: PlayerPoints, CountedFootballer and SheetPoints.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, SmallInteger
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import CreatedAt, db

Model: Any = db.Model


class PlayerPoints(Model):
    """A footballer's points in a game under some scoring rules, in thousandths; may be negative.

    `held`: how much of `points` rests on plays under review.
    """

    __tablename__ = "player_points"

    game_id: Mapped[str] = mapped_column(primary_key=True)
    player_id: Mapped[str] = mapped_column(primary_key=True)
    rules: Mapped[str] = mapped_column(primary_key=True)
    points: Mapped[int]
    held: Mapped[int] = mapped_column(server_default="0")

    __table_args__ = (Index("ix_player_points_player_id", "player_id", "rules"),)


class CountedFootballer(Model):
    """A footballer as the gameweek's team sheets last counted them under these rules.

    `counts_moved`: including games that were moved here from another gameweek. `is_out`: all their
    games are over and they did not play.
    """

    __tablename__ = "counted_footballers"

    gameweek_id: Mapped[int] = mapped_column(
        ForeignKey("gameweeks.id", ondelete="CASCADE"), primary_key=True
    )
    counts_moved: Mapped[bool] = mapped_column(primary_key=True)
    rules: Mapped[str] = mapped_column(primary_key=True)
    footballer_id: Mapped[str] = mapped_column(
        ForeignKey("footballers.id", ondelete="CASCADE"), primary_key=True
    )
    position: Mapped[str]
    points: Mapped[int]
    held: Mapped[int]
    played: Mapped[bool]
    is_out: Mapped[bool]


class SheetPoints(Model):
    """A team sheet's total under some scoring rules, in thousandths, before the cost of transfers.

    `held`: how much of `points` rests on plays under review. `multipliers`: how often each place
    counts (sheets/lineups.py), 2 for a captain, 0 for a footballer who was replaced.
    """

    __tablename__ = "sheet_points"

    team_sheet_id: Mapped[int] = mapped_column(
        ForeignKey("team_sheets.id", ondelete="CASCADE"), primary_key=True
    )
    rules: Mapped[str] = mapped_column(primary_key=True)
    points: Mapped[int]
    held: Mapped[int] = mapped_column(server_default="0")
    multipliers: Mapped[list[int]] = mapped_column(ARRAY(SmallInteger))


class ImportedLine(Model):
    """An imported stat line, for games that have no official record here (soccer)."""

    __tablename__ = "imported_lines"

    game_id: Mapped[str] = mapped_column(
        ForeignKey("games.id", ondelete="CASCADE"), primary_key=True
    )
    player_id: Mapped[str] = mapped_column(ForeignKey("footballers.id"), primary_key=True)
    team: Mapped[str]
    stats: Mapped[dict[str, Any]]
    imported_at: Mapped[datetime]


class CustomRules(Model):
    """Scoring rules that a commissioner made.

    `name` is a hash of the contents: equal rules share a row, which never changes.
    """

    __tablename__ = "custom_rules"

    name: Mapped[str] = mapped_column(primary_key=True)
    title: Mapped[str]
    milli_points: Mapped[dict[str, Any]]
    created_at: Mapped[CreatedAt]

"""Tables of what is known about players before a season begins.

Truth: PlayerWeek (weekly statistics of earlier seasons, from files) and FootballerCareer (from
rosters). Derived: PreseasonProjection, by projections/preseason_store.py.
"""

from __future__ import annotations

from datetime import date
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, SmallInteger
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import db

Model: Any = db.Model


class PlayerWeek(Model):
    """A player's statistics of one week of an earlier regular season, as a file has them.

    The player may be none of the stored footballers: many of an earlier season have retired.

    Attributes:
        position: As on the market; '' for positions without a place there.
        stats: By the names in record/rules/statistics.py.
    """

    __tablename__ = "player_weeks"

    competition: Mapped[str] = mapped_column(primary_key=True)
    season: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    footballer_id: Mapped[str] = mapped_column(primary_key=True)
    week: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    club_id: Mapped[str]
    position: Mapped[str]
    stats: Mapped[dict[str, Any]]

    __table_args__ = (
        Index("ix_player_weeks_footballer_id", "footballer_id"),
        CheckConstraint("week > 0", name="week"),
    )


class FootballerCareer(Model):
    """What rosters say about a footballer's career.

    `first_season`: their first season in the league. `draft_number`: the overall pick; None for
    undrafted players.
    """

    __tablename__ = "footballer_careers"

    footballer_id: Mapped[str] = mapped_column(
        ForeignKey("footballers.id", ondelete="CASCADE"), primary_key=True
    )
    born_on: Mapped[date | None]
    first_season: Mapped[int | None] = mapped_column(SmallInteger)
    draft_number: Mapped[int | None] = mapped_column(SmallInteger)

    __table_args__ = (CheckConstraint("draft_number > 0", name="draft_number"),)


class PreseasonProjection(Model):
    """What a footballer is expected to score under some scoring rules before a season begins.

    Points are in thousandths.

    Attributes:
        per_game: Points per game in which they play.
        share: Of their club's games, in thousandths.
        deviation: The standard deviation of the points of a game.
        form: The mean of their last FORM_GAMEWEEKS of the season before; None without games in it.
    """

    __tablename__ = "preseason_projections"

    season_id: Mapped[int] = mapped_column(
        ForeignKey("seasons.id", ondelete="CASCADE"), primary_key=True
    )
    rules: Mapped[str] = mapped_column(primary_key=True)
    footballer_id: Mapped[str] = mapped_column(
        ForeignKey("footballers.id", ondelete="CASCADE"), primary_key=True
    )
    per_game: Mapped[int]
    share: Mapped[int] = mapped_column(SmallInteger)
    deviation: Mapped[int]
    form: Mapped[int | None]

    __table_args__ = (Index("ix_preseason_projections_footballer_id", "footballer_id"),)

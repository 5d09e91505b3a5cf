"""The table of recaps that are made (app/fantasy/pages/recap/making.py)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import db

Model: Any = db.Model


class LeagueRecap(Model):
    """The recap of a league's gameweek.

    Attributes:
        version: Of the results that it tells of; it is shown only while they are the same.
        page: A RecapPage with ids in place of the names of teams.
    """

    __tablename__ = "league_recaps"

    league_id: Mapped[int] = mapped_column(
        ForeignKey("leagues.id", ondelete="CASCADE"), primary_key=True
    )
    gameweek_id: Mapped[int] = mapped_column(
        ForeignKey("gameweeks.id", ondelete="CASCADE"), primary_key=True
    )
    version: Mapped[str]
    page: Mapped[dict[str, Any]] = mapped_column(JSONB)
    made_at: Mapped[datetime]

    __table_args__ = (Index("ix_league_recaps_gameweek_id", "gameweek_id"),)

"""Tables of a gameweek's course: corrections that were notified, and gameweeks under way."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import db

Model: Any = db.Model


class NotifiedCorrection(Model):
    """A correction of the record whose effect on team sheets was sent to their owners."""

    __tablename__ = "notified_corrections"

    game_id: Mapped[str] = mapped_column(primary_key=True)
    event_number: Mapped[int] = mapped_column(primary_key=True)


class LiveGameweek(Model):
    """A gameweek under way, of which it was noted what footballers count.

    `version`: rises when a footballer counts otherwise, or a game begins or ends. `sheets_version`:
    the last version for which all sheets had to be read again. `shown_version`: the one that the
    large tables in Redis show. `game_statuses`: as in LeagueVersion.
    """

    __tablename__ = "live_gameweeks"

    gameweek_id: Mapped[int] = mapped_column(
        ForeignKey("gameweeks.id", ondelete="CASCADE"), primary_key=True
    )
    version: Mapped[int]
    sheets_version: Mapped[int]
    shown_version: Mapped[int] = mapped_column(server_default="0")
    game_statuses: Mapped[str]


class GameRefresh(Model):
    """The version of a game's state that its gameweek's tables show."""

    __tablename__ = "game_refreshes"

    game_id: Mapped[str] = mapped_column(
        ForeignKey("games.id", ondelete="CASCADE"), primary_key=True
    )
    version: Mapped[int]
    updated_at: Mapped[datetime]

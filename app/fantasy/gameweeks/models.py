"""What the running of a gameweek has to remember."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import db

Model: Any = db.Model


class NotifiedCorrection(Model):
    """A correction of the record whose effect on team sheets was worked out and sent to their
    members.
    """

    __tablename__ = "notified_corrections"

    game_id: Mapped[str] = mapped_column(primary_key=True)
    event_number: Mapped[int] = mapped_column(primary_key=True)


class DeferredGameweek(Model):
    """A gameweek under way whose totals are written when they are read (write_policy.py).

    `version`: rises whenever a footballer counts otherwise, or a game begins or ends;
    league_versions.deferred_version names the one that a league's rows in PostgreSQL show.
    `sheets_version`: at which all sheets were to be read anew.
    `shown_version`: that the large tables in Redis show. `game_statuses`: as in LeagueVersion.
    """

    __tablename__ = "deferred_gameweeks"

    gameweek_id: Mapped[int] = mapped_column(
        ForeignKey("gameweeks.id", ondelete="CASCADE"), primary_key=True
    )
    version: Mapped[int]
    sheets_version: Mapped[int]
    shown_version: Mapped[int] = mapped_column(server_default="0")
    game_statuses: Mapped[str]

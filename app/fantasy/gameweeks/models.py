"""What the running of a gameweek has to remember."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import db

Model: Any = db.Model


class NotifiedCorrection(Model):
    """A correction of the record whose effect on team sheets was worked out and sent to their members."""

    __tablename__ = "notified_corrections"

    game_id: Mapped[str] = mapped_column(primary_key=True)
    event_number: Mapped[int] = mapped_column(primary_key=True)

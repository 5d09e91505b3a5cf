"""What the console keeps of each scorer: nothing of a game."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import db


class KeyMap(db.Model):  # type: ignore[name-defined]
    """A scorer's own keys: action by key; actions that are not named keep their usual key."""

    __tablename__ = "key_maps"

    member_id: Mapped[int] = mapped_column(ForeignKey("members.id", ondelete="CASCADE"), primary_key=True)
    keys: Mapped[dict[str, Any]]

"""What the console keeps of each scorer: their keys, and what waits in their browser.

Nothing of a game's record.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import db


class KeyMap(db.Model):  # type: ignore[name-defined]
    """A scorer's own keys: action by key; actions that are not named keep their usual key."""

    __tablename__ = "key_maps"

    member_id: Mapped[int] = mapped_column(
        ForeignKey("members.id", ondelete="CASCADE"), primary_key=True
    )
    keys: Mapped[dict[str, Any]]


class WaitingEntry(db.Model):  # type: ignore[name-defined]
    """A copy of an entry that waits in a browser which lost the game.

    Whoever has the game now sees it (decision 52).

    `key`: the entry's own, under which it is accepted whoever sends it. `made_under`,
    `play_number`: the epoch and the play that it was made in; no play: it begins one, or belongs to
    one that waits as well. `entry`: its events, under `events`. `dropped_by`: who had the game and
    did not want it; its own scorer still has it.
    """

    __tablename__ = "waiting_entries"
    __table_args__ = (Index("ix_waiting_entries_changed_at", "changed_at"),)

    game_id: Mapped[str] = mapped_column(
        ForeignKey("games.id", ondelete="CASCADE"), primary_key=True
    )
    console: Mapped[str] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    position: Mapped[int]
    holder: Mapped[str]
    made_under: Mapped[int]
    play_number: Mapped[int | None]
    entry: Mapped[dict[str, Any]]
    dropped_by: Mapped[str | None]
    changed_at: Mapped[datetime]

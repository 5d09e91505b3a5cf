"""Tables of the console for each scorer: their keys, and entries that wait in their browser.

The record of a game is stored elsewhere.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import db


class KeyMap(db.Model):  # type: ignore[name-defined]
    """A scorer's own keys: action by key. Other actions keep their standard key."""

    __tablename__ = "key_maps"

    member_id: Mapped[int] = mapped_column(
        ForeignKey("members.id", ondelete="CASCADE"), primary_key=True
    )
    keys: Mapped[dict[str, Any]]


class WaitingEntry(db.Model):  # type: ignore[name-defined]
    """A copy of an entry that waits in a browser which lost the game.

    The scorer who has the game now sees it (decision 52).

    `key` is the entry's own, under which it is accepted no matter who sends it. `made_under` and
    `play_number` are the epoch and the play in which it was made. Without a play, it begins one, or
    belongs to one that is also waiting. `entry` has its events under `events`. `dropped_by` is the
    scorer who had the game and dropped it; its own scorer still has it.
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

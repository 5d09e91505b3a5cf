"""Notices about requests for friendship: that one was made, or accepted."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from app.accounts.friends import ASKED
from app.accounts.models import Player
from app.core.db import db
from app.fantasy.notices import words
from app.fantasy.notices.services import NewNotice, notify


def notify_friend(state: str, me: UUID, other: UUID, now: datetime) -> None:
    """Notify `other` if they are a member, at most once per day, player and state.

    The caller commits.
    """
    asking, reader = db.session.get_one(Player, me), db.session.get_one(Player, other)
    if reader.member_id is None:
        return
    text = (
        words.friend_asked(asking.display_name)
        if state == ASKED
        else words.friend_accepted(asking.display_name)
    )
    notify(
        [
            NewNotice.of(
                reader.member_id, "friend", f"friend:{state}:{me}:{now:%Y%m%d}", text, "/friends"
            )
        ],
        now,
    )

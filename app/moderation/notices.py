"""Notices to members about decisions of moderators: scores, appeals.

Written in the caller's transaction. Nobody is notified of a ban, which keeps them out, or of a
shadow ban.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import text

from app.core.db import db
from app.fantasy.notices.services import NewNotice, notify

KIND = "moderation"
PATH = "/appeals"

_CHOSEN = text(
    """
    INSERT INTO notices (member_id, kind, key, title, body, path, created_at)
    SELECT p.member_id, :kind, :key, CASE count(*) WHEN 1 THEN :one ELSE count(*) || :more END,
      :body, :path, :now
    FROM chosen_attempts c JOIN players p ON p.id = c.player_id
    WHERE p.member_id IS NOT NULL GROUP BY p.member_id ORDER BY p.member_id
    ON CONFLICT ON CONSTRAINT uq_notices_key DO NOTHING
    """
)


def scores_taken_back(rollback_id: UUID, reason: str, now: datetime) -> None:
    """To everybody of whose scores some are among those that the transaction chose."""
    said = ("A score of yours was taken back", " scores of yours were taken back")
    _notify_chosen(f"rollback:{rollback_id}", said, f"{_sentence(reason)} You can appeal.", now)


def scores_count_again(rollback_id: UUID, reason: str, now: datetime) -> None:
    """Notify members that their scores count again."""
    said = ("A score of yours counts again", " scores of yours count again")
    _notify_chosen(f"rollback:{rollback_id}:undone", said, _sentence(reason), now)


def appeal_answered(
    member_id: int, appeal_id: int, answer: str, now: datetime, *, granted: bool
) -> None:
    """Notify the member that their appeal was answered."""
    title = f"Your appeal is {'granted' if granted else 'declined'}"
    notify([NewNotice(member_id, KIND, f"appeal:{appeal_id}", title, _sentence(answer), PATH)], now)


def _notify_chosen(key: str, said: tuple[str, str], body: str, now: datetime) -> None:
    values = {
        "kind": KIND,
        "key": key,
        "one": said[0],
        "more": said[1],
        "body": body,
        "path": PATH,
        "now": now,
    }
    db.session.execute(_CHOSEN, values)


def _sentence(said: str) -> str:
    """What a moderator wrote, with an end.

    >>> _sentence("a bot "), _sentence("A bot!")
    ('A bot.', 'A bot!')
    """
    said = said.strip()
    return said[:1].upper() + said[1:] + ("" if said.endswith((".", "!", "?")) else ".")

"""Notices to members about decisions of moderators: scores, appeals.

They are written in the caller's transaction. Nobody is notified of a ban, because they cannot sign
in, or of a shadow ban.
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
    """Notify members that some of their scores, which the transaction chose, were taken back."""
    titles = ("One of your scores was removed", " of your scores were removed")
    _notify_chosen(f"rollback:{rollback_id}", titles, f"{_sentence(reason)} You can appeal.", now)


def scores_count_again(rollback_id: UUID, reason: str, now: datetime) -> None:
    """Notify members that their scores count again."""
    titles = ("One of your scores counts again", " of your scores count again")
    _notify_chosen(f"rollback:{rollback_id}:undone", titles, _sentence(reason), now)


def appeal_answered(
    member_id: int, appeal_id: int, answer: str, now: datetime, *, granted: bool
) -> None:
    """Notify the member that their appeal was answered."""
    title = f"Your appeal is {'granted' if granted else 'declined'}"
    notify([NewNotice(member_id, KIND, f"appeal:{appeal_id}", title, _sentence(answer), PATH)], now)


def _notify_chosen(key: str, titles: tuple[str, str], body: str, now: datetime) -> None:
    values = {
        "kind": KIND,
        "key": key,
        "one": titles[0],
        "more": titles[1],
        "body": body,
        "path": PATH,
        "now": now,
    }
    db.session.execute(_CHOSEN, values)


def _sentence(written: str) -> str:
    """Return what a moderator wrote as a sentence.

    >>> _sentence("a bot "), _sentence("A bot!")
    ('A bot.', 'A bot!')
    """
    written = written.strip()
    return written[:1].upper() + written[1:] + ("" if written.endswith((".", "!", "?")) else ".")

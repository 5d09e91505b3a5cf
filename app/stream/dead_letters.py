"""Dead letters: messages that could not be ingested, stored whole with the reason.

Written by ingestion and by the consumer of scores. Messages without a valid signature are in
refused_messages.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import structlog
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from app.core.db import db
from app.stream.messages import Message
from app.stream.models import DeadLetter

log = structlog.get_logger(__name__)


def dead_letter(letters: Iterable[tuple[Message, str]]) -> int:
    """Store the messages with their reasons. Does not commit.

    Returns how many were not stored before.
    """
    letters = list(letters)
    if not letters:
        return 0
    for message, reason in letters:
        log.warning(
            "dead_letter",
            topic=message.topic,
            partition=message.partition,
            offset=message.offset,
            reason=reason,
        )
    stored = db.session.execute(
        insert(DeadLetter).on_conflict_do_nothing().returning(DeadLetter.id), rows_of(letters)
    )
    return len(stored.all())


def newest(count: int) -> list[DeadLetter]:
    """Load the latest dead letters, newest first."""
    return list(db.session.scalars(select(DeadLetter).order_by(DeadLetter.id.desc()).limit(count)))


def rows_of(letters: Iterable[tuple[Message, str]]) -> list[dict[str, Any]]:
    """Return the messages with their reasons as rows of `dead_letters`."""
    return [
        {
            "topic": message.topic,
            "partition": message.partition,
            "offset": message.offset,
            "key": None if message.key is None else _without_nul(message.key),
            "payload": message.value,
            "reason": _without_nul(reason),
        }
        for message, reason in letters
    ]


def _without_nul(text: str) -> str:
    """Return the text without NUL characters, which PostgreSQL cannot store."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")

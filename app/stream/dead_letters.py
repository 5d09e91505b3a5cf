"""Dead letters: messages that could not be taken in, kept whole with the reason.

The only place that writes them; called by ingestion, by the consumer of scores and by what checks signatures.
"""

from __future__ import annotations

from collections.abc import Iterable

import structlog
from sqlalchemy.dialects.postgresql import insert

from app.core.db import db
from app.stream.messages import Message
from app.stream.models import DeadLetter

log = structlog.get_logger(__name__)


def dead_letter(letters: Iterable[tuple[Message, str]]) -> int:
    """Keeps the messages with their reasons; returns how many were not kept before. The caller commits."""
    rows = []
    for message, reason in letters:
        log.warning(
            "dead_letter", topic=message.topic, partition=message.partition, offset=message.offset, reason=reason
        )
        rows.append(
            {
                "topic": message.topic,
                "partition": message.partition,
                "offset": message.offset,
                "key": None if message.key is None else _without_nul(message.key),
                "payload": message.value,
                "reason": _without_nul(reason),
            }
        )
    if not rows:
        return 0
    kept = db.session.execute(insert(DeadLetter).on_conflict_do_nothing().returning(DeadLetter.id), rows)
    return len(kept.all())


def _without_nul(text: str) -> str:
    """PostgreSQL's text cannot hold NUL."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")

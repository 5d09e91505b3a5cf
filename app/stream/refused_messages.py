"""Refused messages: unreadable or without a valid signature. Stored and counted, but not ingested.

Anybody who reaches the broker can write any number of such messages. So only the first KEPT of each
topic are stored, and only the beginning of long ones. The rest are counted (`RefusedMessages`), and
one log line per minute reports them.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

import structlog
from kafka.consumer.fetcher import ConsumerRecord
from sqlalchemy import Connection, delete, func, select
from sqlalchemy.dialects.postgresql import insert

from app.core.db import db
from app.stream.dead_letters import rows_of
from app.stream.messages import Message
from app.stream.models import DeadLetter, RefusedMessages
from app.stream.signing import StreamKeys
from app.stream.tolerant_consumer import fault_of

log = structlog.get_logger(__name__)

KEPT = 1000  # dead letters that are not ours, of one topic
KEPT_BYTES = 4096  # of one such message
KEPT_KEY = 200  # characters
QUIET_SECONDS = 60

Refused = tuple[Message, str]


def message_of(record: ConsumerRecord) -> Message:
    """Return the record as a message. Invalid UTF-8 in the key becomes replacement characters."""
    key = record.key.decode(errors="replace") if record.key else None
    return Message(record.topic, record.partition, record.offset, key, record.value or b"")


class Verifier:
    """Checks the signatures of the records that a consumer has polled."""

    def __init__(self, keys: StreamKeys) -> None:
        self._keys = keys
        self._next_word = 0.0

    def ours(self, records: Sequence[ConsumerRecord], now: datetime) -> list[ConsumerRecord]:
        """Return the records with a valid signature, in order. The others become dead letters.

        Dead letters are committed in a separate transaction that leaves the session alone. Raises
        SQLAlchemyError.
        """
        valid, refusals = [], []
        for record in records:
            reason = fault_of(self._keys, record)
            if reason is None:
                valid.append(record)
            else:
                refusals.append((message_of(record), reason))
        if refusals:
            stored = refuse(refusals, now)
            if stored or time.monotonic() >= self._next_word:
                self._next_word = time.monotonic() + QUIET_SECONDS
                first, reason = refusals[0]
                log.warning(
                    "refused_messages",
                    topic=first.topic,
                    partition=first.partition,
                    offset=first.offset,
                    reason=reason,
                    messages=len(refusals),
                    kept=stored,
                )
        return valid


def refuse(refused: Sequence[Refused], now: datetime) -> int:
    """Count the messages, and store as many as there is room for. Commits.

    Returns how many were stored.
    """
    stored = 0
    with db.engine.begin() as connection:
        for topic in sorted({message.topic for message, _ in refused}):
            of_topic = [(message, reason) for message, reason in refused if message.topic == topic]
            _count(connection, topic, Counter(reason for _, reason in of_topic), now)
            stored += _keep(connection, topic, of_topic)
    return stored


def refused_by_day() -> list[RefusedMessages]:
    """Return the number of refused messages by day, topic and reason, newest first."""
    order = (RefusedMessages.day.desc(), RefusedMessages.topic, RefusedMessages.reason)
    return list(db.session.scalars(select(RefusedMessages).order_by(*order)))


def forget() -> int:
    """Delete the dead letters that are not ours, and all counts. Commits.

    Returns how many dead letters were deleted.
    """
    letters = db.session.scalars(
        delete(DeadLetter).where(~DeadLetter.is_ours).returning(DeadLetter.id)
    ).all()
    db.session.execute(delete(RefusedMessages))
    db.session.commit()
    return len(letters)


def _count(connection: Connection, topic: str, reasons: Counter[str], now: datetime) -> None:
    rows = [
        {"topic": topic, "day": now.date(), "reason": reason, "messages": count, "last_at": now}
        for reason, count in sorted(reasons.items())
    ]
    statement = insert(RefusedMessages)
    more = {
        "messages": RefusedMessages.messages + statement.excluded.messages,
        "last_at": func.greatest(RefusedMessages.last_at, statement.excluded.last_at),
    }
    connection.execute(
        statement.on_conflict_do_update(index_elements=["topic", "day", "reason"], set_=more), rows
    )


def _keep(connection: Connection, topic: str, refused: Sequence[Refused]) -> int:
    stored = connection.scalar(
        select(func.count())
        .select_from(DeadLetter)
        .where(DeadLetter.topic == topic, ~DeadLetter.is_ours)
    )
    rows = rows_of(
        [(_short(message), reason) for message, reason in refused[: max(0, KEPT - (stored or 0))]]
    )
    if not rows:
        return 0
    statement = insert(DeadLetter).on_conflict_do_nothing().returning(DeadLetter.id)
    return len(connection.execute(statement, [row | {"is_ours": False} for row in rows]).all())


def _short(message: Message) -> Message:
    key = None if message.key is None else message.key[:KEPT_KEY]
    return Message(
        message.topic, message.partition, message.offset, key, message.value[:KEPT_BYTES]
    )

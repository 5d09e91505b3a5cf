"""Refills Kafka from the outbox, after Kafka was lost or an in-memory broker restarted.

The relay publishes everything again, in order. Ingestion skips events that it knows.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, CursorResult, TextClause, func, select, text, update

from app.core.db import db
from app.settings import Settings
from app.stream.kafka import end_offsets, ensure_topics
from app.stream.models import OutboxMessage
from app.stream.topics import GAME_EVENTS, OUTBOX_CHANNEL


def republish_if_empty(settings: Settings) -> int:
    """Mark every published event for publishing again if the topic is empty. Commits.

    A topic that has messages is left alone. Returns how many events were marked.
    """
    ensure_topics(settings)
    if any(end_offsets(settings, GAME_EVENTS).values()):
        return 0
    return _publish_again()


def republish_all() -> int:
    """Mark every published event for publishing again, for a recreated topic. Commits."""
    return _publish_again(OutboxMessage.is_practice.is_(False))


def republish_game(settings: Settings, game_id: str) -> int:
    """Mark every published event of the game for publishing again. Commits."""
    ensure_topics(settings)
    return _publish_again(OutboxMessage.game_id == game_id)


def republish_lost() -> int:
    """Mark published events that are neither in the record nor dead letters. Commits.

    Used after Redis lost its jobs, because a correction that waits for its original exists only as
    a job. Messages in flight are delivered twice, and ingestion skips the second one.
    """
    return _publish_again(
        OutboxMessage.is_practice.is_(False),
        text(
            "NOT EXISTS (SELECT FROM events e"
            " WHERE e.game_id = outbox.game_id AND e.event_number = outbox.event_number)"
            " AND NOT EXISTS (SELECT FROM dead_letters d WHERE d.key = outbox.game_id AND "
            "d.payload = outbox.payload)"
        ),
    )


def _publish_again(*which: ColumnElement[bool] | TextClause) -> int:
    result = db.session.execute(
        update(OutboxMessage)
        .where(OutboxMessage.published_at.is_not(None), *which)
        .values(published_at=None, partition=None, offset=None)
    )
    db.session.execute(select(func.pg_notify(OUTBOX_CHANNEL, "")))
    db.session.commit()
    assert isinstance(result, CursorResult)
    return result.rowcount

"""Fills Kafka from the outbox: the way back after Kafka was lost, or an in-memory broker restarted.

The relay then publishes everything again, in order; ingestion has seen most of it and skips that.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, CursorResult, TextClause, text, update

from app.core.db import db
from app.settings import Settings
from app.stream.kafka import end_offsets, ensure_topics
from app.stream.models import OutboxMessage
from app.stream.topics import GAME_EVENTS


def republish_if_empty(settings: Settings) -> int:
    """Marks every published event for publishing again if the topic holds nothing.

    Returns how many. Commits.

    A topic that holds something is left alone (0): its messages would come twice for nothing.
    """
    ensure_topics(settings)
    if any(end_offsets(settings, GAME_EVENTS).values()):
        return 0
    return _publish_again()


def republish_all() -> int:
    """Marks every published event for publishing again: for a topic that was made anew. Commits."""
    return _publish_again(OutboxMessage.is_practice.is_(False))


def republish_game(settings: Settings, game_id: str) -> int:
    """Marks every published event of the game for publishing again, whatever the topic holds.

    Commits.
    """
    ensure_topics(settings)
    return _publish_again(OutboxMessage.game_id == game_id)


def republish_lost() -> int:
    """Marks events for publishing again that are published and neither in the record nor a dead
    letter. Commits.

    For a Redis that lost its jobs: a correction that waits for its original is nowhere else. What
    is on its way meanwhile comes twice, and ingestion skips it.
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
    db.session.commit()
    assert isinstance(result, CursorResult)
    return result.rowcount

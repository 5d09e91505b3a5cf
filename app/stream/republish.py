"""Fills Kafka from the outbox: the way back after Kafka was lost, or an in-memory broker restarted.

The relay then publishes everything again, in order; ingestion has seen most of it and skips that.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, CursorResult, update

from app.core.db import db
from app.settings import Settings
from app.stream.kafka import end_offsets, ensure_topics
from app.stream.models import OutboxMessage
from app.stream.topics import GAME_EVENTS


def republish_if_empty(settings: Settings) -> int:
    """Marks every published event for publishing again if the topic holds nothing; returns how many. Commits.

    A topic that holds something is left alone (0): its messages would come twice for nothing.
    """
    ensure_topics(settings)
    if any(end_offsets(settings, GAME_EVENTS).values()):
        return 0
    return _publish_again()


def republish_game(settings: Settings, game_id: str) -> int:
    """Marks every published event of the game for publishing again, whatever the topic holds. Commits."""
    ensure_topics(settings)
    return _publish_again(OutboxMessage.game_id == game_id)


def _publish_again(*which: ColumnElement[bool]) -> int:
    result = db.session.execute(
        update(OutboxMessage)
        .where(OutboxMessage.published_at.is_not(None), *which)
        .values(published_at=None, partition=None, offset=None)
    )
    db.session.commit()
    assert isinstance(result, CursorResult)
    return result.rowcount

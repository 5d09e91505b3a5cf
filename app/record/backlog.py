"""How far the stream and the record are behind what was accepted."""

from __future__ import annotations

from sqlalchemy import text

from app.core.db import db


def ingested_count(game_id: str) -> int:
    """How many accepted events of the game ingestion has handled.

    They are in the record, or dead letters that were not sent again.
    """
    count = db.session.scalar(
        text(
            "SELECT (SELECT count(*) FROM events WHERE game_id = :game AND revision = 0)"
            " + (SELECT count(*) FROM dead_letters WHERE key = :game AND is_ours AND replayed_at "
            "IS NULL)"
        ),
        {"game": game_id},
    )
    db.session.rollback()
    return int(count or 0)


def unpublished_count() -> int:
    """How many accepted events are not on the topic yet."""
    count = db.session.scalar(
        text("SELECT count(*) FROM outbox WHERE published_at IS NULL AND NOT is_practice")
    )
    db.session.rollback()
    return int(count or 0)

"""The path from an accepted entry to the tables that members see, in the test's own process.

Most stories are about what people see, so they need no relay, broker or worker beside the web
process. That the real processes do the same is shown by the stories that ask for `processes`, and
by tests/stream/test_road.py.
"""

from __future__ import annotations

from sqlalchemy import select

from app.core import clock
from app.core.db import db
from app.fantasy.gameweeks.live import refresh_game
from app.fantasy.scoring.points import store_player_points
from app.record.backlog import ingested_count
from app.record.ingest import ingest_batch
from app.stream.messages import Message
from app.stream.models import OutboxMessage
from app.stream.topics import GAME_EVENTS


def bring_in() -> None:
    """Publish, ingest and refresh everything that was entered; return once the record has it."""
    db.session.rollback()
    waiting = select(OutboxMessage).where(
        OutboxMessage.published_at.is_(None), ~OutboxMessage.is_practice
    )
    messages = []
    for row in db.session.scalars(waiting.order_by(OutboxMessage.id)):
        row.published_at, row.partition, row.offset = clock.now(), 0, row.id
        messages.append(Message(GAME_EVENTS.name, 0, row.id, row.game_id, row.payload))
    db.session.commit()
    outcome = ingest_batch(messages, clock.now(), store_player_points)
    assert (outcome.dead, outcome.deferred) == (0, [])
    for game_id in outcome.games:
        refresh_game(game_id, clock.now())
    db.session.expire_all()


def record_has(game_id: str, count: int) -> None:
    """As `bring_in`; the record of the game then holds exactly `count` events."""
    bring_in()
    assert ingested_count(game_id) == count

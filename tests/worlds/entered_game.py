"""A simulated game with corrections, entered, published and taken in.

And every row there is, to compare.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from itertools import cycle

from sqlalchemy import select, text

from app.core.db import db
from app.demo.seed import simulated_game
from app.fantasy.scoring.points import store_player_points
from app.record.ingest import ingest_batch
from app.record.services import store_script
from app.settings import Settings
from app.stream.messages import Message
from app.stream.models import OutboxMessage
from app.stream.topics import GAME_EVENTS
from scorer_console.record.replay import replay
from tests.stream.topic import put

KICKOFF = datetime(2026, 9, 13, 17, tzinfo=UTC)

# What cannot be equal after a rebuild: numbers that the database gives, the times at which a row
# was written (the ledger's become those of the scorer's entries), and versions, which must rise so
# that open pages ask again.
DIFFERENT = {
    "events": {"ingested_at"},
    "ledger": {"id"},
    "game_states": {"version", "updated_at", "rebuilt_at"},
    "game_refreshes": {"version", "updated_at"},  # the version of game_states that a refresh saw
    "league_versions": {"version", "updated_at"},
}


def enter_simulated(game: str, seed: int, steps: int | None = None) -> None:
    """Store the seed's game under the id and enter its first steps, or all, like `replay`."""
    store_script(replace(simulated_game(seed, KICKOFF), game_id=game, competition="nfl"))
    for _ in replay(game, until=steps):
        pass


def publish(settings: Settings, game: str, at: datetime) -> list[Message]:
    """Publishes the game's outbox as the relay would, with this timestamp.

    Gives the messages with their places.
    """
    rows = db.session.scalars(
        select(OutboxMessage)
        .where(OutboxMessage.game_id == game)
        .order_by(OutboxMessage.event_number)
    ).all()
    sent = put(settings, [Message(GAME_EVENTS.name, 0, 0, game, row.payload) for row in rows], at)
    for row, message in zip(rows, sent, strict=True):
        row.published_at, row.partition, row.offset = at, message.partition, message.offset
    db.session.commit()
    return sent


def take_in(messages: Iterable[Message], now: datetime) -> None:
    """Ingestion as in a live game, a few messages at a time, as they come."""
    waiting = list(messages)
    for size in cycle((1, 7, 3, 24)):
        if not waiting:
            return
        outcome = ingest_batch(waiting[:size], now, store_player_points)
        assert (outcome.dead, outcome.deferred) == (0, [])
        waiting = waiting[size:]


def every_row() -> dict[str, list[str]]:
    """Every row of every table as JSON, sorted, without what cannot be equal."""
    numbers = {}
    for table in db.metadata.sorted_tables:
        if table.name == "measure_counts":
            continue  # written by the clock, whatever else happens
        without = "".join(f" - '{column}'" for column in sorted(DIFFERENT.get(table.name, ())))
        numbers[table.name] = sorted(
            db.session.scalars(text(f'SELECT (to_jsonb(t){without})::text FROM "{table.name}" t'))
        )
    db.session.rollback()
    return numbers

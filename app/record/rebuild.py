"""Rebuilds a game's record from the stream, after loss or tampering (PRODUCT G3).

Collects the messages, checks that none is missing, and takes them in again; ingestion (ingest.py)
refuses the same messages as always. The caller refreshes team sheets, tables and boards afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, select, update

from app.core.blob_store import BlobStore
from app.core.db import db, transaction
from app.core.errors import UserError
from app.record import events as ev
from app.record.ingest import lock_games, newer_epoch, take_in
from app.record.models import (
    Correction,
    Game,
    GameState,
    LedgerEntry,
    RecordedEvent,
    ScorerLease,
    StatLine,
)
from app.record.play_tables import PLAY_TABLES
from app.record.totals import OnChange
from app.settings import Settings
from app.stream.archive import Messages
from app.stream.messages import Message
from app.stream.models import OutboxMessage
from app.stream.restore import archived, ranges
from app.stream.topic_reader import Identify, StoredMessage, read

DERIVED: list[Any] = [RecordedEvent, Correction, *PLAY_TABLES, StatLine, LedgerEntry, GameState]


class IncompleteStreamError(UserError):
    """Messages of the game are missing; the text says which and where they can come from.

    Nothing was changed.
    """


class NoSuchGameError(UserError):
    """No game of this id is registered."""


@dataclass(frozen=True)
class Rebuilt:
    """The result: how many events, and how many of them came from the archive."""

    game_id: str
    events: int
    from_archive: int


def identify(value: bytes) -> tuple[str, int] | None:
    """Game and event number of a message; None if it is no event of the wire schema."""
    try:
        event = ev.decode(value)
    except ev.InvalidEventError:
        return None
    return event.game_id, event.event_number


def identifier() -> Identify:
    """As `identify`, but None for messages that an older epoch sent too late, which are refused."""
    epochs: dict[str, list[tuple[int, int]]] = {}
    leases = select(
        ScorerLease.game_id, ScorerLease.epoch, ScorerLease.first_event_number
    ).order_by(ScorerLease.epoch)
    for game_id, epoch, first in db.session.execute(leases):
        epochs.setdefault(game_id, []).append((epoch, first))

    def identify_current(value: bytes) -> tuple[str, int] | None:
        try:
            event = ev.decode(value)
        except ev.InvalidEventError:
            return None
        if newer_epoch(epochs.get(event.game_id, []), event) is not None:
            return None
        return event.game_id, event.event_number

    return identify_current


class Stream:
    """The games' messages: from Kafka, and from the archive if Kafka has dropped them."""

    def __init__(self, settings: Settings, store: BlobStore, now: datetime) -> None:
        self._settings, self._store, self._now = settings, store, now
        self._on_topic: dict[str, Messages] = {}
        self.look()

    def look(self) -> None:
        """Read the topic as it is now. The first message of a number counts, as in ingestion."""
        self._on_topic = {}
        known_by = identifier()
        for message in read(self._settings):
            if (identity := known_by(message.value)) is not None:
                self._on_topic.setdefault(identity[0], {}).setdefault(identity[1], message)

    def on_topic(self, game_id: str) -> Messages:
        """The game's messages on the topic, by event number."""
        return self._on_topic.get(game_id, {})

    def archived(self, game_id: str) -> Messages:
        """The game's archived messages. Raises ArchiveBrokenError, BlobStoreError. Commits."""
        return archived(self._store, game_id, self._now, identify)


def begun_games() -> list[str]:
    """Games with at least one published event, by id; practice games never have one."""
    game_ids = db.session.scalars(
        select(Game.id)
        .where(
            ~Game.is_practice,
            (Game.last_event_number > 0) | Game.id.in_(select(RecordedEvent.game_id)),
        )
        .order_by(Game.id)
    ).all()
    db.session.rollback()
    return list(game_ids)


def rebuild_game(
    game_id: str,
    stream: Stream,
    now: datetime,
    on_change: OnChange,
    forget_points: Callable[[str], None],
) -> Rebuilt:
    """Delete the game's derived rows and take in all its messages again, in one transaction.

    The new rows equal the old ones, the ledger included, because it follows from the events alone.
    The game's version rises, so that every open page reloads. Raises NoSuchGameError,
    IncompleteStreamError, ArchiveBrokenError, and changes nothing then.
    """
    if db.session.get(Game, game_id) is None:
        raise NoSuchGameError(f"There is no game {game_id}: register or import it first.")
    archived_messages = (
        stream.archived(game_id) if missing_numbers(game_id, stream.on_topic(game_id)) else {}
    )
    with transaction():
        lock_games({game_id})
        # Under the lock: what ingestion took in before us is on the topic, what it takes in later
        # waits for us.
        if missing_numbers(game_id, stream.on_topic(game_id) | archived_messages):
            stream.look()
        messages = stream.on_topic(game_id) | archived_messages
        if missing := missing_numbers(game_id, messages):
            raise IncompleteStreamError(_where_from(game_id, missing))
        version = (
            db.session.scalar(select(GameState.version).where(GameState.game_id == game_id)) or 0
        )
        for table in DERIVED:
            db.session.execute(delete(table).where(table.game_id == game_id))
        forget_points(game_id)
        take_in([message_of(messages[number]) for number in sorted(messages)], now, on_change)
        db.session.execute(
            update(GameState)
            .where(GameState.game_id == game_id)
            .values(version=version + 1, updated_at=now, rebuilt_at=now)
        )
    return Rebuilt(game_id, len(messages), len(messages.keys() - stream.on_topic(game_id).keys()))


def message_of(stored: StoredMessage) -> Message:
    """The message as ingestion takes it."""
    key = None if stored.key is None else stored.key.decode(errors="replace")
    return Message(stored.topic, stored.partition, stored.offset, key, stored.value)


def missing_numbers(game_id: str, messages: Messages) -> list[int]:
    """Accepted event numbers of the game that are not among the messages, rising."""
    accepted = db.session.scalar(select(Game.last_event_number).where(Game.id == game_id)) or 0
    last_kept = (
        db.session.scalar(
            select(func.max(OutboxMessage.event_number)).where(OutboxMessage.game_id == game_id)
        )
        or 0
    )
    last = max(accepted, last_kept, *messages, 0)
    return [number for number in range(1, last + 1) if number not in messages]


def _where_from(game_id: str, missing: list[int]) -> str:
    published_at: dict[int, datetime | None] = dict(
        db.session.execute(
            select(OutboxMessage.event_number, OutboxMessage.published_at).where(
                OutboxMessage.game_id == game_id, OutboxMessage.event_number.in_(missing)
            )
        ).all()
    )
    waiting = [
        number for number in missing if number in published_at and published_at[number] is None
    ]
    published = [number for number in missing if published_at.get(number) is not None]
    lost = [number for number in missing if number not in published_at]
    sentences = [
        f"Game {game_id} cannot be rebuilt: the topic and the archive lack {len(missing)} of its "
        "events."
    ]
    if waiting:
        sentences.append(
            f"Events {ranges(waiting)} wait in the outbox for the relay: run this again once they "
            "are published."
        )
    if published:
        sentences.append(
            f"Events {ranges(published)} are in the outbox: `pressbox stream republish --game "
            f"{game_id}` puts them on "
            "the topic again; then run this again."
        )
    if lost:
        sentences.append(
            f"Events {ranges(lost)} are lost. Restore the blob store or the database from a backup."
        )
    return " ".join([*sentences, "Nothing was changed."])

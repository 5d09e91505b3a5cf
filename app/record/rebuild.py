"""Builds a game's record anew from the stream: what was lost or tampered with comes back as it was
(PRODUCT G3).

Lives here: collecting the messages, checking that none is missing, and taking them in once more.
How a message becomes rows is ingestion's matter (ingest.py), which refuses here what it refuses
always. Not here: team sheets, tables and boards; the caller refreshes those afterwards.
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
    game_id: str
    events: int
    from_archive: int


def identify(value: bytes) -> tuple[str, int] | None:
    """Game and event number of a message; None when it is no event of the wire schema."""
    try:
        event = ev.decode(value)
    except ev.InvalidEventError:
        return None
    return event.game_id, event.event_number


def identifier() -> Identify:
    """As `identify`, and None too for what an older epoch sent after its time: ingestion refuses
    that.
    """
    epochs: dict[str, list[tuple[int, int]]] = {}
    found = select(ScorerLease.game_id, ScorerLease.epoch, ScorerLease.first_event_number).order_by(
        ScorerLease.epoch
    )
    for game_id, epoch, first in db.session.execute(found):
        epochs.setdefault(game_id, []).append((epoch, first))

    def known_by(value: bytes) -> tuple[str, int] | None:
        try:
            event = ev.decode(value)
        except ev.InvalidEventError:
            return None
        if newer_epoch(epochs.get(event.game_id, []), event) is not None:
            return None
        return event.game_id, event.event_number

    return known_by


class Stream:
    """The games' messages: from Kafka, and from the archive where Kafka does not hold them any
    more.
    """

    def __init__(self, settings: Settings, store: BlobStore, now: datetime) -> None:
        self._settings, self._store, self._now = settings, store, now
        self._on_topic: dict[str, Messages] = {}
        self.look()

    def look(self) -> None:
        """Reads the topic as it is now. The first message of a number stands, as in ingestion."""
        self._on_topic = {}
        known_by = identifier()
        for message in read(self._settings):
            if (found := known_by(message.value)) is not None:
                self._on_topic.setdefault(found[0], {}).setdefault(found[1], message)

    def on_topic(self, game_id: str) -> Messages:
        return self._on_topic.get(game_id, {})

    def archived(self, game_id: str) -> Messages:
        """Raises ArchiveBrokenError, BlobStoreError. Commits."""
        return archived(self._store, game_id, self._now, identify)


def begun_games() -> list[str]:
    """Games with at least one published event, by id; practice games never have one."""
    found = db.session.scalars(
        select(Game.id)
        .where(
            ~Game.is_practice,
            (Game.last_event_number > 0) | Game.id.in_(select(RecordedEvent.game_id)),
        )
        .order_by(Game.id)
    ).all()
    db.session.rollback()
    return list(found)


def rebuild_game(
    game_id: str,
    stream: Stream,
    now: datetime,
    on_change: OnChange,
    forget_points: Callable[[str], None],
) -> Rebuilt:
    """Drops the game's derived rows and takes in all its messages again, in one transaction.

    The rows are those of before, the ledger's included: it follows from the events alone. The
    game's version rises, so that every open page asks again. Raises NoSuchGameError,
    IncompleteStreamError,
    ArchiveBrokenError; nothing is changed then.
    """
    if db.session.get(Game, game_id) is None:
        raise NoSuchGameError(f"There is no game {game_id}: register or import it first.")
    old = stream.archived(game_id) if missing_numbers(game_id, stream.on_topic(game_id)) else {}
    with transaction():
        lock_games({game_id})
        # Under the lock: what ingestion took in before us is on the topic, what it takes in later
        # waits for us.
        if missing_numbers(game_id, stream.on_topic(game_id) | old):
            stream.look()
        messages = stream.on_topic(game_id) | old
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
            .values(version=version + 1, updated_at=now)
        )
    return Rebuilt(game_id, len(messages), len(messages.keys() - stream.on_topic(game_id).keys()))


def message_of(stored: StoredMessage) -> Message:
    """The message as ingestion takes it."""
    key = None if stored.key is None else stored.key.decode(errors="replace")
    return Message(stored.topic, stored.partition, stored.offset, key, stored.value)


def missing_numbers(game_id: str, messages: Messages) -> list[int]:
    """Event numbers of the game that were accepted and are not among the messages, rising."""
    accepted = db.session.scalar(select(Game.last_event_number).where(Game.id == game_id)) or 0
    kept = (
        db.session.scalar(
            select(func.max(OutboxMessage.event_number)).where(OutboxMessage.game_id == game_id)
        )
        or 0
    )
    last = max(accepted, kept, *messages, 0)
    return [number for number in range(1, last + 1) if number not in messages]


def _where_from(game_id: str, missing: list[int]) -> str:
    kept: dict[int, datetime | None] = dict(
        db.session.execute(
            select(OutboxMessage.event_number, OutboxMessage.published_at).where(
                OutboxMessage.game_id == game_id, OutboxMessage.event_number.in_(missing)
            )
        ).all()
    )
    waiting = [number for number in missing if number in kept and kept[number] is None]
    published = [number for number in missing if kept.get(number) is not None]
    lost = [number for number in missing if number not in kept]
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
            f"Events {ranges(lost)} are nowhere here: bring back the blob store or the database "
            "from a backup."
        )
    return " ".join([*sentences, "Nothing was changed."])

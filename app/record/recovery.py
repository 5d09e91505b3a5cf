"""Recovers a game that the database lost: archived messages go into the outbox (PRODUCT A5, G3).

From there they are published and ingested as usual. Numbers, epochs and times stay the original
ones.
"""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from app.core.blob_store import BlobStore
from app.core.db import db, transaction
from app.core.errors import UserError
from app.record import events as ev
from app.record.models import Game, RecordedEvent, ScriptStep
from app.record.rebuild import NoSuchGameError, identify
from app.record.script import KEYS, VARIANTS, Variant
from app.stream.archive import Messages
from app.stream.models import OutboxMessage
from app.stream.restore import archived, ranges


class GameNotEmptyError(UserError):
    """The database has other events of the game."""


class ArchiveGapsError(UserError):
    """The archive lacks events of the game."""


def recover(store: BlobStore, game_id: str, now: datetime) -> int:
    """Put the game's archived events into the outbox, all or none. Commits.

    The relay publishes them and ingestion takes them in. Repeating it changes nothing. Returns how
    many events the game has. Raises NoSuchGameError, GameNotEmptyError, ArchiveGapsError,
    ArchiveBrokenError, BlobStoreError.
    """
    if db.session.get(Game, game_id) is None:
        raise NoSuchGameError(f"There is no game {game_id}: register or import it first.")
    messages = archived(store, game_id, now, identify)
    if not messages:
        raise ArchiveGapsError(f"The archive in {store.url} has nothing of game {game_id}.")
    if missing := sorted(set(range(1, max(messages) + 1)) - messages.keys()):
        raise ArchiveGapsError(
            f"The archive of game {game_id} lacks events {ranges(missing)}. Restore the "
            "blob store from a backup. Nothing was changed."
        )
    with transaction():
        game = db.session.scalar(
            select(Game)
            .where(Game.id == game_id)
            .with_for_update()
            .execution_options(populate_existing=True)
        )
        assert game is not None  # games are never deleted
        if not _is_there(game_id, messages):
            _enter(game, messages)
        total: int = game.last_event_number
    return total


def _is_there(game_id: str, messages: Messages) -> bool:
    """Whether the outbox has these messages already; False if it has none.

    Raises GameNotEmptyError.
    """
    payloads = {
        number: bytes(payload)
        for number, payload in db.session.execute(
            select(OutboxMessage.event_number, OutboxMessage.payload).where(
                OutboxMessage.game_id == game_id
            )
        )
    }
    if payloads and all(
        payloads.get(number) == message.value for number, message in messages.items()
    ):
        return True
    recorded = db.session.scalar(
        select(RecordedEvent.game_id).where(RecordedEvent.game_id == game_id).limit(1)
    )
    if payloads or recorded:
        raise GameNotEmptyError(
            f"Game {game_id} has other events in this database: `pressbox rebuild record "
            f"{game_id}` builds its record "
            "again; a replay from the archive is for a database that lost the game. Nothing was "
            "changed."
        )
    return False


def _enter(game: Game, messages: Messages) -> None:
    events = [
        (number, ev.decode(message.value), message.value) for number, message in messages.items()
    ]
    keys = _script_keys(game.id, {number: event.body for number, event, _ in events})
    db.session.execute(
        insert(OutboxMessage),
        [
            {
                "game_id": game.id,
                "event_number": number,
                "play_number": event.play_number,
                # The messages do not say their keys. A stored game's steps get theirs, so that
                # playing it again still enters nothing.
                "idempotency_key": keys.get(number, f"archive:{number}"),
                "payload": value,
                "accepted_at": datetime.fromtimestamp(event.recorded_at / 1000, UTC),
            }
            for number, event, value in events
        ],
    )
    game.last_event_number = max(messages)
    game.last_play_number = max(event.play_number for _, event, _ in events)
    game.epoch = max(game.epoch, *(event.epoch for _, event, _ in events))


def _script_keys(game_id: str, bodies: dict[int, ev.Body]) -> dict[int, str]:
    """Idempotency keys by event number, if the events are the steps of a variant of the script."""
    keys_by_variant: dict[Variant, dict[int, str]] = {variant: {} for variant in VARIANTS}
    steps = select(ScriptStep.variant, ScriptStep.step, ScriptStep.body).where(
        ScriptStep.game_id == game_id
    )
    for variant, step, body in db.session.execute(steps):
        if bodies.get(step) == ev.body_from(body):
            keys_by_variant[variant][step] = f"{KEYS[variant]}:{step}"
    return max(keys_by_variant.values(), key=len)

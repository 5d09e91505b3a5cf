"""The archive of the stream (PRODUCT A5): old game events as Parquet in the blob store.

Layout: `game-events.v1/game=GAME/day=YYYY-MM-DD/0001.parquet`, where the day is the UTC day of the
messages' timestamps. A message is identified by game and event number, so a topic that was lost and
refilled is not archived twice. An object is part of the archive once it has been read back complete
and its row is written. Objects without a row are checked and adopted, so the process may be killed
at any point, and the archive outlives the database. The format of an object is in segments.py,
recovery in restore.py and app/record/.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

import structlog
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from app.core.blob_store import BlobNotFoundError, BlobStore
from app.core.clock import to_ms
from app.core.db import db, only_run
from app.core.errors import UserError
from app.core.postgres.advisory_locks import Lock
from app.settings import Settings
from app.stream.models import ArchivedSegment, OutboxMessage
from app.stream.segments import BrokenSegmentError, decode, digest, encode
from app.stream.topic_reader import Identify, StoredMessage, read
from app.stream.topics import GAME_EVENTS

log = structlog.get_logger(__name__)


Say = Callable[[str], None]
Messages = dict[int, StoredMessage]  # by event number


class ArchiveBusyError(UserError):
    """Another run holds the archive's lock."""


BUSY = "Another archive run is in progress. Wait until it ends."


class ArchiveFailedError(UserError):
    """An object was not read back as it was written."""


@dataclass
class Outcome:
    """The counts of a run.

    `faults` has a sentence for each broken object and each conflict, repaired or not.
    """

    messages: int = 0
    segments: int = 0
    known: int = 0
    strangers: int = 0
    adopted: int = 0
    faults: list[str] = field(default_factory=list)
    unrepaired: int = 0


@dataclass(frozen=True)
class ArchiveRun:
    """One run of the archive: its store, the time, and how messages are identified."""

    store: BlobStore
    now: datetime
    identify: Identify
    say: Say


def archive(settings: Settings, run: ArchiveRun, *, before: datetime) -> Outcome:
    """Archive the topic's messages with a timestamp before `before`. Commits after each object.

    Messages without a valid signature and messages that are not events are not archived; they are
    dead letters. The archive stores no signatures, so that it outlives the keys. So write access to
    the blob store is as sensitive as write access to the database. The existing objects of each
    game are checked, and broken ones are written again from the topic or the outbox. Running it
    again changes nothing.

    Raises ArchiveBusyError, ArchiveFailedError, BlobStoreError, kafka.errors.KafkaError.
    """
    outcome = Outcome()
    with only_run(Lock.STREAM_ARCHIVE, ArchiveBusyError(BUSY)):
        games: dict[str, Messages] = {}

        def refused(message: StoredMessage) -> None:
            outcome.strangers += message.timestamp < to_ms(before)

        for message in read(settings, refused=refused):
            if message.timestamp >= to_ms(before):
                continue
            known_by = run.identify(message.value)
            if known_by is None:
                outcome.strangers += 1
                continue
            game_id, number = known_by
            games.setdefault(game_id, {}).setdefault(number, message)
        for place, (game_id, game_messages) in enumerate(sorted(games.items()), start=1):
            run.say(f"Archiving game {place} of {len(games)}: {game_id}")
            _archive_game(run, game_id, game_messages, outcome)
    return outcome


def check(run: ArchiveRun) -> Outcome:
    """Check every archived object. Broken ones are written again from the outbox."""
    outcome = Outcome()
    with only_run(Lock.STREAM_ARCHIVE, ArchiveBusyError(BUSY)):
        games = db.session.scalars(
            select(ArchivedSegment.game_id).distinct().order_by(ArchivedSegment.game_id)
        ).all()
        for place, game_id in enumerate(games, start=1):
            run.say(f"Checking game {place} of {len(games)}: {game_id}")
            _archive_game(run, game_id, {}, outcome)
    return outcome


def folder(game_id: str) -> str:
    """Return the folder of the game's objects."""
    return f"{GAME_EVENTS.name}/game={game_id}"


def segments_of(game_id: str) -> list[ArchivedSegment]:
    """Load the game's segments in order of day and number."""
    return list(
        db.session.scalars(
            select(ArchivedSegment)
            .where(ArchivedSegment.topic == GAME_EVENTS.name, ArchivedSegment.game_id == game_id)
            .order_by(ArchivedSegment.day, ArchivedSegment.segment)
        )
    )


def load(store: BlobStore, segment: ArchivedSegment) -> list[StoredMessage]:
    """Load the segment's messages in order of event number.

    Raises BrokenSegmentError, also if the object is missing.
    """
    try:
        data = store.get(segment.name)
    except BlobNotFoundError as error:
        raise BrokenSegmentError("it is missing") from error
    return decode(data, count=segment.count, sha256=segment.sha256)


def adopt(store: BlobStore, game_id: str, now: datetime, identify: Identify) -> list[str]:
    """Adopt complete objects of the game that have no row. Commits.

    Returns a sentence for each broken one.
    """
    rows = segments_of(game_id)
    known, archived_numbers = (
        {row.name for row in rows},
        {number for row in rows if row.verified_at for number in row.event_numbers},
    )
    faults = []
    for name in store.names(folder(game_id)):
        if name in known:
            continue
        try:
            messages = decode(store.get(name))
            day, number = _day_and_number(name)
            identities = [identify(message.value) for message in messages]
        except (BrokenSegmentError, ValueError) as error:
            faults.append(f"{name} has no row and is left out: {error}.")
            continue
        numbers = [
            identity[1]
            for identity in identities
            if identity is not None and identity[0] == game_id
        ]
        if len(numbers) < len(messages) or archived_numbers & set(numbers):
            faults.append(
                f"{name} has no row and is left out: it holds messages of another game, or "
                "archived ones."
            )
            continue
        archived_numbers |= set(numbers)
        _note(_row(game_id, day, number, dict(zip(numbers, messages, strict=True)), now))
    return faults


def _day_and_number(name: str) -> tuple[date, int]:
    """Day and number of `.../day=2026-09-13/0001.parquet`. Raises ValueError for any other name."""
    *_, day, number = name.split("/")
    return date.fromisoformat(day.removeprefix("day=")), int(number.removesuffix(".parquet"))


def _row(
    game_id: str, day: date, segment: int, messages: Messages, now: datetime
) -> dict[str, Any]:
    return {
        "topic": GAME_EVENTS.name,
        "game_id": game_id,
        "day": day,
        "segment": segment,
        "name": f"{folder(game_id)}/day={day.isoformat()}/{segment:04}.parquet",
        "count": len(messages),
        "sha256": digest(message.value for message in messages.values()),
        "event_numbers": list(messages),
        "written_at": now,
        "verified_at": now,
    }


def _note(row: dict[str, Any]) -> None:
    """Insert the object's row, unless another process has just adopted the object. Commits."""
    db.session.execute(insert(ArchivedSegment).on_conflict_do_nothing(), [row])
    db.session.commit()


def _archive_game(run: ArchiveRun, game_id: str, messages: Messages, outcome: Outcome) -> None:
    store, now = run.store, run.now
    before = len(segments_of(game_id))
    orphans = adopt(store, game_id, now, run.identify)
    rows = segments_of(game_id)
    outcome.adopted += len(rows) - before
    archived_values: dict[int, bytes] = {}
    for row in sorted(rows, key=lambda row: row.verified_at is None):
        if row.verified_at is None and archived_values.keys() & set(row.event_numbers):
            outcome.unrepaired += 1
            outcome.faults.append(
                f"{row.name} stays broken; some of its messages were archived again meanwhile."
            )
            continue
        for number, message in zip(
            row.event_numbers, _sound(store, row, messages, now, outcome), strict=False
        ):
            archived_values[number] = message.value
    for number in sorted(archived_values.keys() & messages.keys()):
        outcome.known += 1
        if archived_values[number] != messages[number].value:
            outcome.faults.append(
                f"Game {game_id}, event {number}: the message on the topic (partition "
                f"{messages[number].partition}, "
                f"offset {messages[number].offset}) is not the archived one, which stays."
            )
    by_day: dict[date, Messages] = {}
    for number in sorted(messages.keys() - archived_values.keys()):
        moment = datetime.fromtimestamp(messages[number].timestamp / 1000, UTC)
        by_day.setdefault(moment.date(), {})[number] = messages[number]
    for day, new in sorted(by_day.items()):
        segment = max((row.segment for row in rows if row.day == day), default=0) + 1
        note = _row(game_id, day, segment, new, now)
        _write(store, note["name"], list(new.values()))
        _note(note)
        outcome.segments += 1
        outcome.messages += len(new)
        log.info("archived", game_id=game_id, name=note["name"], messages=len(new))
    # Objects that a killed run left incomplete may have been overwritten by now. Only the others
    # are worth a fault.
    written = {row.name for row in segments_of(game_id)}
    outcome.faults += [fault for fault in orphans if fault.split(" ")[0] not in written]


def _sound(
    store: BlobStore, row: ArchivedSegment, game_messages: Messages, now: datetime, outcome: Outcome
) -> list[StoredMessage]:
    """Check the segment's object, repair it if necessary, and return its messages.

    Returns an empty list if it could not be repaired.
    """
    try:
        segment_messages = load(store, row)
    except BrokenSegmentError as error:
        source = {
            number: game_messages[number] for number in row.event_numbers if number in game_messages
        }
        if len(source) < row.count:
            source = _from_outbox(row) | source
        segment_messages = [source[number] for number in row.event_numbers if number in source]
        if (
            len(segment_messages) < row.count
            or digest(m.value for m in segment_messages) != row.sha256
        ):
            row.verified_at = None
            db.session.commit()
            outcome.unrepaired += 1
            outcome.faults.append(
                f"{row.name} is broken: {error}; its messages are neither on the topic nor "
                "in the outbox. Restore the object from a backup of the blob store."
            )
            return []
        _write(store, row.name, segment_messages)
        outcome.faults.append(f"{row.name} was broken: {error}; it was rewritten.")
    row.verified_at = now
    db.session.commit()
    return segment_messages


def _write(store: BlobStore, name: str, messages: list[StoredMessage]) -> None:
    """Write the object, read it back and compare."""
    store.put(name, encode(messages))
    try:
        decode(
            store.get(name),
            count=len(messages),
            sha256=digest(message.value for message in messages),
        )
    except (BrokenSegmentError, BlobNotFoundError) as error:
        raise ArchiveFailedError(
            f"{name} could not be read back correctly: {error}. Nothing is lost: the "
            "messages stay on the topic. Check the blob store, then run `pressbox stream "
            "archive` again."
        ) from error


def _from_outbox(row: ArchivedSegment) -> Messages:
    """Load the segment's messages from the outbox, with offset and time of the last publication."""
    rows = db.session.execute(
        select(
            OutboxMessage.event_number,
            OutboxMessage.partition,
            OutboxMessage.offset,
            OutboxMessage.payload,
            OutboxMessage.published_at,
        ).where(
            OutboxMessage.game_id == row.game_id,
            OutboxMessage.event_number.in_(row.event_numbers),
        )
    )
    return {
        number: StoredMessage(
            row.topic, partition, offset, row.game_id.encode(), to_ms(published), bytes(payload)
        )
        for number, partition, offset, payload, published in rows
        if partition is not None and offset is not None and published is not None
    }

"""The way back from the archive: a game's archived messages, checked, and onto the topic again
(PRODUCT A5).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from kafka.errors import KafkaError

from app.core.blob_store import BlobStore
from app.core.errors import UserError
from app.settings import Settings
from app.stream.archive import Messages, adopt, load, segments_of
from app.stream.kafka import SigningProducer, ensure_topics, producer
from app.stream.log import Identify, StoredMessage
from app.stream.segments import BrokenSegment
from app.stream.topics import GAME_EVENTS

CHUNK = 100


class ArchiveBroken(UserError):
    """The archive cannot give the game's messages; the text names the object or the events."""


class NotRestored(UserError):
    """Kafka refused or did not answer.

    What was sent is harmless and comes again at the next try.
    """


def archived(store: BlobStore, game_id: str, now: datetime, identify: Identify) -> Messages:
    """The game's archived messages by event number, rising; every object was checked before use.

    Commits.

    Objects that this database does not know are taken over. Raises ArchiveBroken, BlobStoreError.
    """
    faults = adopt(store, game_id, now, identify)  # nobody knows what a broken one of these held
    whole = not faults
    found: Messages = {}
    segments = segments_of(game_id)
    for segment in segments:
        try:
            messages = load(store, segment)
        except BrokenSegment as error:
            faults.append(
                f"{segment.name} (events {ranges(segment.event_numbers)}) is broken: {error}."
            )
            continue
        found |= dict(zip(segment.event_numbers, messages, strict=True))
    if (
        not whole
        or {number for segment in segments for number in segment.event_numbers} - found.keys()
    ):
        raise ArchiveBroken(
            f"The archive of game {game_id} is not whole. {' '.join(faults)} Run `pressbox stream "
            "archive --check`: it "
            "writes them anew if the outbox still has the messages; else bring them back from a "
            "backup of the store."
        )
    return dict(sorted(found.items()))


def restore(
    settings: Settings, store: BlobStore, game_id: str, now: datetime, identify: Identify
) -> Iterator[tuple[int, int]]:
    """Puts the game's archived messages on the topic again, in order.

    Yields how many of how many are there.

    They get new offsets and today's timestamps, so that the topic keeps them as long as new ones.
    Ingestion skips what it knows. Raises ArchiveBroken, NotRestored, BlobStoreError.
    """
    messages = list(archived(store, game_id, now, identify).values())
    if not messages:
        raise ArchiveBroken(f"The archive in {store.url} has nothing of game {game_id}.")
    ensure_topics(settings)
    kafka = producer(settings)
    try:
        for start in range(0, len(messages), CHUNK):
            _send(kafka, messages[start : start + CHUNK], game_id, settings.kafka_answer_seconds)
            yield min(start + CHUNK, len(messages)), len(messages)
    finally:
        kafka.close()


def _send(
    kafka: SigningProducer, messages: Iterable[StoredMessage], game_id: str, seconds: float
) -> None:
    # One after the other would wait for each answer; the idempotent producer keeps the order of a
    # partition anyway.
    sent = [kafka.send(GAME_EVENTS.name, key=m.key, value=m.value) for m in messages]
    for future in sent:
        try:
            future.get(timeout=seconds)
        except KafkaError as error:
            raise NotRestored(
                f"Kafka did not take all messages of game {game_id} ({error}): look at `pressbox "
                "doctor`, "
                "then run this again; messages that come twice change nothing."
            ) from error


def ranges(numbers: Iterable[int]) -> str:
    """Numbers for people, rising.

    >>> ranges([7, 1, 2, 3, 9])
    '1-3, 7, 9'
    """
    parts: list[list[int]] = []
    for number in sorted(set(numbers)):
        if parts and number == parts[-1][-1] + 1:
            parts[-1][1:] = [number]
        else:
            parts.append([number])
    return ", ".join("-".join(map(str, part)) for part in parts)

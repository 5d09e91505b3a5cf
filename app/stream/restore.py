"""Recovery from the archive: checks a game's messages and publishes them again (PRODUCT A5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from kafka.errors import KafkaError

from app.core.blob_store import BlobStore
from app.core.errors import UserError
from app.core.redis.clients import jobs_redis
from app.settings import Settings
from app.stream.announcements import announce
from app.stream.archive import Messages, adopt, load, segments_of
from app.stream.kafka import SigningProducer, ensure_topics, producer
from app.stream.segments import BrokenSegmentError
from app.stream.topic_reader import Identify, StoredMessage
from app.stream.topics import GAME_EVENTS

CHUNK = 100


class ArchiveBrokenError(UserError):
    """The archive cannot give the game's messages; the text names the object or the events."""


class NotRestoredError(UserError):
    """Kafka refused or did not answer.

    The messages that were sent do no harm, and are sent again at the next try.
    """


def archived(store: BlobStore, game_id: str, now: datetime, identify: Identify) -> Messages:
    """Load and check the game's archived messages, by ascending event number. Commits.

    Objects that this database does not know are adopted. Raises ArchiveBrokenError, BlobStoreError.
    """
    faults = adopt(store, game_id, now, identify)  # a broken one may contain any event
    has_no_orphans = not faults
    restored: Messages = {}
    segments = segments_of(game_id)
    for segment in segments:
        try:
            segment_messages = load(store, segment)
        except BrokenSegmentError as error:
            faults.append(
                f"{segment.name} (events {ranges(segment.event_numbers)}) is broken: {error}."
            )
            continue
        restored |= dict(zip(segment.event_numbers, segment_messages, strict=True))
    if (
        not has_no_orphans
        or {number for segment in segments for number in segment.event_numbers} - restored.keys()
    ):
        raise ArchiveBrokenError(
            f"The archive of game {game_id} is incomplete. {' '.join(faults)} Run `pressbox "
            "stream archive --check`: it writes them again if the outbox still has the "
            "messages; otherwise restore them from a backup of the store."
        )
    return dict(sorted(restored.items()))


def restore(
    settings: Settings, store: BlobStore, game_id: str, now: datetime, identify: Identify
) -> Iterator[tuple[int, int]]:
    """Put the game's archived messages on the topic again, in order.

    They get new offsets and today's timestamps, so the topic keeps them as long as new ones.
    Ingestion skips events that it knows.

    Yields:
        The number of messages that Kafka has acknowledged, and the total.

    Raises:
        ArchiveBrokenError: The archive is incomplete.
        NotRestoredError: Kafka did not take all messages.
    """
    messages = list(archived(store, game_id, now, identify).values())
    if not messages:
        raise ArchiveBrokenError(f"The archive in {store.url} has nothing of game {game_id}.")
    ensure_topics(settings)
    kafka = producer(settings)
    try:
        for start in range(0, len(messages), CHUNK):
            _send(kafka, messages[start : start + CHUNK], game_id, settings.kafka_answer_seconds)
            announce(settings, jobs_redis(), GAME_EVENTS)
            yield min(start + CHUNK, len(messages)), len(messages)
    finally:
        kafka.close()


def _send(
    kafka: SigningProducer, messages: Iterable[StoredMessage], game_id: str, seconds: float
) -> None:
    # Do not wait for each acknowledgement: the idempotent producer keeps the order of a partition.
    sent = [kafka.send(GAME_EVENTS.name, key=m.key, value=m.value) for m in messages]
    for future in sent:
        try:
            future.get(timeout=seconds)
        except KafkaError as error:
            raise NotRestoredError(
                f"Kafka did not take all messages of game {game_id} ({error}): check "
                "`pressbox doctor`, then run this again. It is safe to send messages twice."
            ) from error


def ranges(numbers: Iterable[int]) -> str:
    """Return the numbers as a readable list of ranges in ascending order.

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

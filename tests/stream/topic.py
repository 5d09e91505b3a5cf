"""Putting messages on a topic as the relay would, with any timestamp, and a broker that holds nothing yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from app.core.clock import to_ms
from app.embedded.stack import Stack
from app.settings import Settings
from app.stream.kafka import ensure_topics, producer
from app.stream.messages import Message
from app.stream.topics import GAME_EVENTS
from tests.cluster.kafka.broker import kafka_broker


@contextmanager
def new_broker(settings: Settings, folder: Path, *, real_kafka: bool) -> Iterator[Stack]:
    """The same stores with a broker of its own, as after the old one was lost; ended afterwards."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "secret_key").write_text(settings.secret())  # the same installation, so its messages are known
    with ExitStack() as stack:
        address = stack.enter_context(kafka_broker(folder)) if real_kafka else ""
        started = stack.enter_context(Stack(replace(settings, kafka=address, var=folder)))
        ensure_topics(started.settings)
        yield started


def put(settings: Settings, messages: Iterable[Message], at: datetime) -> list[Message]:
    """Puts the messages on the topic with the timestamp `at`; gives them with their true places."""
    kafka = producer(settings)
    try:
        sent = [
            (
                message,
                kafka.send(
                    GAME_EVENTS.name,
                    key=message.key.encode() if message.key else None,
                    value=message.value,
                    timestamp_ms=to_ms(at),
                ),
            )
            for message in messages
        ]
        places = [(message, future.get(timeout=15)) for message, future in sent]
    finally:
        kafka.close()
    return [replace(message, partition=place.partition, offset=place.offset) for message, place in places]

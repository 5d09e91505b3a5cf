"""Announcements of new messages on the embedded broker, in Redis.

Kafka answers a waiting fetch as soon as a record arrives, but the embedded broker only at the end
of its wait. So whoever sends messages announces them, and consumers wait for that instead of
asking all the time. What is not announced is found all the same, a few seconds later
(workers/group.py).
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

import redis

from app.settings import Settings
from app.stream.topics import Topic


def announce(settings: Settings, client: redis.Redis, topic: Topic) -> None:
    """Wake the topic's consumers, if they use the embedded broker."""
    if settings.kafka_in_memory:
        with contextlib.suppress(redis.RedisError):
            client.publish(_channel(topic), "")


class Announcements:
    """The announcements for one consumer of a topic."""

    def __init__(self, client: redis.Redis, topic: Topic) -> None:
        self._subscription = client.pubsub(ignore_subscribe_messages=True)
        self._topic = topic

    def close(self) -> None:
        """Release the connection."""
        self._subscription.reset()

    def wait(self, seconds: float) -> bool:
        """Wait at most `seconds` for an announcement since the last call; whether there may be one.

        The first call subscribes, and so does the next one after an error. Both return True once
        that is confirmed, because what was announced before is not known.
        """
        try:
            if not self._subscription.subscribed:
                self._subscription.subscribe(_channel(self._topic))
                self._subscription.get_message(timeout=seconds)
                return True
            if self._subscription.get_message(timeout=seconds) is None:
                return False
            while self._subscription.get_message() is not None:
                pass  # one look finds everything that was announced
        except redis.RedisError:
            self._subscription.reset()
            time.sleep(seconds)
            return False
        return True


@contextlib.contextmanager
def announcements_of(
    settings: Settings, client: redis.Redis, topic: Topic
) -> Iterator[Announcements | None]:
    """Yield the topic's announcements; None for a broker that needs none."""
    if not settings.kafka_in_memory:
        yield None
        return
    announcements = Announcements(client, topic)
    try:
        yield announcements
    finally:
        announcements.close()


def _channel(topic: Topic) -> str:
    return f"pressbox:announced:{topic.name}"

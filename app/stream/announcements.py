"""Announcements of new messages on the embedded broker, in Redis.

Kafka answers a waiting fetch as soon as a record arrives, but the embedded broker only at the end
of its wait. So its producers announce what they have sent, and its consumers wait for that instead
of asking all the time. A lost announcement delays a message by one wait of its consumer.
"""

from __future__ import annotations

import contextlib
import time

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

    @classmethod
    def of(cls, settings: Settings, client: redis.Redis, topic: Topic) -> Announcements | None:
        """Return the topic's announcements; None for a broker that needs none."""
        return cls(client, topic) if settings.kafka_in_memory else None

    def wait(self, seconds: float) -> bool:
        """Wait for an announcement since the last call; whether there was one within `seconds`.

        The first call subscribes, and returns when that is confirmed.
        """
        try:
            if not self._subscription.subscribed:
                self._subscription.subscribe(_channel(self._topic))
                self._subscription.get_message(timeout=seconds)
                return False
            if self._subscription.get_message(timeout=seconds) is None:
                return False
            while self._subscription.get_message() is not None:
                pass  # one look finds everything that was announced
        except redis.RedisError:
            time.sleep(seconds)
            return False
        return True


def _channel(topic: Topic) -> str:
    return f"pressbox:announced:{topic.name}"

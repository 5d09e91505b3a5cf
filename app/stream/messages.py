"""A Kafka message as the consumers pass it on."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Message:
    """One Kafka message and its offset."""

    topic: str
    partition: int
    offset: int
    key: str | None
    value: bytes

    def to_json(self) -> list[Any]:
        """Return the message as a job's arguments, with the value in base64."""
        return [self.topic, self.partition, self.offset, self.key, b64encode(self.value).decode()]

    @classmethod
    def from_json(cls, plain: Sequence[Any]) -> Message:
        """Return the message from a job's arguments."""
        topic, partition, offset, key, value = plain
        return cls(topic, partition, offset, key, b64decode(value))

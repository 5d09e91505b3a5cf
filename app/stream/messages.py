"""A Kafka message as the consumers hand it on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Message:
    """One Kafka message and where it stands."""

    topic: str
    partition: int
    offset: int
    key: str | None
    value: bytes

    def as_tuple(self) -> tuple[str, int, int, str | None, bytes]:
        """Plain values, for a job's arguments."""
        return (self.topic, self.partition, self.offset, self.key, self.value)

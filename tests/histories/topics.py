"""The topics as lists: what the relay and the API send, and what the record is built anew from."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

from app.record.rebuild import identify
from app.stream.archive import Messages
from app.stream.messages import Message
from app.stream.topic_reader import StoredMessage
from app.stream.topics import GAME_EVENTS
from tests.histories.effects import Effects, on_sending

PARTITIONS = 2


@dataclass(frozen=True)
class _Sent:
    """What a producer gives: where the message stands, or why it is not known."""

    partition: int
    offset: int
    error: Exception | None = None

    def get(self, timeout: float = 0) -> _Sent:
        if self.error is not None:
            raise self.error
        return self


class ListTopics:
    """A producer, a consumer and a source of rebuilds."""

    def __init__(self, effects: Effects) -> None:
        self._effects = effects
        self.messages: dict[tuple[str, int], list[Message]] = {}

    def send(self, topic: str, value: bytes = b"", key: bytes = b"", **_: Any) -> _Sent:
        def put() -> _Sent:
            partition = zlib.crc32(key) % PARTITIONS
            place = self.messages.setdefault((topic, partition), [])
            place.append(Message(topic, partition, len(place), key.decode(), value))
            return _Sent(partition, len(place) - 1)

        try:
            return on_sending(self._effects, put)  # type: ignore[no-any-return]
        except Exception as error:  # noqa: BLE001 (as a producer does: whoever waits for the answer has it)
            return _Sent(0, 0, error)

    def close(self, timeout: float = 0) -> None:
        """As a producer's; this one goes on."""

    def read(self, topic: str, partition: int, offset: int, most: int) -> list[Message]:
        return self.messages.get((topic, partition), [])[offset : offset + most]

    def end(self, topic: str, partition: int) -> int:
        return len(self.messages.get((topic, partition), []))

    # Of a rebuild (app/record/rebuild.py).

    def look(self) -> None:
        """They are always as they are now."""

    def on_topic(self, game_id: str) -> Messages:
        chosen: Messages = {}
        for partition in range(PARTITIONS):
            for message in self.messages.get((GAME_EVENTS.name, partition), []):
                known = identify(message.value)
                if known is not None and known[0] == game_id:
                    stored = StoredMessage(
                        message.topic,
                        message.partition,
                        message.offset,
                        (message.key or "").encode(),
                        0,
                        message.value,
                    )
                    chosen.setdefault(known[1], stored)
        return chosen

    def archived(self, game_id: str) -> Messages:
        return {}

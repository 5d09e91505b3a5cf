"""The example subscriber: reads `game-events.v1` without a group (PRODUCT A6)."""

from __future__ import annotations

from collections.abc import Iterator

from app.settings import Settings
from app.stream.topic_reader import read


def tail(
    settings: Settings,
    *,
    from_beginning: bool = False,
    game_id: str | None = None,
    until_end: bool = False,
) -> Iterator[tuple[int, int, bytes]]:
    """Yield partition, offset and value of each stored message, then of new ones.

    Messages are in order within a partition. With `game_id`, only messages of that game are
    yielded. With `until_end`, it stops at the end that the topic had at the start.
    """
    for message in read(settings, from_beginning=from_beginning, until_end=until_end):
        if game_id is None or message.key == game_id.encode():
            yield message.partition, message.offset, message.value

"""Messages of both topics.

Whatever the bytes, an event that can be stored, or an error that says what is wrong.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec

from app.record import events as ev
from app.record.play_tables import row_of
from app.scores import events as scores
from app.stream.topics import MAX_MESSAGE_BYTES

EXAMPLES = Path(__file__).parent.parent / "js" / "examples" / "bodies.json"
BIGINT, JSONB = 2**63 - 1, 10**1024
PLAYER = UUID(int=7)


def seeds() -> Iterator[bytes]:
    """An event of each type, and a score."""
    for number, example in enumerate(json.loads(EXAMPLES.read_text()), start=1):
        event = {
            "game_id": "g1",
            "event_number": number,
            "play_number": 3,
            "epoch": 1,
            "recorded_at": 1_789_000_000_000,
        }
        yield json.dumps(event | {"body": example["body"]}).encode()
    score = scores.ScoreEvent(
        event_id=scores.event_id(PLAYER, UUID(int=1)),
        attempt_id=UUID(int=1),
        player_id=PLAYER,
        game_id=UUID(int=2),
        mode_id=UUID(int=3),
        game="bowl",
        mode="yards",
        shard=scores.shard_of(PLAYER),
        score=12,
        achieved_at=1_789_000_000_000_000,
        client_meta={"build": "7"},
        metadata={"level": 3},
        device="0" * 32,
    )
    yield scores.encode(score)


WORDS = (
    *ev.EVENT_TYPES,
    "type",
    "place",
    "ruling",
    "recorded_at",
    "\\u0000",
    "\\ud800",
    "1e5",
    "null",
    "client_meta",
)


def one_input(data: bytes) -> None:
    try:
        event = ev.decode(data)
    except ev.InvalidEventError as error:
        assert_says_what(error, data)
    else:
        assert ev.decode(ev.encode(event)) == event
        assert ev.body_from(ev.body_to(event.body)) == event.body
        assert event.body.words(str)
        ev.players_of(event.body), ev.clubs_of(event.body), ev.named_in(event.body, "HRB", "SUM")
        row = row_of(event.body, event.recorded_at)
        assert_can_be_stored(msgspec.to_builtins(event))
        assert_can_be_stored(row[1] if row else {})
    try:
        score = scores.decode(data)
    except scores.InvalidScoreEventError as error:
        assert_says_what(error, data)
    else:
        assert scores.decode(scores.encode(score)) == score
        scores.key_of(score)
        assert_can_be_stored(msgspec.to_builtins(score))


def assert_says_what(error: Exception, data: bytes) -> None:
    message = str(error)
    assert message, "an error without a text"
    assert len(message) < 2000, "an error as long as what was sent"
    assert len(data) <= MAX_MESSAGE_BYTES or "bytes" in message, (
        "an input that is too long must be refused for that"
    )


def assert_can_be_stored(value: Any, largest: int = BIGINT) -> None:
    """PostgreSQL holds no U+0000 in text and no number beyond a bigint, except in jsonb.

    Only a score's metadata is jsonb.
    """
    if isinstance(value, dict):
        for name, item in value.items():
            assert_can_be_stored(name, largest)
            assert_can_be_stored(item, JSONB if name == "metadata" else largest)
    elif isinstance(value, list | tuple):
        for item in value:
            assert_can_be_stored(item, largest)
    elif isinstance(value, str):
        assert "\x00" not in value, "U+0000"
        value.encode()
    elif isinstance(value, int):
        assert abs(value) <= largest, f"{value} is beyond its column"

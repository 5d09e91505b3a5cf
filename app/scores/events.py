"""The wire format of submitted scores: one message on `score-events.v1` (PRODUCT D11).

Defines the message, its decoding with errors that name the field, event ids and the keys of the
topic. Submission decides who may send a score, processing what becomes of it. Unknown fields are
ignored; a new meaning needs a new `v`. Messages hold no secrets: no token, no address, no device in
the clear.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal
from uuid import UUID, uuid5

import msgspec
from msgspec import Meta

from app.core import json_decoding
from app.core.errors import UserError
from app.core.json_decoding import InvalidJsonError, explain
from app.stream.topics import MAX_MESSAGE_BYTES

SHARDS = 64  # in the topic's keys; never changed, or a player's scores would take two partitions
MAX_SCORE = (1 << 53) - 1  # the widest range in which any board is exact
END_OF_TIME = 7_258_118_400_000_000  # the start of 2200: no windows exist from then on

_EVENTS = UUID("b1a5bb26-2c7e-5d0c-9c58-1f1d3a6f2d6e")  # namespace of event ids

Slug = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9][A-Za-z0-9.-]*$")]
Fingerprint = Annotated[
    str, Meta(pattern=r"^[0-9a-f]{32}$", description="salted hash: equal for equal ones, no more")
]
# No NUL: PostgreSQL's jsonb cannot hold it.
MetaName = Annotated[str, Meta(min_length=1, max_length=40, pattern="^[^\\x00]*$")]
MetaText = Annotated[str, Meta(max_length=200, pattern="^[^\\x00]*$")]
SessionId = Annotated[str, Meta(min_length=1, max_length=100, pattern="^[^\\x00]*$")]
# every JSON reader is exact up to this whole number (RFC 8259, section 6)
LARGEST_NUMBER = (1 << 53) - 1
MetaNumber = Annotated[int, Meta(ge=-LARGEST_NUMBER, le=LARGEST_NUMBER)]
Latitude = Annotated[float, Meta(ge=-90, le=90)]
Longitude = Annotated[float, Meta(ge=-180, le=180)]
ClientMeta = Annotated[dict[MetaName, MetaText | MetaNumber | bool], Meta(max_length=20)]
METADATA_BYTES = 1024  # as JSON without spaces
METADATA_DEPTH = 4


class ScoreEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One accepted score; its key in the topic is `{game}:{mode}:s{shard}`.

    Attributes:
        event_id: Derived from player and attempt, so a score sent twice is one event.
        score: In the mode's smallest unit.
        subscore: In modes that have one.
        achieved_at: The server's clock at acceptance, in microseconds since 1970 (UTC).
        metadata: The game's own data about the score, as far as `metadata_fault` allows it.
        location: Of the address, in degrees rounded to a tenth.
        replay: SHA-256 of the recorded game.
        session_id: The game server's name of the session in which it was played, if any.
        awaited: Somebody waits for the outcome, so it is announced, and not delayed for batching.
    """

    event_id: UUID
    attempt_id: UUID
    player_id: UUID
    game_id: UUID
    mode_id: UUID
    game: Slug
    mode: Slug
    shard: Annotated[int, Meta(ge=0, lt=SHARDS)]
    score: Annotated[int, Meta(ge=-MAX_SCORE, le=MAX_SCORE)]
    subscore: Annotated[int, Meta(ge=-MAX_SCORE, le=MAX_SCORE)] | None = None
    achieved_at: Annotated[int, Meta(ge=0, lt=END_OF_TIME)]
    client_meta: ClientMeta = {}
    metadata: dict[str, Any] | None = None
    device: Fingerprint | None = None
    address: Fingerprint | None = None
    location: tuple[Latitude, Longitude] | None = None
    replay: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")] | None = None
    session_id: SessionId | None = None
    awaited: bool = False
    v: Literal[1] = 1

    def __post_init__(self) -> None:
        if self.event_id != event_id(self.player_id, self.attempt_id):
            raise ValueError("event_id is not the one of this player and attempt")
        if self.shard != shard_of(self.player_id):
            raise ValueError("shard is not the one of this player")


class InvalidScoreEventError(UserError):
    """The message is refused; the text names the field and what it must be."""


_decoder = msgspec.json.Decoder(ScoreEvent)
_encoder = msgspec.json.Encoder()


@lru_cache(maxsize=4096)  # a submission asks for it three times
def event_id(player_id: UUID, attempt_id: UUID) -> UUID:
    """Return the id of a player's attempt; it never changes."""
    return uuid5(_EVENTS, f"{player_id}/{attempt_id}")


@lru_cache(maxsize=65_536)
def shard_of(player_id: UUID) -> int:
    """Return the shard, 0 to SHARDS - 1; the same in every process."""
    return int.from_bytes(hashlib.sha256(player_id.bytes).digest()[:4], "big") % SHARDS


def key_of(event: ScoreEvent) -> bytes:
    """Return the Kafka key: events of one key stay in order."""
    return f"{event.game}:{event.mode}:s{event.shard}".encode()


def decode(message: bytes) -> ScoreEvent:
    """Decode a message.

    Raises:
        InvalidScoreEventError: Its text names the field that is wrong.
    """
    try:
        return json_decoding.decode(_decoder, message, most_bytes=MAX_MESSAGE_BYTES)
    except InvalidJsonError as error:
        raise InvalidScoreEventError(str(error)) from error


def encode(event: ScoreEvent) -> bytes:
    """Encode an event as a Kafka message."""
    return _encoder.encode(event)


def check_meta(meta: Mapping[str, object]) -> dict[str, str | int | bool]:
    """Check a client's own data about the score: at most 20 short values.

    Raises:
        InvalidScoreEventError: Its text names the field that is wrong.
    """
    if not meta:
        return {}
    try:
        checked: dict[str, str | int | bool] = msgspec.convert(dict(meta), ClientMeta)
    except msgspec.ValidationError as error:
        raise InvalidScoreEventError(f"client_meta: {explain(error)}") from error
    return checked


def metadata_fault(metadata: Mapping[str, Any]) -> str | None:
    """Say why a score cannot carry this object: its size, depth or a value lost on the way."""
    if (fault := _value_fault(metadata, 1)) is not None:
        return fault
    size = len(msgspec.json.encode(metadata))
    if size > METADATA_BYTES:
        return f"metadata has {size:,} bytes as JSON. The limit is {METADATA_BYTES:,}."
    return None


def _value_fault(value: object, depth: int) -> str | None:
    if isinstance(value, Mapping | list):
        if depth > METADATA_DEPTH:
            return f"metadata is nested more than {METADATA_DEPTH} levels deep. Flatten it."
        inside = [*value, *value.values()] if isinstance(value, Mapping) else value
        return next(
            (fault for item in inside if (fault := _value_fault(item, depth + 1)) is not None), None
        )
    if isinstance(value, str) and "\x00" in value:
        return "metadata contains the character U+0000. Leave it out."
    if isinstance(value, int | float) and not -LARGEST_NUMBER <= value <= LARGEST_NUMBER:
        return f"metadata contains a number outside ±{LARGEST_NUMBER}. Send it as text."
    return None


def fingerprint(secret: str, kind: str, value: str) -> str:
    """Hash a device or an address for the anti-cheat: equal inputs match, no way back."""
    return hmac.digest(secret.encode(), f"pressbox.{kind}:{value}".encode(), "sha256").hex()[:32]


def is_digest(text: str) -> bool:
    """Whether the text is a SHA-256 as 64 hex digits in small letters."""
    return re.fullmatch("[0-9a-f]{64}", text) is not None

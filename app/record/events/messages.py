"""One message on `game-events.v1`: the envelope, and decoding with errors that name the field.

The body types are in ball.py, kicks.py, credits.py, procedure.py, roster.py and corrections.py;
numbering is in scorer_console.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from app.core import json_decoding
from app.core.errors import UserError
from app.core.json_decoding import InvalidJsonError, explain
from app.record.events.corrections import Body
from app.record.events.fields import Epoch, EventNumber, GameId, Moment, PlayNumber
from app.stream.topics import MAX_MESSAGE_BYTES


class GameEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One message. Key of the topic: `game_id`; order promise: `event_number` within a game.

    `event_number` rises by one with every submitted event; `play_number` with every snap; a
    correction carries the play number of what it corrects. `epoch` is the scorer's fencing token.
    `recorded_at` is the server's clock at acceptance, in milliseconds since 1970 (UTC).
    """

    game_id: GameId
    event_number: EventNumber
    play_number: PlayNumber
    epoch: Epoch
    recorded_at: Moment
    body: Body
    v: Literal[1] = 1


class ScriptedEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a stored game (imported or simulated), to be entered by `pressbox replay`.

    `at_ms`: when, in milliseconds after the first step, never falling. Steps are numbered from 1 in
    order, and that number is the event number they get; corrections name those numbers.
    `play_number` None: the current play.
    """

    at_ms: Annotated[int, Meta(ge=0)]
    body: Body
    play_number: PlayNumber | None = None


class InvalidEventError(UserError):
    """The message is refused; the text names the field and what it must be."""


_decoder = msgspec.json.Decoder(GameEvent)
_encoder = msgspec.json.Encoder()


def decode(message: bytes) -> GameEvent:
    """The message as an event. Raises InvalidEventError with a sentence that names the field."""
    try:
        return json_decoding.decode(_decoder, message, most_bytes=MAX_MESSAGE_BYTES)
    except InvalidJsonError as error:
        raise InvalidEventError(str(error)) from error


def encode(event: GameEvent) -> bytes:
    """The event as a message."""
    return _encoder.encode(event)


def body_from(data: Any) -> Body:
    """A body from plain values (a form, JSON already parsed, a database's jsonb), fully checked.

    Raises InvalidEventError with a sentence that names the field.
    """
    try:
        body: Body = msgspec.convert(data, Body)
    except msgspec.ValidationError as error:
        raise InvalidEventError(explain(error)) from error
    return body


def body_to(body: Body) -> dict[str, Any]:
    """The body as plain values; `body_from(body_to(x)) == x`."""
    plain = msgspec.to_builtins(body)
    assert isinstance(plain, dict)
    return plain


def check(body: Body) -> Body:
    """A body built in Python, checked like one from outside (constructors do not check ranges)."""
    return body_from(body_to(body))

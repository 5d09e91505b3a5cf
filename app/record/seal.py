"""The seal of a game book: a hash over every message that the book was made of, each with its place
in Kafka, signed.

Lives here: the hash, the seal as one line of text, its signature. Not here: where messages come
from, and comparing (verification.py). Pure.

A message is hashed as event number, partition, offset and the event in its wire form, as this
version writes it, each after its length; the messages in order of event number. `figures` is the
hash over status, score and stat lines. The signature is the installation's own (decision 15): it
says that this installation made the book, to itself.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import msgspec

from app.record import events as ev
from app.stream.signing import KEY_ID, SIGNATURE, StreamKeys

_DOMAIN = "pressbox.game-book.v1"
_FORM = re.compile(
    r"pressbox-seal-1 game=(?P<game_id>[A-Za-z0-9_.-]{1,64}) events=(?P<events>\d{1,7}) "
    r"last=(?P<last>\d{1,7})"
    r" offsets=(?P<offsets>[0-9:,-]+) messages=(?P<messages>[0-9a-f]{64}) "
    r"figures=(?P<figures>[0-9a-f]{64})"
    r" key=(?P<key>[0-9a-f]{12}) signature=(?P<signature>[0-9a-f]{64})"
)


@dataclass(frozen=True, slots=True)
class Placed:
    """An event and where its message stands; partition and offset None: nobody has noted where."""

    event: ev.GameEvent
    partition: int | None
    offset: int | None


@dataclass(frozen=True, slots=True)
class Seal:
    """`events`: how many messages, up to event number `last`.

    `offsets`: partition and first to last offset of each.

    `messages`, `figures`, `signature`: 64 hexadecimal digits; `key`: the id of the key that signed.
    """

    game_id: str
    events: int
    last: int
    offsets: str
    messages: str
    figures: str
    key: str = ""
    signature: str = ""

    @property
    def said(self) -> str:
        """What is signed."""
        return (
            f"pressbox-seal-1 game={self.game_id} events={self.events} last={self.last} "
            f"offsets={self.offsets}"
            f" messages={self.messages} figures={self.figures}"
        )

    @property
    def text(self) -> str:
        return f"{self.said} key={self.key} signature={self.signature}"


def hash_of(messages: Iterable[Placed]) -> str:
    """SHA-256 (hex) over the messages, by event number."""
    found = hashlib.sha256()
    for one in sorted(messages, key=lambda placed: placed.event.event_number):
        place = f"{one.event.event_number}/{_number(one.partition)}/{_number(one.offset)}".encode()
        for part in (place, ev.encode(one.event)):
            found.update(len(part).to_bytes(8, "big"))
            found.update(part)
    return found.hexdigest()


def figures_of(
    status: str,
    scores: tuple[int | None, int | None],
    lines: Iterable[tuple[str, str, Mapping[str, int]]],
) -> str:
    """SHA-256 (hex) over status, home and away score, and stat lines by player."""
    plain = [
        status,
        scores,
        sorted((player, club, sorted(stats.items())) for player, club, stats in lines),
    ]
    return hashlib.sha256(msgspec.json.encode(plain)).hexdigest()


def seal(game_id: str, messages: Iterable[Placed], figures: str, keys: StreamKeys) -> Seal:
    """The signed seal of these messages."""
    placed = list(messages)
    offsets: dict[int, list[int]] = {}
    for one in placed:
        if one.partition is not None and one.offset is not None:
            offsets.setdefault(one.partition, []).append(one.offset)
    found = Seal(
        game_id=game_id,
        events=len(placed),
        last=max((one.event.event_number for one in placed), default=0),
        offsets=",".join(f"{number}:{min(of)}-{max(of)}" for number, of in sorted(offsets.items()))
        or "-",
        messages=hash_of(placed),
        figures=figures,
    )
    headers = dict(keys.headers(_DOMAIN, game_id.encode(), found.said.encode()))
    return replace(found, key=headers[KEY_ID].decode(), signature=headers[SIGNATURE].hex())


def found_in(text: str) -> Seal | None:
    """The seal that a book carries (HTML or JSON alike); None without one. Of several the last."""
    matches = list(_FORM.finditer(text))
    if not matches:
        return None
    said = matches[-1].groupdict()
    return Seal(
        said["game_id"],
        int(said["events"]),
        int(said["last"]),
        said["offsets"],
        said["messages"],
        said["figures"],
        said["key"],
        said["signature"],
    )


def signature_fault(found: Seal, keys: StreamKeys) -> str | None:
    """Why the seal is not one of this installation; None when it is."""
    headers = [(SIGNATURE, bytes.fromhex(found.signature)), (KEY_ID, found.key.encode())]
    return keys.fault(_DOMAIN, found.game_id.encode(), found.said.encode(), headers)


def _number(value: int | None) -> str:
    return "-" if value is None else str(value)

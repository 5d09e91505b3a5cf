"""The seal of a game book: a signed hash over every message that the book was made of. Pure.

Reading messages and comparing is in verification.py. A message is hashed as event number,
partition, offset and the event in its wire form as this version writes it, each after its length;
messages in order of event number. `figures` is the hash over status, score and stat lines. The
signature is the installation's own (decision 15): it proves to the installation that it made the
book.
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
    """An event and the offset of its message; None for an unknown partition and offset."""

    event: ev.GameEvent
    partition: int | None
    offset: int | None


@dataclass(frozen=True, slots=True)
class Seal:
    """The seal as values.

    `events`: how many messages, up to event number `last`. `offsets`: each partition with its first
    and last offset. `messages`, `figures`, `signature`: 64 hexadecimal digits; `key`: the id of the
    key that signed.
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
        """The signed text."""
        return (
            f"pressbox-seal-1 game={self.game_id} events={self.events} last={self.last} "
            f"offsets={self.offsets}"
            f" messages={self.messages} figures={self.figures}"
        )

    @property
    def text(self) -> str:
        """The seal as one line of text."""
        return f"{self.said} key={self.key} signature={self.signature}"


def hash_of(messages: Iterable[Placed]) -> str:
    """SHA-256 (hex) over the messages, by event number."""
    hasher = hashlib.sha256()
    for message in sorted(messages, key=lambda placed: placed.event.event_number):
        offset = f"{_number(message.partition)}/{_number(message.offset)}"
        place = f"{message.event.event_number}/{offset}".encode()
        for part in (place, ev.encode(message.event)):
            hasher.update(len(part).to_bytes(8, "big"))
            hasher.update(part)
    return hasher.hexdigest()


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
    for placed_message in placed:
        if placed_message.partition is not None and placed_message.offset is not None:
            offsets.setdefault(placed_message.partition, []).append(placed_message.offset)
    unsigned = Seal(
        game_id=game_id,
        events=len(placed),
        last=max((placed_message.event.event_number for placed_message in placed), default=0),
        offsets=",".join(
            f"{number}:{min(partition_offsets)}-{max(partition_offsets)}"
            for number, partition_offsets in sorted(offsets.items())
        )
        or "-",
        messages=hash_of(placed),
        figures=figures,
    )
    headers = dict(keys.headers(_DOMAIN, game_id.encode(), unsigned.said.encode()))
    return replace(unsigned, key=headers[KEY_ID].decode(), signature=headers[SIGNATURE].hex())


def found_in(text: str) -> Seal | None:
    """The seal that a book contains (HTML or JSON alike), the last of several; None without one."""
    matches = list(_FORM.finditer(text))
    if not matches:
        return None
    groups = matches[-1].groupdict()
    return Seal(
        groups["game_id"],
        int(groups["events"]),
        int(groups["last"]),
        groups["offsets"],
        groups["messages"],
        groups["figures"],
        groups["key"],
        groups["signature"],
    )


def signature_fault(seal_: Seal, keys: StreamKeys) -> str | None:
    """Why the seal is not one of this installation; None if it is."""
    headers = [(SIGNATURE, bytes.fromhex(seal_.signature)), (KEY_ID, seal_.key.encode())]
    return keys.fault(_DOMAIN, seal_.game_id.encode(), seal_.said.encode(), headers)


def _number(value: int | None) -> str:
    return "-" if value is None else str(value)

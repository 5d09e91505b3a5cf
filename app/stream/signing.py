"""Signatures of messages: who can reach a broker cannot write into the record with that alone.

Every message of ours carries an HMAC-SHA256 over topic, key and value under the installation's key,
in two headers. Lives here: keys, signing, checking. Not here: what becomes of a message without a
valid signature (verification.py).
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from app.core import clock
from app.settings import Settings

SIGNATURE = "pressbox-signature"  # 32 bytes
KEY_ID = "pressbox-key-id"  # the id of the key in ASCII

UNSIGNED = "unsigned: it has no signature; something else than this installation has written it"
FORGED = "bad-signature: the signature is not the one of this topic, key and value"
UNKNOWN_KEY = "bad-signature: it is signed with a key that is not among STREAM_KEYS"

Header = tuple[str, bytes]

_NO_KEY = (1 << 64) - 1


@dataclass(frozen=True)
class SigningKey:
    """`id` is made of the secret, tells nothing about it, and finds the key of a message."""

    id: str
    secret: bytes = field(repr=False)

    @classmethod
    def of(cls, text: str) -> SigningKey:
        secret = hmac.digest(text.encode(), b"pressbox.stream.v1", hashlib.sha256)
        return cls(hmac.new(secret, b"id", hashlib.sha256).hexdigest()[:12], secret)


class StreamKeys:
    """The installation's keys: the first one signs, all of them are accepted.

    `unsigned_until`: until this moment messages without any signature are accepted as well.
    """

    def __init__(self, secrets: Sequence[str], *, unsigned_until: datetime | None = None) -> None:
        self._keys = [SigningKey.of(secret) for secret in secrets]
        self._by_id = {key.id.encode(): key for key in self._keys}
        self._unsigned_until = unsigned_until

    @classmethod
    def of(cls, settings: Settings) -> StreamKeys:
        return cls(settings.stream_secrets(), unsigned_until=settings.stream_unsigned_until)

    @property
    def ids(self) -> list[str]:
        """Of every key, the signing one first."""
        return [key.id for key in self._keys]

    def headers(self, topic: str, key: bytes | None, value: bytes) -> list[Header]:
        """What goes with the message so that it is known as ours."""
        signing = self._keys[0]
        return [(SIGNATURE, _signature(signing, topic, key, value)), (KEY_ID, signing.id.encode())]

    def fault(
        self, topic: str, key: bytes | None, value: bytes, headers: Iterable[Header]
    ) -> str | None:
        """Why the message is not to be trusted (it begins with `unsigned` or `bad-signature`).

        None when it is ours.
        """
        found = dict(headers)
        if SIGNATURE not in found and KEY_ID not in found:
            return None if self._accepts_unsigned() else UNSIGNED
        signing = self._by_id.get(found.get(KEY_ID) or b"")
        if signing is None:
            return UNKNOWN_KEY
        good = hmac.compare_digest(
            _signature(signing, topic, key, value), found.get(SIGNATURE) or b""
        )
        return None if good else FORGED

    def _accepts_unsigned(self) -> bool:
        return self._unsigned_until is not None and clock.now() < self._unsigned_until


def key_id_of(headers: Iterable[Header]) -> str:
    """The id of the key that the message says it is signed with; empty when it says none."""
    return (dict(headers).get(KEY_ID) or b"").decode(errors="replace")


def _signature(signing: SigningKey, topic: str, key: bytes | None, value: bytes) -> bytes:
    """Each part goes in after its length, so that no byte can move from one part to the next."""
    parts = [
        piece
        for part in (topic.encode(), key, value)
        for piece in ((_NO_KEY if part is None else len(part)).to_bytes(8, "big"), part or b"")
    ]
    return hmac.digest(signing.secret, b"".join(parts), "sha256")

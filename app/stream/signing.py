"""Signatures of messages, so that access to a broker is not enough to write into the record.

Every message of ours has an HMAC-SHA256 of topic, key and value under the installation's key, in
two headers. Messages without a valid signature are handled in refused_messages.py.
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

UNSIGNED = "unsigned: it has no signature, so this installation did not write it"
FORGED = "bad-signature: the signature is not the one of this topic, key and value"
UNKNOWN_KEY = "bad-signature: it is signed with a key that is not among STREAM_KEYS"

Header = tuple[str, bytes]

_NO_KEY = (1 << 64) - 1


@dataclass(frozen=True)
class SigningKey:
    """A key.

    `id` is derived from the secret without revealing it, and identifies a message's key.
    """

    id: str
    secret: bytes = field(repr=False)

    @classmethod
    def of(cls, text: str) -> SigningKey:
        """Return the key for the text of a secret."""
        secret = hmac.digest(text.encode(), b"pressbox.stream.v1", hashlib.sha256)
        return cls(hmac.new(secret, b"id", hashlib.sha256).hexdigest()[:12], secret)


class StreamKeys:
    """The installation's keys. The first one signs; signatures of all of them are accepted.

    Until `unsigned_until`, messages without a signature are accepted as well.
    """

    def __init__(self, secrets: Sequence[str], *, unsigned_until: datetime | None = None) -> None:
        self._keys = [SigningKey.of(secret) for secret in secrets]
        self._by_id = {key.id.encode(): key for key in self._keys}
        self._unsigned_until = unsigned_until

    @classmethod
    def of(cls, settings: Settings) -> StreamKeys:
        """The keys in the settings."""
        return cls(settings.stream_secrets(), unsigned_until=settings.stream_unsigned_until)

    @property
    def ids(self) -> list[str]:
        """The ids of all keys, the signing one first."""
        return [key.id for key in self._keys]

    def headers(self, topic: str, key: bytes | None, value: bytes) -> list[Header]:
        """The headers that sign the message."""
        signing = self._keys[0]
        return [(SIGNATURE, _signature(signing, topic, key, value)), (KEY_ID, signing.id.encode())]

    def fault(
        self, topic: str, key: bytes | None, value: bytes, headers: Iterable[Header]
    ) -> str | None:
        """Return why the message cannot be trusted, or None if it is ours.

        The text starts with `unsigned` or `bad-signature`.
        """
        headers_by_name = dict(headers)
        if SIGNATURE not in headers_by_name and KEY_ID not in headers_by_name:
            return None if self._accepts_unsigned() else UNSIGNED
        signing = self._by_id.get(headers_by_name.get(KEY_ID) or b"")
        if signing is None:
            return UNKNOWN_KEY
        good = hmac.compare_digest(
            _signature(signing, topic, key, value), headers_by_name.get(SIGNATURE) or b""
        )
        return None if good else FORGED

    def _accepts_unsigned(self) -> bool:
        return self._unsigned_until is not None and clock.now() < self._unsigned_until


def key_id_of(headers: Iterable[Header]) -> str:
    """Return the id of the key that the message claims to be signed with, or an empty text."""
    return (dict(headers).get(KEY_ID) or b"").decode(errors="replace")


def _signature(signing: SigningKey, topic: str, key: bytes | None, value: bytes) -> bytes:
    """Return the HMAC. Each part is preceded by its length, so no byte can move to another part."""
    parts = [
        piece
        for part in (topic.encode(), key, value)
        for piece in ((_NO_KEY if part is None else len(part)).to_bytes(8, "big"), part or b"")
    ]
    return hmac.digest(signing.secret, b"".join(parts), "sha256")

"""Web Push: encrypted (RFC 8291) and signed (RFC 8292) messages over push services (RFC 8030).

The library `webpush` encrypts and signs; app/core/http/outbound.py sends, only to the services that
PUSH_SERVICES names. Devices are in push_devices.py.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from flask import current_app

from app.core.http import outbound
from app.settings import Settings

if TYPE_CHECKING:
    from webpush import WebPush

SECONDS = 6.0  # for the whole answer of a push service
LONGEST = 3_000  # bytes of a message; a service must take 4,096 of it encrypted
RETRY_MOST = 3_600  # seconds; a service that wants a longer pause is asked again after these
_MOST_DIGITS = 8  # of a Retry-After


@dataclass(frozen=True)
class Message:
    """A push.

    Attributes:
        content: For the service worker.
        seconds: How long the push service keeps it for a device that is off.
        topic: While it waits there, a later message of the same topic replaces it; at most 32
            letters, digits, `-` and `_`.
        is_urgent: Whether it wakes a device that saves power.
    """

    content: Mapping[str, str]
    seconds: int
    topic: str
    is_urgent: bool


@dataclass(frozen=True)
class Outcome:
    """What became of a push.

    Attributes:
        state: sent; gone (there is no such device any more); refused (trying again cannot help);
            failed (not accepted, trying again may help); unknown (it may have been accepted).
        reason: Why it was not sent.
        retry_after: Seconds that the service asks to wait.
    """

    state: str
    reason: str | None = None
    retry_after: int | None = None


def is_on() -> bool:
    """Whether pushes are configured."""
    return bool(_settings().vapid_key)


def new_key() -> str:
    """Generate a private key for VAPID_KEY."""
    number = ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value
    return _text(number.to_bytes(32))


def public_key() -> str:
    """Return the public key for the browser's push service (`applicationServerKey`), base64url."""
    point = serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
    return _text(_private_key(_settings().vapid_key).public_key().public_bytes(*point))


def endpoint_fault(endpoint: str) -> str | None:
    """Return why pushes cannot be sent to this endpoint, or None."""
    settings = _settings()
    if fault := outbound.url_fault(endpoint, private=settings.push_private):
        return fault
    host = (urlsplit(endpoint).hostname or "").lower()
    if settings.push_private or any(
        _is_of(host, name.strip().lower()) for name in settings.push_services.split(",")
    ):
        return None
    return (
        f"This site can't send to your browser's push service, {host}. An operator can allow it "
        "(PUSH_SERVICES)."
    )


def send(endpoint: str, p256dh: str, auth: str, message: Message) -> Outcome:
    """Send a push within SECONDS; needs no database, and never raises for what a service does."""
    settings = _settings()
    if fault := endpoint_fault(endpoint):
        return Outcome("refused", fault)
    body, headers = _sealed(settings, endpoint, p256dh, auth, message)
    answer = outbound.post(endpoint, body, headers, private=settings.push_private, seconds=SECONDS)
    status = answer.status
    if status is None:
        return Outcome("unknown" if answer.was_sent else "failed", answer.fault)
    if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        return Outcome("sent")
    reason = f"Responded with {status}."
    if status in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE):
        return Outcome("gone", reason)
    if status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return Outcome("failed", reason, _seconds(answer.headers.get("retry-after", "")))
    return Outcome("refused", reason)


def _sealed(
    settings: Settings, endpoint: str, p256dh: str, auth: str, message: Message
) -> tuple[bytes, dict[str, str]]:
    # Imported late: it brings pydantic, which other processes do not need in memory.
    from webpush import WebPushSubscription

    content = json.dumps(dict(message.content), ensure_ascii=False).encode()
    assert len(content) <= LONGEST, "the caller bounds its texts"
    to = WebPushSubscription.model_validate(
        {"endpoint": endpoint, "keys": {"p256dh": p256dh, "auth": auth}}
    )
    push = _pusher(settings.vapid_key).get(
        content, to, subscriber=settings.push_contact or settings.mail_from
    )
    return push.encrypted, {
        "Authorization": push.headers["authorization"],
        "Content-Encoding": push.headers["content-encoding"],
        "Content-Type": "application/octet-stream",
        "TTL": str(message.seconds),
        "Topic": message.topic,
        "Urgency": "high" if message.is_urgent else "normal",
        "User-Agent": "Pressbox",
    }


@cache
def _pusher(vapid_key: str) -> WebPush:
    from webpush import WebPush

    key = _private_key(vapid_key)
    pem = serialization.Encoding.PEM
    return WebPush(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()),
        key.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo),
    )


def _private_key(vapid_key: str) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(int.from_bytes(urlsafe_b64decode(f"{vapid_key}=")), ec.SECP256R1())


def _is_of(host: str, name: str) -> bool:
    return host.endswith(name[1:]) if name.startswith("*.") else host == name


def _seconds(retry_after: str) -> int | None:
    """Read a Retry-After in seconds; a date counts as none."""
    if not retry_after.isdecimal() or len(retry_after) > _MOST_DIGITS:
        return None
    return min(int(retry_after), RETRY_MOST)


def _text(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def _settings() -> Settings:
    settings: Settings = current_app.config["PRESSBOX"]
    return settings

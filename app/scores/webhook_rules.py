"""How a webhook's deliveries are signed, when they are tried again, and which addresses they may go to: pure values."""

from __future__ import annotations

import base64
import hashlib
import hmac
import ipaddress
import secrets
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from standardwebhooks import Webhook

RETRY_AFTER_SECONDS = (30, 60, 120)  # then it is dead
LONGEST_URL = 2_000
CARRIES_IPV4 = (ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("::/96"))  # NAT64 (RFC 6052), compatible


def new_secret() -> str:
    """`whsec_` and 32 random bytes in base64, as Standard Webhooks has secrets."""
    return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()


def signed_headers(secret: str, message_id: str, body: bytes, at: datetime) -> dict[str, str]:
    """The headers of Standard Webhooks (standardwebhooks.com), and Pressbox-Signature for receivers of version 0.1.

    A secret of version 0.1 has `-` and `_` where base64 has `+` and `/`; the bytes are the same.
    """
    encoded = secret.removeprefix("whsec_").translate(str.maketrans("-_", "+/"))
    key = Webhook(base64.b64decode(encoded + "=="))
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": key.sign(message_id, at.astimezone(UTC), body.decode()),
        "Pressbox-Signature": _signature_of_0_1(secret, body, at),
    }


def _signature_of_0_1(secret: str, body: bytes, at: datetime) -> str:
    """`t=<seconds>,v1=<hex>`, HMAC-SHA256 over `<seconds>.<body>`; goes with version 0.3."""
    seconds = int(at.timestamp())
    digest = hmac.new(secret.encode(), f"{seconds}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={seconds},v1={digest}"


def next_try(tries: int, now: datetime) -> datetime | None:
    """When to try again after so many tries; None: no more."""
    return now + timedelta(seconds=RETRY_AFTER_SECONDS[tries - 1]) if tries <= len(RETRY_AFTER_SECONDS) else None


def url_fault(url: str, *, private: bool) -> str | None:
    """What to change about an address, or None. `private`: http and private addresses are allowed (a setting)."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "Send a web address like https://example.com/hook."
    if len(url) > LONGEST_URL or not url.isascii() or not url.isprintable() or " " in url:
        return f"Send an address of at most {LONGEST_URL:,} plain characters."
    if parts.scheme != "https" and not (private and parts.scheme == "http"):
        return "Use an address that begins with https://."
    if not parts.hostname or port == 0:
        return "Name a host, as in https://example.com/hook."
    if parts.username is not None or parts.password is not None or parts.fragment:
        return "Leave out user, password and fragment: deliveries are signed instead."
    try:
        literal = ipaddress.ip_address(parts.hostname)
    except ValueError:
        return None
    return None if private or is_public(str(literal)) else "Use a public address."


def is_public(address: str) -> bool:
    """Whether an IP address may be reached: neither private, loopback, link-local, shared, multicast nor reserved,
    nor an IPv6 form that carries such an IPv4 address."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address) and (ip.ipv4_mapped or ip.sixtofour or ip.teredo):
        return False
    if any(ip in network for network in CARRIES_IPV4):
        return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved

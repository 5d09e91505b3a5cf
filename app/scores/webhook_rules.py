"""How a webhook's deliveries are signed, when they are tried again, and which addresses they may go to: pure values."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from datetime import datetime, timedelta
from urllib.parse import urlsplit

RETRY_AFTER_SECONDS = (30, 60, 120)  # then it is dead
REPLAY_WINDOW = timedelta(minutes=5)  # a receiver refuses what was signed earlier or later than this from now
LONGEST_URL = 2_000
CARRIES_IPV4 = (ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("::/96"))  # NAT64 (RFC 6052), compatible


def signature(secret: str, body: bytes, at: datetime) -> str:
    """The header Pressbox-Signature: `t=<seconds>,v1=<hex>`, HMAC-SHA256 over `<seconds>.<body>`."""
    seconds = int(at.timestamp())
    digest = hmac.new(secret.encode(), f"{seconds}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={seconds},v1={digest}"


def is_signed(secret: str, header: str, body: bytes, now: datetime) -> bool:
    """Whether we signed this body within REPLAY_WINDOW of now: what a receiver has to check."""
    seconds = dict(part.partition("=")[::2] for part in header.split(",")).get("t", "")
    if not (seconds.isascii() and seconds.isdigit() and len(seconds) <= 12):
        return False
    at = datetime.fromtimestamp(int(seconds), now.tzinfo)
    return hmac.compare_digest(signature(secret, body, at), header) and abs(now - at) <= REPLAY_WINDOW


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

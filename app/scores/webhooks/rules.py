"""How a webhook's deliveries are signed and when they are tried again: pure values.

app/core/http/outbound.py decides which addresses they may go to.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from standardwebhooks import Webhook

# doubled with each try, up to this
FIRST_RETRY, LONGEST_RETRY = timedelta(seconds=30), timedelta(hours=2)
TRIED_FOR = timedelta(hours=24)  # from the first try to the last; then the delivery is dead
# the old secret signs too, so that receivers have time to change
OLD_SECRET_FOR = timedelta(hours=24)
ON_YOUR_OWN_MACHINE = (
    "To send to http or to your own network, e.g. for a trial, the operator can set "
    "WEBHOOKS_PRIVATE=1."
)
# a delivery holds up those after it for this many failed tries; then they overtake it
IN_ORDER_TRIES = 3


def new_secret() -> str:
    """Return a new secret: `whsec_` and 32 random bytes in base64, as in Standard Webhooks."""
    return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()


def signed_headers(
    secret: str, message_id: str, body: bytes, at: datetime, old_secret: str | None = None
) -> dict[str, str]:
    """Build the headers of Standard Webhooks, and Pressbox-Signature for receivers of version 0.1.

    With `old_secret` both secrets sign, so that a receiver may know either one (Standard Webhooks
    lists signatures with spaces).
    """
    secrets_now = [secret] if old_secret is None else [secret, old_secret]
    signatures = [
        _key(secret_now).sign(message_id, at.astimezone(UTC), body.decode())
        for secret_now in secrets_now
    ]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(signatures),
        "Pressbox-Signature": _signature_of_0_1(secrets_now, body, at),
    }


def _key(secret: str) -> Webhook:
    """Return the key of a secret.

    Secrets of version 0.1 have `-` and `_` in place of `+` and `/`, for the same bytes.
    """
    encoded = secret.removeprefix("whsec_").translate(str.maketrans("-_", "+/"))
    return Webhook(base64.b64decode(encoded + "=="))


def _signature_of_0_1(secrets_now: Sequence[str], body: bytes, at: datetime) -> str:
    """Return `t=<seconds>,v1=<hex>`, with a `v1` per secret: HMAC-SHA256 over `<seconds>.<body>`.

    To be removed with version 0.3.
    """
    seconds = int(at.timestamp())
    signed = f"{seconds}.".encode() + body
    digests = [
        hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest() for secret in secrets_now
    ]
    return ",".join([f"t={seconds}", *(f"v1={digest}" for digest in digests)])


def next_try(tries: int, first_tried_at: datetime, now: datetime) -> datetime | None:
    """Return when to try again after so many failed tries, the last of them now; None after a day.

    Tries follow after 30 s, 1 min, 2, 4, 8, 16, 32, 64 min, then every 2 h, and for the last time
    24 h after the first one.
    """
    ends = first_tried_at + TRIED_FOR
    after = min(FIRST_RETRY * 2 ** min(tries - 1, 20), LONGEST_RETRY)
    return min(now + after, ends) if now < ends else None

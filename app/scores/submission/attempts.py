"""Attempt tokens: the signed right to send one score, issued to a game server (PRODUCT D1).

A token names the attempt, the player, the mode, the best score it is good for and its end. It is
used once because (player, attempt) is. Not here: who may ask for one (app/api). A token is a secret
of its player until it is used: it is never logged and never stored.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from uuid import UUID, uuid4

from flask import current_app
from itsdangerous import BadData, URLSafeSerializer

from app.boards.order import Order
from app.core.refusals import Refusal

SALT = "pressbox.attempt.v1"
LIFETIME = timedelta(hours=2)  # what a game server gets that asks for no other
LONGEST = timedelta(days=7)  # what comes later could be older than anything Kafka keeps


@dataclass(frozen=True)
class Grant:
    """What a token says.

    `cap` in the mode's smallest unit; `expires` UTC, whole seconds. `key_id`: the integrator's key
    that asked for it, with which it ends; None: none did.
    """

    attempt_id: UUID
    player_id: UUID
    mode_id: UUID
    cap: int
    expires: datetime
    key_id: int | None = None


def issue(
    mode_id: UUID,
    player_id: UUID,
    cap: int,
    lifetime: timedelta,
    now: datetime,
    attempt_id: UUID | None = None,
    key_id: int | None = None,
) -> tuple[Grant, str]:
    """A new attempt and its token.

    `lifetime` above LONGEST counts as LONGEST, below a second as a second.

    `attempt_id`: the game server's own, unique for the player; made when missing.
    """
    lasts = min(max(lifetime, timedelta(seconds=1)), LONGEST)
    expires = datetime.fromtimestamp(int((now + lasts).timestamp()), UTC)
    grant = Grant(attempt_id or uuid4(), player_id, mode_id, cap, expires, key_id)
    claims: list[str | int] = [
        grant.attempt_id.hex,
        player_id.hex,
        mode_id.hex,
        cap,
        int(expires.timestamp()),
    ]
    signed = _signer(current_app.config["SECRET_KEY"]).dumps(
        claims if key_id is None else [*claims, key_id]
    )
    return grant, signed.decode() if isinstance(signed, bytes) else signed


def read(token: str) -> Grant | None:
    """What the token says; None when we did not sign it."""
    try:
        attempt, player, mode, cap, expires, *key = _signer(current_app.config["SECRET_KEY"]).loads(
            token
        )
    except BadData:
        return None
    ends = datetime.fromtimestamp(expires, UTC)
    return Grant(UUID(attempt), UUID(player), UUID(mode), cap, ends, key[0] if key else None)


def check(
    grant: Grant | None,
    *,
    attempt_id: UUID,
    mode_id: UUID,
    player_id: UUID,
    score: int,
    now: datetime,
    order: Order = Order(),  # noqa: B008
) -> tuple[Refusal, ...]:
    """Why what a token says (`read`) is not good for this score, every reason; empty when it is.

    The cap is the best score that it is good for as `order` has it: the lowest where the lowest is
    best.
    """
    if grant is None:
        return (
            _refused(
                "bad_signature",
                "was not signed here; ask for an attempt and send its token unchanged",
            ),
        )
    found = []
    if grant.attempt_id != attempt_id:
        found.append(
            _refused(
                "another_attempt",
                "belongs to another attempt than attempt_id; send the two together",
            )
        )
    if grant.player_id != player_id:
        found.append(
            _refused(
                "another_player", "was issued to another player; each needs an attempt of their own"
            )
        )
    if grant.mode_id != mode_id:
        found.append(
            _refused("another_mode", "was issued for another mode; ask for an attempt of this one")
        )
    if now >= grant.expires:
        found.append(
            _refused("expired", f"ended at {grant.expires.isoformat()}; ask for a new attempt")
        )
    if order.is_better(score, grant.cap):
        text = f"raw_score is better than {grant.cap}, the cap of this attempt."
        found.append(Refusal("above_cap", "raw_score", text))
    return tuple(found)


def _refused(code: str, text: str) -> Refusal:
    return Refusal(code, "attempt_token", f"attempt_token {text}.")


@lru_cache(maxsize=8)
def _signer(secret: str) -> URLSafeSerializer:
    return URLSafeSerializer(
        secret,
        salt=SALT,
        signer_kwargs={"digest_method": hashlib.sha256, "key_derivation": "hmac"},
    )

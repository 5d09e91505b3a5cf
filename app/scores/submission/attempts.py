"""Attempt tokens: the signed right to send one score, issued to a game server (PRODUCT D1).

A token names the attempt, the player, the mode, the best score it is good for, its end and the
session, if the game server named one. It can be used once because (player, attempt) is unique.
Until then it is a secret of its player: it is never logged and never stored. app/api decides who
may ask for one.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from uuid import UUID, uuid4

from flask import current_app
from itsdangerous import BadData, URLSafeSerializer

from app.core.refusals import Refusal
from app.scores.submission.claims import Claim

SALT = "pressbox.attempt.v1"
LIFETIME = timedelta(hours=2)  # for game servers that ask for no other
LONGEST = timedelta(days=7)  # later scores could be older than anything Kafka keeps


@dataclass(frozen=True)
class Grant:
    """What a token says.

    Attributes:
        attempt_id: The attempt that it is good for.
        player_id: Who may send the score.
        mode_id: The mode that the score counts in.
        cap: The best score that it is good for, in the mode's smallest unit.
        expires: In UTC, whole seconds.
        key_id: The integrator's key that asked for it, if any. The attempt ends with the key.
        session_id: The session that the score is played in, if the game server named one.
    """

    attempt_id: UUID
    player_id: UUID
    mode_id: UUID
    cap: int
    expires: datetime
    key_id: int | None = None
    session_id: str | None = None


@dataclass(frozen=True)
class AttemptRequest:
    """What a game server asks for.

    Attributes:
        mode_id: The mode that the attempt is played in.
        player_id: Who plays it.
        cap: The best score that it is good for, in the mode's smallest unit.
        lifetime: From one second to LONGEST; anything outside is moved to the nearer limit.
        attempt_id: The game server's own id, unique per player; None for a random one.
        key_id: The integrator's key that asked, if any. The attempt ends with the key.
        session_id: The game server's name of the session, if any; several attempts may share it.
    """

    mode_id: UUID
    player_id: UUID
    cap: int
    lifetime: timedelta
    attempt_id: UUID | None = None
    key_id: int | None = None
    session_id: str | None = None


def issue(request: AttemptRequest, now: datetime) -> tuple[Grant, str]:
    """Issue a new attempt and its token."""
    lifetime = min(max(request.lifetime, timedelta(seconds=1)), LONGEST)
    grant = Grant(
        attempt_id=request.attempt_id or uuid4(),
        player_id=request.player_id,
        mode_id=request.mode_id,
        cap=request.cap,
        expires=datetime.fromtimestamp(int((now + lifetime).timestamp()), UTC),
        key_id=request.key_id,
        session_id=request.session_id,
    )
    claims: list[str | int | None] = [
        grant.attempt_id.hex,
        grant.player_id.hex,
        grant.mode_id.hex,
        grant.cap,
        int(grant.expires.timestamp()),
    ]
    if grant.session_id is not None:
        claims += [grant.key_id, grant.session_id]
    elif grant.key_id is not None:
        claims.append(grant.key_id)
    signed = _signer(current_app.config["SECRET_KEY"]).dumps(claims)
    return grant, signed.decode() if isinstance(signed, bytes) else signed


def read(token: str) -> Grant | None:
    """Return what the token says; None if we did not sign it."""
    try:
        attempt, player, mode, cap, expires, *optional = _signer(
            current_app.config["SECRET_KEY"]
        ).loads(token)
    except BadData:
        return None
    ends = datetime.fromtimestamp(expires, UTC)
    key_id, session_id = (*optional, None, None)[:2]
    return Grant(UUID(attempt), UUID(player), UUID(mode), cap, ends, key_id, session_id)


def check(grant: Grant | None, claim: Claim, now: datetime) -> tuple[Refusal, ...]:
    """Return every reason why the grant is not good for this score; empty if it is good.

    The mode's order decides which scores are better than the cap: lower ones in a mode in which the
    lowest is best.
    """
    if grant is None:
        return (
            _refused(
                "bad_signature",
                "was not signed here; request an attempt and send its token unchanged",
            ),
        )
    refusals = []
    if grant.attempt_id != claim.attempt_id:
        refusals.append(
            _refused(
                "another_attempt",
                "belongs to another attempt than attempt_id; send the two together",
            )
        )
    if grant.player_id != claim.player_id:
        refusals.append(
            _refused(
                "another_player",
                "was issued to another player; each player needs their own attempt",
            )
        )
    if grant.mode_id != claim.mode.id:
        refusals.append(
            _refused("another_mode", "was issued for another mode; request an attempt for this one")
        )
    if claim.session_id not in (None, grant.session_id):
        text = "session_id is not this attempt's session. Send the right one, or none."
        refusals.append(Refusal("another_session", "session_id", text))
    if now >= grant.expires:
        refusals.append(
            _refused("expired", f"expired at {grant.expires.isoformat()}; request a new attempt")
        )
    if claim.mode.ordering.is_better(claim.score, grant.cap):
        text = f"raw_score is better than {grant.cap}, the cap of this attempt."
        refusals.append(Refusal("above_cap", "raw_score", text))
    return tuple(refusals)


def _refused(code: str, text: str) -> Refusal:
    return Refusal(code, "attempt_token", f"attempt_token {text}.")


@lru_cache(maxsize=8)
def _signer(secret: str) -> URLSafeSerializer:
    return URLSafeSerializer(
        secret,
        salt=SALT,
        signer_kwargs={"digest_method": hashlib.sha256, "key_derivation": "hmac"},
    )

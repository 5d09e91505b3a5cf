"""Tokens of players: a short access token (JWT) and refresh tokens that are each good for one use.

A refresh token that is used a second time was stolen or lost: its whole family ends then (RFC 9700, 4.14.2).
No token is stored or logged; of refresh tokens PostgreSQL keeps the SHA-256. Not here: who may ask (app/api).
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import jwt
from flask import current_app
from sqlalchemy import delete, select, update

from app.accounts.models import RefreshToken
from app.core.db import db

ACCESS_LIFETIME = timedelta(minutes=15)
REFRESH_LIFETIME = timedelta(days=30)  # of each; a player who comes back within it never signs in again
ISSUER = AUDIENCE = "pressbox"
ALGORITHM = "HS256"
REFRESH_PREFIX = "pbr_"


@dataclass(frozen=True)
class PlayerCaller:
    """A player who showed a valid access token."""

    player_id: UUID
    token_id: str


@dataclass(frozen=True)
class Pair:
    access: str
    refresh: str
    access_lifetime: timedelta = ACCESS_LIFETIME
    refresh_lifetime: timedelta = REFRESH_LIFETIME


def issue(player_id: UUID, now: datetime) -> Pair:
    """A new family of tokens for the player; commits. Takes families away that ended by themselves."""
    db.session.execute(delete(RefreshToken).where(RefreshToken.player_id == player_id, RefreshToken.expires_at <= now))
    pair = _next(player_id, uuid4(), now)
    db.session.commit()
    return pair


def refresh(secret: str, now: datetime) -> tuple[UUID, Pair] | None:
    """The player and their next tokens, once; None for a token that is unknown, ended, or spent (its family ends)."""
    held = db.session.scalar(
        select(RefreshToken)
        .where(RefreshToken.digest == _digest(secret))
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    if held is None or held.revoked_at is not None or held.expires_at <= now:
        db.session.rollback()
        return None
    if held.spent_at is not None:
        whole = RefreshToken.family == held.family
        db.session.execute(update(RefreshToken).where(whole, RefreshToken.revoked_at.is_(None)).values(revoked_at=now))
        db.session.commit()
        return None
    held.spent_at = now
    pair = _next(held.player_id, held.family, now)
    db.session.commit()
    return held.player_id, pair


def read(access: str, now: datetime) -> PlayerCaller | None:
    """Whose token it is; None when we did not sign it for this use, or it has ended."""
    try:
        claims = jwt.decode(
            access,
            _key(),
            algorithms=[ALGORITHM],
            audience=AUDIENCE,
            issuer=ISSUER,
            options={"require": ["exp", "iat", "sub", "jti"], "verify_exp": False, "verify_iat": False},
        )
    except jwt.InvalidTokenError:
        return None
    if now.timestamp() >= claims["exp"]:
        return None
    return PlayerCaller(UUID(claims["sub"]), claims["jti"])


def _next(player_id: UUID, family: UUID, now: datetime) -> Pair:
    secret = REFRESH_PREFIX + secrets.token_urlsafe(32)
    db.session.add(
        RefreshToken(family=family, player_id=player_id, digest=_digest(secret), expires_at=now + REFRESH_LIFETIME)
    )
    claims = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": str(player_id),
        "iat": int(now.timestamp()),
        "exp": int((now + ACCESS_LIFETIME).timestamp()),
        "jti": secrets.token_urlsafe(12),
    }
    return Pair(jwt.encode(claims, _key(), ALGORITHM), secret)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _key() -> bytes:
    """Ours alone: a session's signature can never be taken for a token's, nor the other way round."""
    return hmac.digest(current_app.config["SECRET_KEY"].encode(), b"pressbox.player.access.v1", "sha256")

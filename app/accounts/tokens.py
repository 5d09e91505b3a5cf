"""Tokens of players: a short-lived access token (JWT), and refresh tokens for one use each.

A refresh token that is used a second time was stolen or lost, and its whole family ends (RFC 9700,
4.14.2). No token is stored or logged; PostgreSQL keeps the SHA-256 of refresh tokens. app/api
decides who may ask for them.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import jwt
from flask import current_app
from sqlalchemy import ColumnElement, Select, delete, func, select, text, update

from app.accounts import sanctions
from app.accounts.digests import digest
from app.accounts.models import ApiKey, MemberSession, Player, RefreshToken
from app.core.db import db
from app.core.page_cache.values import CachedValue, cached_value

ACCESS_LIFETIME = timedelta(minutes=15)
# Of each refresh token; players who return within it never have to sign in again.
REFRESH_LIFETIME = timedelta(days=30)
ISSUER = AUDIENCE = "pressbox"
ALGORITHM = "HS256"
REFRESH_PREFIX = "pbr_"


@dataclass(frozen=True)
class PlayerCaller:
    """A player who sent a valid access token, with their sanctions (sanctions.py)."""

    player_id: UUID
    token_id: str
    banned_until: datetime | None = None
    hidden_at: datetime | None = None


@dataclass(frozen=True)
class Pair:
    """An access token and a refresh token."""

    access: str
    refresh: str
    access_lifetime: timedelta = ACCESS_LIFETIME
    refresh_lifetime: timedelta = REFRESH_LIFETIME


def issue(
    player_id: UUID, now: datetime, *, key_id: int | None = None, session_id: str | None = None
) -> Pair:
    """Begin a family of tokens for the player, delete expired families, and commit.

    The family ends with the integrator's key or the member's session that began it.

    Raises:
        TokenExpiredError: That key or session ended after the request was authenticated.
    """
    _hold(key_id, session_id)
    db.session.execute(
        delete(RefreshToken).where(
            RefreshToken.player_id == player_id, RefreshToken.expires_at <= now
        )
    )
    pair = _next(player_id, uuid4(), now, key_id, session_id)
    db.session.commit()
    return pair


class TokenExpiredError(Exception):
    """The key or session that asks for tokens has ended."""


def _hold(key_id: int | None, session_id: str | None) -> None:
    """Lock the key or session until the commit, so that ending it also ends these tokens."""
    queries: list[Select[Any]] = []
    if key_id is not None:
        queries.append(select(ApiKey.id).where(ApiKey.id == key_id, ApiKey.revoked_at.is_(None)))
    if session_id is not None:
        queries.append(
            select(MemberSession.id).where(
                MemberSession.id == session_id, MemberSession.ended_at.is_(None)
            )
        )
    for query in queries:
        if db.session.scalar(query.with_for_update(read=True)) is None:
            db.session.rollback()
            raise TokenExpiredError


def refresh(secret: str, now: datetime) -> tuple[UUID, Pair] | None:
    """Spend a refresh token. Commits.

    Returns:
        The player and their next tokens, or None if the token is unknown, expired, spent (its
        family ends) or of a banned player.
    """
    token = db.session.scalar(
        select(RefreshToken)
        .where(RefreshToken.digest == digest(secret))
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    is_over = token is None or token.revoked_at is not None or token.expires_at <= now
    if token is None or is_over or sanctions.is_barred(token.player_id, now):
        db.session.rollback()
        return None
    if token.spent_at is not None:
        db.session.execute(
            update(RefreshToken)
            .where(RefreshToken.family == token.family, RefreshToken.revoked_at.is_(None))
            .values(revoked_at=now)
        )
        db.session.commit()
        return None
    token.spent_at = now
    pair = _next(token.player_id, token.family, now, token.key_id, token.session_id)
    db.session.commit()
    return token.player_id, pair


def read(access: str, now: datetime) -> PlayerCaller | None:
    """Return whose access token it is.

    Returns:
        None if we did not sign it for this use, it has expired, or its family was revoked.
    """
    try:
        claims = _claims_of(access, _key())
    except jwt.InvalidTokenError:
        return None
    if now.timestamp() >= claims["exp"]:
        return None
    player_id = UUID(claims["sub"])
    sanctioned = _sanctions_of(UUID(claims["fam"]), player_id)
    return None if sanctioned is None else PlayerCaller(player_id, claims["jti"], *sanctioned)


@lru_cache(maxsize=4096)
def _claims_of(access: str, key: bytes) -> Mapping[str, Any]:
    """Return the claims of a token that we signed for this use; the caller checks its end.

    Players send the same token with each score, and verifying it takes a tenth of a submission.

    Raises:
        jwt.InvalidTokenError: We did not.
    """
    return MappingProxyType(
        jwt.decode(
            access,
            key,
            algorithms=[ALGORITHM],
            audience=AUDIENCE,
            issuer=ISSUER,
            options={
                "require": ["exp", "iat", "sub", "jti", "fam"],
                "verify_exp": False,
                "verify_iat": False,
            },
        )
    )


class _Sanctions(NamedTuple):
    banned_until: datetime | None
    hidden_at: datetime | None


_FAMILY = text("""
    SELECT player.banned_until, player.hidden_at
    FROM players player JOIN refresh_tokens token ON token.player_id = player.id
    WHERE token.family = :family AND player.id = :player
    GROUP BY player.id HAVING bool_and(token.revoked_at IS NULL)
""")


def _sanctions_of(family: UUID, player_id: UUID) -> _Sanctions | None:
    """Return the player's sanctions; None if the family is unknown or was revoked."""

    def load() -> CachedValue[_Sanctions | None]:
        row = db.session.execute(_FAMILY, {"family": family, "player": player_id}).one_or_none()
        tags = (f"family:{family}", f"sanctions:{player_id}")
        return CachedValue(None, ()) if row is None else CachedValue(_Sanctions(*row), tags)

    return cached_value(f"token:{family}:{player_id}", _Sanctions | None, load)


@dataclass(frozen=True)
class Family:
    """The tokens from one sign-in of an app; `used_at` is their last refresh."""

    id: UUID
    begun_at: datetime
    used_at: datetime
    session_id: str | None


def families_of(member_id: int, now: datetime) -> list[Family]:
    """Return the member's families that can be refreshed, the last used first."""
    begun, used = func.min(RefreshToken.created_at), func.max(RefreshToken.created_at)
    query = (
        select(RefreshToken.family, begun, used, func.max(RefreshToken.session_id))
        .join(Player, Player.id == RefreshToken.player_id)
        .where(Player.member_id == member_id)
        .group_by(RefreshToken.family)
        .having(
            func.bool_and(RefreshToken.revoked_at.is_(None)),
            func.max(RefreshToken.expires_at) > now,
        )
    )
    return [
        Family(*row) for row in db.session.execute(query.order_by(used.desc(), RefreshToken.family))
    ]


def revoke_family(member_id: int, family: UUID, now: datetime) -> bool:
    """End the family. Commits.

    Returns:
        False if the member has no such family that is good.
    """
    mine = select(Player.id).where(Player.member_id == member_id).scalar_subquery()
    ended = _revoke(now, RefreshToken.family == family, RefreshToken.player_id == mine)
    db.session.commit()
    return ended > 0


def move(session_id: str, renewed: str) -> None:
    """Move the tokens of a session to its new id. The caller commits."""
    db.session.execute(
        update(RefreshToken).where(RefreshToken.session_id == session_id).values(session_id=renewed)
    )


def revoke_of_session(session_id: str, now: datetime) -> None:
    """End the tokens begun in a session. The caller commits."""
    _revoke(now, RefreshToken.session_id == session_id)


def revoke_of_member(member_id: int, now: datetime, *, but: str | None = None) -> None:
    """End the member's tokens, except those begun in the session `but`. The caller commits."""
    mine = select(Player.id).where(Player.member_id == member_id).scalar_subquery()
    others = [] if but is None else [RefreshToken.session_id.is_distinct_from(but)]
    _revoke(now, RefreshToken.player_id == mine, *others)


def revoke_of_key(key_id: int, now: datetime) -> None:
    """End the tokens that were issued with an integrator's key. The caller commits."""
    _revoke(now, RefreshToken.key_id == key_id)


def _revoke(now: datetime, *which: ColumnElement[bool]) -> int:
    """Revoke whole families, so that their access tokens end too; return the number of rows."""
    families = select(RefreshToken.family).where(*which, RefreshToken.revoked_at.is_(None))
    statement = update(RefreshToken).where(
        RefreshToken.family.in_(families), RefreshToken.revoked_at.is_(None)
    )
    return len(
        db.session.execute(statement.values(revoked_at=now).returning(RefreshToken.id)).all()
    )


def _next(
    player_id: UUID, family: UUID, now: datetime, key_id: int | None, session_id: str | None
) -> Pair:
    secret = REFRESH_PREFIX + secrets.token_urlsafe(32)
    db.session.add(
        RefreshToken(
            family=family,
            player_id=player_id,
            digest=digest(secret),
            key_id=key_id,
            session_id=session_id,
            created_at=now,
            expires_at=now + REFRESH_LIFETIME,
        )
    )
    claims = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": str(player_id),
        "iat": int(now.timestamp()),
        "exp": int((now + ACCESS_LIFETIME).timestamp()),
        "jti": secrets.token_urlsafe(12),
        "fam": family.hex,
    }
    return Pair(jwt.encode(claims, _key(), ALGORITHM), secret)


def _key() -> bytes:
    """Return a key for this use only, so that a session's signature is never good for a token."""
    return _key_of(current_app.config["SECRET_KEY"])


@lru_cache(maxsize=8)
def _key_of(secret: str) -> bytes:
    return hmac.digest(secret.encode(), b"pressbox.player.access.v1", "sha256")

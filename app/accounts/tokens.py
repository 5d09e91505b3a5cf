"""Tokens of players: a short access token (JWT) and refresh tokens that are each good for one use.

A refresh token that is used a second time was stolen or lost: its whole family ends then (RFC 9700,
4.14.2). No token is stored or logged; of refresh tokens PostgreSQL keeps the SHA-256. Not here: who
may ask (app/api).
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any
from uuid import UUID, uuid4

import jwt
from flask import current_app
from sqlalchemy import ColumnElement, Select, delete, func, select, text, update

from app.accounts import sanctions
from app.accounts.digests import digest
from app.accounts.models import ApiKey, MemberSession, Player, RefreshToken
from app.core.db import db
from app.core.request_batching import batched

ACCESS_LIFETIME = timedelta(minutes=15)
# of each; a player who comes back within it never signs in again
REFRESH_LIFETIME = timedelta(days=30)
ISSUER = AUDIENCE = "pressbox"
ALGORITHM = "HS256"
REFRESH_PREFIX = "pbr_"


@dataclass(frozen=True)
class PlayerCaller:
    """A player who showed a valid access token, and what sanctions say of them now
    (accounts/sanctions.py).
    """

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
    """Keeps the key or session as it is until the commit, so that whoever ends it finds these
    tokens.
    """
    wanted: list[Select[Any]] = []
    if key_id is not None:
        wanted.append(select(ApiKey.id).where(ApiKey.id == key_id, ApiKey.revoked_at.is_(None)))
    if session_id is not None:
        wanted.append(
            select(MemberSession.id).where(
                MemberSession.id == session_id, MemberSession.ended_at.is_(None)
            )
        )
    for query in wanted:
        if db.session.scalar(query.with_for_update(read=True)) is None:
            db.session.rollback()
            raise TokenExpiredError


def refresh(secret: str, now: datetime) -> tuple[UUID, Pair] | None:
    """The player and their next tokens, once.

    None for a token that is unknown, ended, spent (its family ends), or of a banned player.
    """
    held = db.session.scalar(
        select(RefreshToken)
        .where(RefreshToken.digest == digest(secret))
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    is_over = held is None or held.revoked_at is not None or held.expires_at <= now
    if held is None or is_over or sanctions.is_barred(held.player_id, now):
        db.session.rollback()
        return None
    if held.spent_at is not None:
        whole = RefreshToken.family == held.family
        db.session.execute(
            update(RefreshToken)
            .where(whole, RefreshToken.revoked_at.is_(None))
            .values(revoked_at=now)
        )
        db.session.commit()
        return None
    held.spent_at = now
    pair = _next(held.player_id, held.family, now, held.key_id, held.session_id)
    db.session.commit()
    return held.player_id, pair


def read(access: str, now: datetime) -> PlayerCaller | None:
    """Whose token it is; None when we did not sign it for this use, or it has ended, or its family
    was revoked.
    """
    try:
        claims = jwt.decode(
            access,
            _key(),
            algorithms=[ALGORITHM],
            audience=AUDIENCE,
            issuer=ISSUER,
            options={
                "require": ["exp", "iat", "sub", "jti", "fam"],
                "verify_exp": False,
                "verify_iat": False,
            },
        )
    except jwt.InvalidTokenError:
        return None
    if now.timestamp() >= claims["exp"]:
        return None
    player_id = UUID(claims["sub"])
    held = _held((UUID(claims["fam"]), player_id))
    return None if held is None else PlayerCaller(player_id, claims["jti"], *held)


# With every request of a player: whether the family is known and not revoked, and what keeps the
# player out.
_FAMILIES = text("""
    SELECT token.family, player.id, player.banned_until, player.hidden_at
    FROM (
      SELECT DISTINCT * FROM unnest(CAST(:families AS uuid[]), CAST(:players AS uuid[]))
    ) AS asked (family, player_id)
    JOIN refresh_tokens token ON token.family = asked.family AND token.player_id = asked.player_id
    JOIN players player ON player.id = asked.player_id
    GROUP BY token.family, player.id
    HAVING bool_and(token.revoked_at IS NULL)
""")


def _hold_up(
    asked: Sequence[tuple[UUID, UUID]],
) -> list[tuple[datetime | None, datetime | None] | None]:
    """Of each (family, player): banned until and hidden since.

    None for a family that is none, or was revoked.
    """
    values = {
        "families": [family for family, _ in asked],
        "players": [player for _, player in asked],
    }
    found = {(row[0], row[1]): (row[2], row[3]) for row in db.session.execute(_FAMILIES, values)}
    return [found.get(one) for one in asked]


_held = batched(_hold_up)


@dataclass(frozen=True)
class Family:
    """Tokens that came from one sign-in of an app. `used_at`: its last refresh."""

    id: UUID
    begun_at: datetime
    used_at: datetime
    session_id: str | None


def families_of(member_id: int, now: datetime) -> list[Family]:
    """The member's families that are good for another token, the last used first."""
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
    """Ends the family, if it is this member's; commits.

    False when there is no such one that is good.
    """
    mine = select(Player.id).where(Player.member_id == member_id).scalar_subquery()
    ended = _revoke(now, RefreshToken.family == family, RefreshToken.player_id == mine)
    db.session.commit()
    return ended > 0


def move(session_id: str, renewed: str) -> None:
    """The tokens begun in a session belong to it under its new id. The caller commits."""
    db.session.execute(
        update(RefreshToken).where(RefreshToken.session_id == session_id).values(session_id=renewed)
    )


def revoke_of_session(session_id: str, now: datetime) -> None:
    """Ends the tokens begun in a session. The caller commits."""
    _revoke(now, RefreshToken.session_id == session_id)


def revoke_of_member(member_id: int, now: datetime, *, but: str | None = None) -> None:
    """Ends the member's tokens, but those begun in the session `but`. The caller commits."""
    mine = select(Player.id).where(Player.member_id == member_id).scalar_subquery()
    others = [] if but is None else [RefreshToken.session_id.is_distinct_from(but)]
    _revoke(now, RefreshToken.player_id == mine, *others)


def revoke_of_key(key_id: int, now: datetime) -> None:
    """Ends the tokens that were asked for with an integrator's key. The caller commits."""
    _revoke(now, RefreshToken.key_id == key_id)


def _revoke(now: datetime, *which: ColumnElement[bool]) -> int:
    """Revokes whole families, so that their access tokens end too; returns the number of rows."""
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
    """Ours alone: a session's signature can never be taken for a token's, nor the other way
    round."""
    return _key_of(current_app.config["SECRET_KEY"])


@lru_cache(maxsize=8)
def _key_of(secret: str) -> bytes:
    return hmac.digest(secret.encode(), b"pressbox.player.access.v1", "sha256")

"""Identifies the caller: an integrator's key, a player's access token or a member's session.

Keys and tokens are created in app/accounts. A request with an Authorization header never falls back
to a cookie, because whoever can send the one could be tricked into sending the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask import current_app, g, request
from flask_wtf.csrf import CSRFError

from app.accounts import api_keys, sanctions, tokens
from app.accounts.api_keys import KeyCaller
from app.accounts.tokens import PlayerCaller
from app.core.clock import now
from app.core.http.problems import ProblemError
from app.core.viewer import current_user


@dataclass(frozen=True)
class MemberCaller:
    """A signed-in member."""

    member_id: int


BARRED = "The player is banned or suspended. Nothing is accepted from them until that ends."
Caller = KeyCaller | PlayerCaller | MemberCaller


@dataclass(frozen=True)
class Key:
    """An integrator's key that has this scope."""

    scope: str


@dataclass(frozen=True)
class PlayerToken:
    """An access token of a player."""


@dataclass(frozen=True)
class Session:
    """The cookie of a signed-in member.

    All methods except GET also need the page's CSRF token as X-CSRFToken.
    """


@dataclass(frozen=True)
class Anybody:
    """No signature is needed; callers who sign may be shown more.

    An invalid signature is still refused.
    """


Security = Key | PlayerToken | Session | Anybody
WANTED = {
    Key: "an integrator's API key (Authorization: Bearer pbk_...)",
    PlayerToken: "a player's access token (Authorization: Bearer <token of POST /v1/tokens>)",
    Session: "the session of a signed-in member",
}


def authenticate(security: Sequence[Security]) -> Caller | None:
    """The caller, identified in one of the ways that the operation allows.

    None if the operation is public and the request is not signed. Raises ProblemError 401, 403.
    """
    caller = _caller(security) if security else None
    if not security:
        _note_reader()
    g.api_caller = caller
    return caller


def current_caller_key() -> str:
    """What a rate limit counts: the key, the player or the member of this request."""
    match g.api_caller:
        case KeyCaller() as key:
            return f"key:{key.key_id}"
        case PlayerCaller() as player:
            return f"player:{player.player_id}"
        case MemberCaller() as member:
            return f"member:{member.member_id}"
    return f"address:{request.remote_addr}"


def _caller(security: Sequence[Security]) -> Caller | None:
    kinds = {type(scheme) for scheme in security}
    expected = " or ".join(WANTED[kind] for kind in WANTED if kind in kinds)
    header = request.headers.get("Authorization")
    if header is None:
        if Session in kinds and current_user.is_authenticated:
            _check_csrf()
            return MemberCaller(int(current_user.get_id()))
        if Anybody in kinds:
            return None
        raise _unsigned(f"The request is not signed. Send {expected}.")
    scheme, _, secret = header.partition(" ")
    if scheme.lower() != "bearer" or not secret.strip():
        raise _unsigned(f"The Authorization header must begin with Bearer. Send {expected}.")
    if secret.startswith(api_keys.PREFIX):
        if Key not in kinds:
            raise _unsigned(f"API keys are not accepted here. Send {expected}.")
        key = api_keys.find(secret.strip(), now())
        if key is None:
            raise _unsigned("The API key is unknown or revoked. Create a new one at /integrators.")
        scopes = [scheme.scope for scheme in security if isinstance(scheme, Key)]
        if not key.scopes.intersection(scopes):
            raise ProblemError(
                403, f"The API key lacks the scope {' or '.join(scopes)}. Use a key that has it."
            )
        return key
    if PlayerToken not in kinds:
        raise _unsigned(f"Player tokens are not accepted here. Send {expected}.")
    player = tokens.read(secret.strip(), now())
    if player is None:
        raise _unsigned(
            "The access token is invalid or has expired. Refresh it with POST /v1/tokens/refresh."
        )
    if not sanctions.admits(player.player_id, player.banned_until, player.hidden_at, now()):
        raise ProblemError(403, BARRED)
    return player


def _note_reader() -> None:
    """Read a public board as the player whose token an app sends.

    Shadow-banned players must find themselves there too.
    """
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or secret.startswith(api_keys.PREFIX):
        return
    player = tokens.read(secret.strip(), now())
    if player is not None:
        sanctions.admits(player.player_id, player.banned_until, player.hidden_at, now())


def _check_csrf() -> None:
    if request.method == "GET" or not current_app.config["WTF_CSRF_ENABLED"]:
        return
    try:
        current_app.extensions["csrf"].protect()
    except CSRFError:
        raise ProblemError(
            403, "Send the page's CSRF token as X-CSRFToken, or sign the request with a header."
        ) from None


def _unsigned(detail: str) -> ProblemError:
    return ProblemError(401, detail, headers={"WWW-Authenticate": 'Bearer realm="pressbox"'})

"""Players and their tokens over the API."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import Meta

from app.accounts import players, sanctions, sessions, tokens
from app.accounts.api_keys import KeyCaller
from app.accounts.models import Member
from app.accounts.names import normalised
from app.accounts.tokens import Pair
from app.api.games import own_game
from app.api.operations import POST, Limits, operation
from app.api.reading import fault
from app.api.security import BARRED, Key, MemberCaller, Session
from app.api.shapes import PLAIN, DisplayName, GamePath
from app.core import clock
from app.core.db import db
from app.core.http.problems import ProblemError
from app.scores.standings import placing

TAG = "Players and tokens"
TOKENS = Key("players:token")
KEY_LIMIT = Limits(caller="6000 per minute")


ExternalId = Annotated[
    str,
    Meta(
        pattern=PLAIN,
        min_length=1,
        max_length=64,
        description=(
            "The integrator's own ID for the player, 1 to 64 characters. Do not use "
            "a person's name or address."
        ),
    ),
]


class PlayerNew(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A player of the integrator."""

    external_id: ExternalId
    display_name: DisplayName


class PlayerBody(msgspec.Struct, frozen=True):
    """A player of the integrator, shared by all its games."""

    player_id: UUID
    external_id: str
    display_name: str


class TokenRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The player to get tokens for."""

    player_id: UUID


class RefreshRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A refresh token that has not been used yet."""

    refresh_token: Annotated[str, Meta(min_length=1, max_length=200)]


class TokenBody(msgspec.Struct, frozen=True):
    """An access token, and the refresh token for the next one."""

    player_id: UUID
    access_token: str
    token_type: Annotated[str, Meta(description="Always `Bearer`.")]
    expires_in: Annotated[int, Meta(description="How many seconds the access token is valid.")]
    refresh_token: Annotated[str, Meta(description="The refresh token. It can be used once.")]
    refresh_expires_in: Annotated[
        int, Meta(description="How many seconds the access token is valid.")
    ]


@operation(
    POST,
    "/v1/games/{game}/players",
    tag=TAG,
    answers={201: PlayerBody, 200: PlayerBody},
    security=[TOKENS],
    problems={404: "The integrator has no such game."},
    limits=KEY_LIMIT,
)
def register_player(path: GamePath, body: PlayerNew, caller: KeyCaller) -> tuple[int, PlayerBody]:
    """Register or rename a player.

    Returns 201 for a new player, and 200 for one that the integrator registered before, in this
    game or another. They keep their `player_id` and get the new name, which boards show right away.
    A name that a moderator set stays until a moderator clears it. `display_name` in the response is
    what boards show.
    """
    own_game(path.game, caller)
    known = players.find_own_player(caller.integrator_id, body.external_id)
    name = normalised(body.display_name)
    if wrong := players.name_fault(name, known):
        raise fault("body", "display_name", "invalid", f"display_name: {wrong}")
    old_name = known.display_name if known is not None else None
    player, new = players.register_player(caller.integrator_id, body.external_id, name)
    answer = PlayerBody(player.id, body.external_id, player.display_name)
    if old_name not in (None, answer.display_name):
        placing.show_name(answer.player_id)
    return (201 if new else 200), answer


@operation(
    POST,
    "/v1/tokens",
    tag=TAG,
    answers={200: TokenBody},
    security=[TOKENS],
    problems={403: "The player is banned or suspended.", 404: "The integrator has no such player."},
    limits=KEY_LIMIT,
)
def create_token(body: TokenRequest, caller: KeyCaller) -> TokenBody:
    """Get tokens for a player of the integrator.

    The integrator's server passes them to the player, who then sends their own scores.
    """
    player = players.find_player(body.player_id)
    if player is None or player.integrator_id != caller.integrator_id:
        raise ProblemError(
            404,
            f"The integrator of this key has no player {body.player_id}. Register the "
            "player first.",
        )
    if sanctions.is_barred(player.id, clock.now()):
        raise ProblemError(403, BARRED)
    return _issued(player.id, key_id=caller.key_id)


@operation(
    POST,
    "/v1/tokens/mine",
    tag=TAG,
    answers={200: TokenBody},
    security=[Session()],
    limits=Limits("30 per minute"),
)
def create_own_token(caller: MemberCaller) -> TokenBody:
    """Get tokens for the signed-in member. They expire when the session is signed out."""
    member = db.session.get(Member, caller.member_id)
    assert member is not None  # the session was just checked
    player = players.player_of(member)
    return _issued(player.id, session_id=sessions.current().id)


@operation(
    POST,
    "/v1/tokens/refresh",
    tag=TAG,
    answers={200: TokenBody},
    problems={401: "The refresh token is unknown, expired or used."},
    limits=Limits(address="60 per minute"),
)
def refresh_token(body: RefreshRequest) -> TokenBody:
    """Exchange a refresh token for the next pair of tokens.

    Each refresh token can be used once. A second use revokes all tokens that come from the same
    original one.
    """
    next_pair = tokens.refresh(body.refresh_token, clock.now())
    if next_pair is None:
        raise ProblemError(
            401,
            "refresh_token is unknown, expired or already used. Get new tokens with POST "
            "/v1/tokens.",
            headers={"WWW-Authenticate": 'Bearer realm="pressbox"'},
        )
    return _body(*next_pair)


def _issued(
    player_id: UUID, *, key_id: int | None = None, session_id: str | None = None
) -> TokenBody:
    try:
        pair = tokens.issue(player_id, clock.now(), key_id=key_id, session_id=session_id)
    except tokens.TokenExpiredError:
        raise ProblemError(
            401, "The API key or session is no longer valid. Use another key, or sign in again."
        ) from None
    return _body(player_id, pair)


def _body(player_id: UUID, pair: Pair) -> TokenBody:
    return TokenBody(
        player_id=player_id,
        access_token=pair.access,
        token_type="Bearer",  # noqa: S106  (a word of RFC 6750)
        expires_in=int(pair.access_lifetime.total_seconds()),
        refresh_token=pair.refresh,
        refresh_expires_in=int(pair.refresh_lifetime.total_seconds()),
    )

"""Bans and suspensions of an integrator's own players over the API."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.accounts.api_keys import KeyCaller
from app.accounts.models import Player
from app.api.games import own_game, owner_of
from app.api.moderation.shapes import CHANGED, MODERATE, NO_GAME, TAG, Reason, Why, done
from app.api.operations import POST, operation
from app.api.reading import fault
from app.api.shapes import GameName, Moment, PlayerId
from app.core import clock
from app.core.db import db
from app.core.http.problems import ProblemError
from app.moderation import sanctions
from app.moderation.models import Sanction

Kind = Literal["ban", "suspension", "shadow"]


class SanctionNew(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A ban or, with `until`, a suspension that ends at that time."""

    reason: Reason
    until: Annotated[
        Moment | UnsetType, Meta(description="When the suspension ends. Leave it out for a ban.")
    ] = UNSET


class SanctionBody(msgspec.Struct, frozen=True):
    """A sanction that is in force or was just lifted."""

    player_id: UUID
    kind: Kind
    until: datetime | None
    lifted_at: datetime | None


class GamePlayerPath(msgspec.Struct, frozen=True):
    """Path parameters of operations on a game player."""

    game: GameName
    player_id: PlayerId


@operation(
    POST,
    "/v1/games/{game}/players/{player_id}/ban",
    tag=TAG,
    answers={200: SanctionBody},
    security=[MODERATE],
    problems=NO_GAME | CHANGED,
)
def ban_player(path: GamePlayerPath, body: SanctionNew, caller: KeyCaller) -> SanctionBody:
    """Ban one of the integrator's players, or suspend them until a given time.

    The player disappears from all boards right away, gets no tokens, and their scores are refused.
    This replaces an earlier sanction by the integrator; one by Pressbox's moderators stays in
    force.
    """
    player_id, by = _own_player(path, caller), owner_of(caller)
    until = None if body.until is UNSET else _moment(body.until)
    measure = sanctions.Measure(sanctions.BAN if until is None else sanctions.SUSPENSION, until)
    sanction = sanctions.impose(player_id, measure, by=by, reason=body.reason, now=clock.now())
    return _body(done(sanction))


@operation(
    POST,
    "/v1/games/{game}/players/{player_id}/unban",
    tag=TAG,
    answers={200: SanctionBody},
    security=[MODERATE],
    problems=NO_GAME | CHANGED,
)
def unban_player(path: GamePlayerPath, body: Why, caller: KeyCaller) -> SanctionBody:
    """Lift the integrator's sanction on a player. All boards show their scores again."""
    player_id, by = _own_player(path, caller), owner_of(caller)
    return _body(done(sanctions.lift(player_id, by=by, reason=body.reason, now=clock.now())))


def _own_player(path: GamePlayerPath, caller: KeyCaller) -> UUID:
    """Check that the caller may sanction the player.

    Raises ProblemError: 404 for another integrator's player, 403 if somebody else's sanction is
    in force.
    """
    own_game(path.game, caller)
    player = db.session.get(Player, path.player_id)
    if player is None or player.integrator_id != caller.integrator_id:
        raise ProblemError(404, f"The integrator of this key has no player {path.player_id}.")
    stands = sanctions.standing(player.id)
    if stands is not None and stands.imposed_by != owner_of(caller):
        raise ProblemError(
            403, "Pressbox's moderators banned or suspended this player. Only they can change that."
        )
    return player.id


def _moment(text: str) -> datetime:
    try:
        return msgspec.convert(text, datetime).astimezone(UTC)
    except (msgspec.ValidationError, OverflowError):
        raise fault(
            "body",
            "until",
            "invalid",
            f"until ({text}) is not a valid time. Check the day and hour.",
        ) from None


def _body(sanction: Sanction) -> SanctionBody:
    return SanctionBody(
        sanction.player_id,
        msgspec.convert(sanction.kind, Kind),
        sanction.ends_at,
        sanction.lifted_at,
    )

"""An integrator's own players over the API: listed, read, exported and erased."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.accounts import players
from app.accounts.api_keys import KeyCaller
from app.accounts.models import Player
from app.api.games import owner_of
from app.api.operations import GET, POST, Limits, operation
from app.api.players import TAG, ExternalId
from app.api.reading import fault
from app.api.security import Key
from app.api.shapes import PlayerId
from app.core import clock
from app.core.http.problems import ProblemError
from app.moderation import privacy

MANAGE = Key("players:manage")
NO_PLAYER = {404: "The integrator has no such player."}
FEW = Limits(caller="60 per minute")


class OwnPlayerPath(msgspec.Struct, frozen=True):
    """Path parameters of operations on an integrator's own player."""

    player_id: PlayerId


class PlayersQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Query parameters of the players operation."""

    external_id: Annotated[
        ExternalId | UnsetType, Meta(description="Return only the player with this ID.")
    ] = UNSET
    after: Annotated[
        ExternalId | UnsetType,
        Meta(description="Return players after this ID: the `next_after` of the previous page."),
    ] = UNSET
    limit: Annotated[
        int, Meta(ge=1, le=500, description="The maximum number of players to return.")
    ] = 100


class PlayerRecord(msgspec.Struct, frozen=True):
    """A player of the integrator."""

    player_id: UUID
    external_id: str
    display_name: str
    name_is_moderated: Annotated[
        bool,
        Meta(description="Whether a moderator set the name. It stays until a moderator clears it."),
    ]
    banned_until: Annotated[
        datetime | None,
        Meta(
            description=(
                "When the suspension ends. Until then, they get no tokens and cannot send scores."
            )
        ),
    ]
    created_at: datetime


class PlayerPage(msgspec.Struct, frozen=True):
    """Players by `external_id`. `next_after` is null on the last page."""

    players: Sequence[PlayerRecord]
    next_after: str | None


class PlayerExport(msgspec.Struct, frozen=True):
    """Everything that is stored about a player, by table."""

    player_id: UUID
    tables: Mapping[str, Sequence[Mapping[str, Any]]]


class ErasureNew(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The player's `external_id`, repeated as confirmation."""

    external_id: ExternalId


@operation(GET, "/v1/players", tag=TAG, answers={200: PlayerPage}, security=[MANAGE], limits=FEW)
def list_players(query: PlayersQuery, caller: KeyCaller) -> PlayerPage:
    """List the integrator's players in all its games, except erased ones."""
    if query.external_id is not UNSET:
        player = players.find_own_player(caller.integrator_id, query.external_id)
        return PlayerPage([_record(player)] if player is not None else [], None)
    after = None if query.after is UNSET else query.after
    rows = players.own_players(caller.integrator_id, after, query.limit + 1)
    page = [_record(player) for player in rows[: query.limit]]
    return PlayerPage(page, page[-1].external_id if len(rows) > query.limit else None)


@operation(
    GET,
    "/v1/players/{player_id}",
    tag=TAG,
    answers={200: PlayerRecord},
    security=[MANAGE],
    problems=NO_PLAYER,
)
def get_player(path: OwnPlayerPath, caller: KeyCaller) -> PlayerRecord:
    """Read a player of the integrator."""
    return _record(_own(path.player_id, caller))


@operation(
    GET,
    "/v1/players/{player_id}/export",
    tag=TAG,
    answers={200: PlayerExport},
    security=[MANAGE],
    problems=NO_PLAYER,
    limits=FEW,
)
def export_player(path: OwnPlayerPath, caller: KeyCaller) -> PlayerExport:
    """Export everything stored about a player, at that person's request.

    Includes scores and the data sent with them, places on boards, friends, guilds and competitions.
    It leaves out secrets and what others wrote about the player.
    """
    player = _own(path.player_id, caller)
    return PlayerExport(player.id, privacy.export_player(player.id))


@operation(
    POST,
    "/v1/players/{player_id}/erasure",
    tag=TAG,
    answers={204: None},
    security=[MANAGE],
    problems=NO_PLAYER,
    limits=FEW,
)
def erase_player(path: OwnPlayerPath, body: ErasureNew, caller: KeyCaller) -> tuple[int, None]:
    """Permanently erase a player, at that person's request.

    Name, external id, fingerprints, metadata, friends and tokens are deleted. Scores stay
    anonymously, because other players' places depend on them. No more scores of the player are
    accepted; the same `external_id` registers a new one.
    """
    player = _own(path.player_id, caller)
    if body.external_id != player.external_id:
        text = "external_id: repeat the player's own id to confirm."
        raise fault("body", "external_id", "not_repeated", text)
    if not privacy.erase_player(player, by=owner_of(caller), now=clock.now()):
        raise _no_player(path.player_id)
    return 204, None


def _own(player_id: UUID, caller: KeyCaller) -> Player:
    player = players.find_player(player_id)
    if (
        player is None
        or player.integrator_id != caller.integrator_id
        or player.erased_at is not None
    ):
        raise _no_player(player_id)
    return player


def _no_player(player_id: UUID) -> ProblemError:
    return ProblemError(
        404,
        f"The integrator of this key has no player {player_id}. GET /v1/players lists its players.",
    )


def _record(player: Player) -> PlayerRecord:
    assert player.external_id is not None  # of every integrator's player (constraint `external`)
    return PlayerRecord(
        player_id=player.id,
        external_id=player.external_id,
        display_name=player.display_name,
        name_is_moderated=player.is_name_taken,
        banned_until=player.banned_until,
        created_at=player.created_at,
    )

"""Friends over the API, and their board. Players see and change only their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import Meta

from app.accounts import friends as friendships
from app.accounts import players
from app.accounts.friends import CirclePlayer
from app.accounts.models import Member
from app.accounts.tokens import PlayerCaller
from app.api.leaderboards import (
    Entry,
    Freshness,
    Place,
    entries_of,
    freshness,
    player_name,
    readable_mode,
    window_of_path,
)
from app.api.mode_fields import Counted, OrderField, counted
from app.api.operations import DELETE, GET, POST, PUT, Limits, operation
from app.api.security import MemberCaller, PlayerToken, Session
from app.api.shapes import GameName, ModeName, PlayerId, WindowName
from app.boards import services
from app.boards.catalogue import known
from app.boards.groups import small_board
from app.boards.order import Best
from app.boards.reads import RowRange
from app.boards.rules import Ties
from app.boards.windows.rules import InvalidWindowError
from app.core import clock
from app.core.db import db
from app.core.http.problems import ProblemError
from app.core.refusals import Refusal

TAG = "Friends"
OWN = (PlayerToken(), Session())
NOT_YOURS = {404: "The player is not the caller's own."}
REFUSED = {
    404: "The player is not the caller's own, or the other player does not exist.",
    409: "This is not possible right now.",
}
READS, WRITES = Limits("120 per minute"), Limits("60 per minute")
LISTED = ("friends", "asked_me", "asked_by_me", "blocked")
Rule = Callable[[UUID, UUID, datetime], Refusal | None]


class OwnPath(msgspec.Struct, frozen=True):
    """Path parameters of operations on a player's own data."""

    player_id: PlayerId


class OtherPath(msgspec.Struct, frozen=True):
    """Path parameters of operations on another player."""

    player_id: PlayerId
    other_id: Annotated[UUID, Meta(description="The other player's UUID.")]


class WindowPath(msgspec.Struct, frozen=True):
    """Path parameters of operations on a window."""

    player_id: PlayerId
    window: WindowName


class FriendsBoardQuery(msgspec.Struct, frozen=True):
    """Query parameters of the friends board operation."""

    game: GameName
    mode: ModeName
    offset: Annotated[int, Meta(ge=0, le=10_000, description="The number of rows to skip.")] = 0
    limit: Annotated[
        int, Meta(ge=1, le=100, description="The maximum number of rows to return.")
    ] = 25


class PersonBody(msgspec.Struct, frozen=True):
    """Another player, and when they became friends or the request was sent."""

    player_id: UUID
    display_name: str
    since: datetime | None


class CircleBody(msgspec.Struct, frozen=True):
    """A player's friends, requests and blocks, each list by name."""

    friends: Sequence[PersonBody]
    asked_me: Sequence[PersonBody]
    asked_by_me: Sequence[PersonBody]
    blocked: Sequence[PersonBody]


class FriendsBoardBody(Freshness, frozen=True, kw_only=True):
    """A board of a player and their friends. Ranks and counts are within this group."""

    window_id: str
    aggregation: Counted
    ties: Ties
    order: OrderField
    entries: Annotated[Sequence[Entry], Meta(description="The rows, best first.")]
    total_ranked: Annotated[
        int, Meta(description="The number of players in the group with a score.")
    ]
    player: Annotated[
        Place,
        Meta(description="The player's own row. `percentile` is null because the group is small."),
    ]


@operation(
    GET,
    "/v1/players/{player_id}/friends",
    tag=TAG,
    answers={200: CircleBody},
    security=OWN,
    problems=NOT_YOURS,
    limits=READS,
)
def list_friends(path: OwnPath, caller: PlayerCaller | MemberCaller) -> CircleBody:
    """List the player's friends, requests and blocks."""
    _own(path.player_id, caller)
    circle = friendships.circle(path.player_id)
    return CircleBody(*([_person(person) for person in getattr(circle, name)] for name in LISTED))


@operation(
    GET,
    "/v1/players/{player_id}/friends/leaderboards/{window}",
    tag=TAG,
    answers={200: FriendsBoardBody},
    security=OWN,
    problems={
        404: ("The player is not the caller's own, or there is no such game, mode or window.")
    },
    limits=READS,
)
def read_friends_board(
    path: WindowPath, query: FriendsBoardQuery, caller: PlayerCaller | MemberCaller
) -> FriendsBoardBody:
    """Read a board of a player and their friends.

    Groups of up to 200 are read live. Larger groups are cached for about a minute (`as_of`).
    """
    _own(path.player_id, caller)
    game, mode = readable_mode(query.game, query.mode)
    window_id = window_of_path(path.window, mode).window_id
    try:
        group = small_board.friends_of(path.player_id)
        board = small_board.small_board(
            small_board.ModeWindow(game, mode, window_id),
            group,
            RowRange(query.offset, query.limit),
            clock.now(),
        )
    except InvalidWindowError as error:
        raise ProblemError(404, str(error)) from None
    reading = services.read(game, mode, window_id, find_board=known.find_board)
    standings = [*board.rows, *([board.me] if board.me else [])]
    entries = entries_of(reading, standings)
    age_ms = max(0, (clock.now() - board.as_of) // timedelta(milliseconds=1))
    fresh = freshness(reading) | {"as_of": board.as_of, "age_ms": age_ms, "source": board.source}
    return FriendsBoardBody(
        window_id=window_id,
        aggregation=counted(mode),
        ties=Ties(mode.ties),
        order=Best(mode.order),
        entries=entries[: len(board.rows)],
        total_ranked=board.count,
        player=_place(path.player_id, entries[-1] if board.me else None),
        **(fresh | {"cache_hit": board.source == services.REDIS}),
    )


def _place(player_id: UUID, entry: Entry | None) -> Place:
    if entry is None:
        return Place(player_id, player_name(player_id), False, None, None, None)
    standing = (entry.rank, entry.score, None, entry.subscore, entry.metadata)
    return Place(player_id, entry.display_name, True, *standing)


@operation(
    PUT,
    "/v1/players/{player_id}/friends/requests/{other_id}",
    tag=TAG,
    answers={204: None},
    security=OWN,
    problems=REFUSED,
    limits=WRITES,
)
def ask_friend(path: OtherPath, caller: PlayerCaller | MemberCaller) -> tuple[int, None]:
    """Send a friend request. If the other player has already sent one, the two become friends."""
    return _act(path, caller, friendships.ask)


@operation(
    DELETE,
    "/v1/players/{player_id}/friends/requests/{other_id}",
    tag=TAG,
    answers={204: None},
    security=OWN,
    problems=REFUSED,
    limits=WRITES,
)
def withdraw_request(path: OtherPath, caller: PlayerCaller | MemberCaller) -> tuple[int, None]:
    """Withdraw a friend request."""
    return _act(path, caller, friendships.withdraw)


@operation(
    POST,
    "/v1/players/{player_id}/friends/requests/{other_id}/accept",
    tag=TAG,
    answers={204: None},
    security=OWN,
    problems=REFUSED,
    limits=WRITES,
)
def accept_request(path: OtherPath, caller: PlayerCaller | MemberCaller) -> tuple[int, None]:
    """Accept a friend request."""
    return _act(path, caller, friendships.accept)


@operation(
    POST,
    "/v1/players/{player_id}/friends/requests/{other_id}/decline",
    tag=TAG,
    answers={204: None},
    security=OWN,
    problems=REFUSED,
    limits=WRITES,
)
def decline_request(path: OtherPath, caller: PlayerCaller | MemberCaller) -> tuple[int, None]:
    """Decline a friend request."""
    return _act(path, caller, friendships.decline)


@operation(
    DELETE,
    "/v1/players/{player_id}/friends/{other_id}",
    tag=TAG,
    answers={204: None},
    security=OWN,
    problems=REFUSED,
    limits=WRITES,
)
def end_friendship(path: OtherPath, caller: PlayerCaller | MemberCaller) -> tuple[int, None]:
    """Remove a friend."""
    return _act(path, caller, friendships.unfriend)


@operation(
    PUT,
    "/v1/players/{player_id}/blocks/{other_id}",
    tag=TAG,
    answers={204: None},
    security=OWN,
    problems=REFUSED,
    limits=WRITES,
)
def block_player(path: OtherPath, caller: PlayerCaller | MemberCaller) -> tuple[int, None]:
    """Block a player. They are not notified."""
    return _act(path, caller, friendships.block)


@operation(
    DELETE,
    "/v1/players/{player_id}/blocks/{other_id}",
    tag=TAG,
    answers={204: None},
    security=OWN,
    problems=REFUSED,
    limits=WRITES,
)
def unblock_player(path: OtherPath, caller: PlayerCaller | MemberCaller) -> tuple[int, None]:
    """Unblock a player."""
    return _act(path, caller, friendships.unblock)


def _own(player_id: UUID, caller: PlayerCaller | MemberCaller) -> None:
    """Check that the player is the caller's own. Raises ProblemError 404."""
    if isinstance(caller, MemberCaller):
        mine = players.player_of(db.session.get_one(Member, caller.member_id)).id
    else:
        mine = caller.player_id
    if mine != player_id or players.find_player(player_id) is None:
        raise ProblemError(
            404, "player_id belongs to another player. Use the one your token was issued for."
        )


def _act(path: OtherPath, caller: PlayerCaller | MemberCaller, rule: Rule) -> tuple[int, None]:
    _own(path.player_id, caller)
    refused = rule(path.player_id, path.other_id, clock.now())
    if refused is not None:
        raise ProblemError(404 if refused.code == "nobody" else 409, refused.text)
    return 204, None


def _person(person: CirclePlayer) -> PersonBody:
    return PersonBody(person.player_id, person.name, person.since)

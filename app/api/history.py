"""Past scores and boards over the API.

Each read computes a board from its attempts, which is costly, so only few per minute are allowed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.accounts import players
from app.accounts.api_keys import KeyCaller
from app.accounts.tokens import PlayerCaller
from app.api.leaderboards import (
    NO_BOARD,
    TAG,
    Entry,
    Limit,
    Offset,
    Subscore,
    entries_of,
    player_name,
    reading_of,
)
from app.api.mode_fields import Counted, OrderField, counted
from app.api.operations import GET, Limits, operation
from app.api.reading import fault
from app.api.security import Anybody, Caller, Key, MemberCaller, PlayerToken, Session
from app.api.shapes import BoardPath, Metadata, Moment, PlayerId, PlayerPath, Points, points
from app.boards.models import ScoreGame
from app.boards.order import Best
from app.boards.player_names import display_names
from app.boards.reads import RowRange
from app.boards.rules import Ties
from app.core import clock
from app.core.http.problems import ProblemError
from app.scores.archive.months import ScoresArchivedError
from app.scores.standings import history, metadata

COSTLY = Limits(address="20 per minute")
ONE_PLAYERS = Limits(caller="60 per minute")
ARCHIVED = {409: "The scores of that time are archived. An operator can restore them."}
COUNTED = {"clean": "counted"}  # what else an attempt may be keeps its name

State = Literal["counted", "flagged", "rejected", "rolled_back"]
Rank = Annotated[
    int | None, Meta(description="The rank at that time. Null if the player was not ranked.")
]
Held = Annotated[
    Points | None,
    Meta(description="The score that counted at that time. Null if the player had none."),
]


class HistoryQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Query parameters of a history request."""

    limit: Limit = 50
    offset: Offset = 0


class AtQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Query parameters of a board as of a moment."""

    at: Moment
    limit: Limit = 50
    offset: Offset = 0


class MovementQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Query parameters of the movement operation."""

    since: Moment
    until: Moment | UnsetType = UNSET
    limit: Limit = 50
    offset: Offset = 0


class Played(msgspec.Struct, frozen=True):
    """A score that the player sent."""

    achieved_at: datetime
    score: Points
    subscore: Subscore
    metadata: Annotated[
        Metadata | None,
        Meta(
            description=(
                "The score's metadata. Null if it has none or the mode does not accept metadata."
            )
        ),
    ]
    state: Annotated[
        State,
        Meta(
            description=(
                "The score's state. Only the player and the game's integrator see scores "
                "that are not `counted`."
            )
        ),
    ]
    held_after: Annotated[
        Points | None,
        Meta(description="The player's score that counted after this one. Null if none did."),
    ]
    held_subscore: Annotated[
        int | None,
        Meta(description="The subscore of `held_after`. Only set in modes with subscores."),
    ]
    attempt_id: Annotated[
        UUID | None,
        Meta(
            description=(
                "The attempt's ID. Null unless the caller is the player or the integrator."
            )
        ),
    ]
    session_id: Annotated[
        str | None,
        Meta(
            description=(
                "The game session, if the game server sent one. Null unless the caller "
                "is the player or the integrator."
            )
        ),
    ]


class PlayerHistoryBody(msgspec.Struct, frozen=True):
    """A player's scores in a window, newest first."""

    window_id: str
    aggregation: Counted
    player_id: PlayerId
    display_name: str
    as_of: datetime
    scores: Sequence[Played]


class BoardAtBody(msgspec.Struct, frozen=True):
    """A page of a board as it stood at `as_of`, best first."""

    window_id: str
    aggregation: Counted
    ties: Ties
    order: OrderField
    as_of: datetime
    entries: Sequence[Entry]
    total_ranked: int


class Moved(msgspec.Struct, frozen=True):
    """A player's position at both moments."""

    player_id: PlayerId
    display_name: str
    rank_before: Rank
    rank_after: Rank
    score_before: Held
    score_after: Held
    subscore_before: Subscore
    subscore_after: Subscore


class MovementBody(msgspec.Struct, frozen=True):
    """Positions at two moments, in the order of the later board, then players who left it."""

    window_id: str
    since: datetime
    until: datetime
    players: Sequence[Moved]


@operation(
    GET,
    "/v1/games/{game}/modes/{mode}/leaderboards/{window}/players/{player_id}/history",
    tag=TAG,
    answers={200: PlayerHistoryBody},
    security=[Anybody(), Key("feed:read"), PlayerToken(), Session()],
    problems={404: "There is no such game, mode, window or player."},
    limits=ONE_PLAYERS,
)
def get_player_history(
    path: PlayerPath, query: HistoryQuery, caller: Caller | None
) -> PlayerHistoryBody:
    """List the scores that a player sent, with what counted after each.

    Everyone sees the scores that count. The player and the game's integrator also see those that
    are flagged (waiting for review), rejected or rolled back.
    """
    reading, now = reading_of(path), clock.now()
    name = player_name(path.player_id)
    sees_all = _sees_all(reading.game, path.player_id, caller)
    attempts = history.history(
        reading.mode,
        reading.window,
        path.player_id,
        RowRange(query.offset, query.limit),
        counted_only=not sees_all,
    )
    return PlayerHistoryBody(
        window_id=reading.window.window_id,
        aggregation=counted(reading.mode),
        player_id=path.player_id,
        display_name=name,
        as_of=now,
        scores=[_played(attempt, reading.mode.decimals, sees_all) for attempt in attempts],
    )


@operation(
    GET,
    "/v1/games/{game}/modes/{mode}/leaderboards/{window}/at",
    tag=TAG,
    answers={200: BoardAtBody},
    problems=NO_BOARD | ARCHIVED,
    limits=COSTLY,
)
def get_leaderboard_at(path: BoardPath, query: AtQuery) -> BoardAtBody:
    """Read a board as it stood at a moment.

    It includes the scores that counted then, whatever was decided about them later. A board from a
    few seconds ago may still gain scores that are being processed.
    """
    then = _moment("at", query.at, clock.now())
    reading = reading_of(path)
    with _archived_is_a_problem():
        board = history.board_at(reading.mode, reading.window, then, query.offset, query.limit)
    carried = metadata.of_events(board.events) if reading.mode.takes_metadata else {}
    return BoardAtBody(
        window_id=reading.window.window_id,
        aggregation=counted(reading.mode),
        ties=Ties(reading.mode.ties),
        order=Best(reading.mode.order),
        as_of=board.then,
        entries=entries_of(reading, board.rows, carried=carried),
        total_ranked=board.count,
    )


@operation(
    GET,
    "/v1/games/{game}/modes/{mode}/leaderboards/{window}/movement",
    tag=TAG,
    answers={200: MovementBody},
    problems=NO_BOARD | ARCHIVED,
    limits=COSTLY,
)
def get_rank_movement(path: BoardPath, query: MovementQuery) -> MovementBody:
    """List the players who moved between two moments.

    `until` defaults to now.
    """
    now = clock.now()
    since = _moment("since", query.since, now)
    until = now if query.until is UNSET else _moment("until", query.until, now)
    if since > until:
        raise fault(
            "query",
            "since",
            "invalid",
            f"since ({since}) is later than until ({until}). Swap the two.",
        )
    reading = reading_of(path)
    with _archived_is_a_problem():
        moves = history.movement(
            reading.mode, reading.window, since, until, RowRange(query.offset, query.limit)
        )
    names = display_names(reading, {str(move.player_id) for move in moves}, {})
    decimals = reading.mode.decimals
    rows = [
        Moved(
            move.player_id,
            names[str(move.player_id)],
            move.rank_before,
            move.rank_after,
            _points(move.score_before, decimals),
            _points(move.score_after, decimals),
            move.subscore_before,
            move.subscore_after,
        )
        for move in moves
    ]
    return MovementBody(reading.window.window_id, since, until, rows)


@contextmanager
def _archived_is_a_problem() -> Iterator[None]:
    """Answer 409 if the answer needs scores of archived months."""
    try:
        yield
    except ScoresArchivedError as error:
        raise ProblemError(409, str(error)) from None


def _sees_all(game: ScoreGame, player_id: UUID, caller: Caller | None) -> bool:
    """Whether the caller may see scores that do not count: the player and the integrator may."""
    match caller:
        case KeyCaller():
            return game.integrator_id == caller.integrator_id
        case PlayerCaller():
            return caller.player_id == player_id
        case MemberCaller():
            mine = players.player_of_member(caller.member_id)
            return mine is not None and mine.id == player_id
    return False


def _moment(field: str, text: str, now: datetime) -> datetime:
    """The moment in UTC. Raises ProblemError 400 if it is invalid, before 1970 or in the future."""
    try:
        moment = msgspec.convert(text, datetime)
    except msgspec.ValidationError:
        raise fault(
            "query",
            field,
            "invalid",
            f"{field} ({text}) is not a valid time. Check the day and hour.",
        ) from None
    if moment < clock.EPOCH:
        raise fault(
            "query", field, "invalid", f"{field} ({text}) is before 1970. Send a later time."
        )
    if moment > now:
        raise fault(
            "query",
            field,
            "invalid",
            f"{field} ({text}) is in the future. Send the current time or an earlier one.",
        )
    return moment.astimezone(UTC)


def _played(played: history.Played, decimals: int, sees_all: bool) -> Played:
    return Played(
        achieved_at=played.at,
        score=points(played.score, decimals),
        subscore=played.subscore,
        metadata=None if played.metadata is None else dict(played.metadata),
        state=msgspec.convert(COUNTED.get(played.state, played.state), State),
        held_after=_points(played.counted, decimals),
        held_subscore=played.counted_subscore,
        attempt_id=played.attempt_id if sees_all else None,
        session_id=played.session_id if sees_all else None,
    )


def _points(score: int | None, decimals: int) -> Points | None:
    return None if score is None else points(score, decimals)

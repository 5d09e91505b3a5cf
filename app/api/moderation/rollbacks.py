"""Rollbacks over the API: preview, apply with the preview's digest, undo."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.accounts.api_keys import KeyCaller
from app.api.games import own_game, owner_of
from app.api.moderation.shapes import CHANGED, MODERATE, NO_GAME, TAG, Reason, Why, done, own_mode
from app.api.operations import COSTLY_CALLS, GET, POST, operation
from app.api.reading import fault
from app.api.shapes import GameName, GamePath, ModeName, Moment, WindowId
from app.core import clock
from app.core.http.problems import ProblemError
from app.moderation import rollback
from app.moderation.models import Rollback
from app.moderation.rollback import OneBoard, Preview
from app.moderation.selection import Selection

MOST = 1_000


class RollbackSelection(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The scores of this game that match all given fields.

    A whole mode cannot be rolled back at once.
    """

    mode: ModeName | UnsetType = UNSET
    player_id: UUID | UnsetType = UNSET
    event_id: UUID | UnsetType = UNSET
    from_event: Annotated[
        UUID | UnsetType,
        Meta(
            description=(
                "The first score of a series: this score and the player's later ones in its mode."
            )
        ),
    ] = UNSET
    window_id: Annotated[
        WindowId | UnsetType, Meta(description="A window of `mode`. Only its scores match.")
    ] = UNSET
    since: Moment | UnsetType = UNSET
    until: Annotated[Moment | UnsetType, Meta(description="The end of the period (exclusive).")] = (
        UNSET
    )


class RollbackNew(RollbackSelection, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The same selection as in the preview, with its digest."""

    digest: Annotated[
        str, Meta(pattern="^[0-9a-f]{64}$", description="The `digest` from the preview.")
    ]
    reason: Reason


class RankMove(msgspec.Struct, frozen=True):
    """A player whose rank changes. A rank is null if the player is not on the board."""

    player_id: UUID
    rank_before: int | None
    rank_after: int | None
    raw_score_before: int | None
    raw_score_after: int | None


class BoardMoves(msgspec.Struct, frozen=True):
    """The changes on a board: how many ranks change, and the biggest moves first."""

    board: str
    moved: int
    moves: Sequence[RankMove]


class RollbackPreview(msgspec.Struct, frozen=True):
    """What the rollback would do now.

    Send `digest` with the rollback. `archived` lists months in the period whose scores are archived
    and not included, and says how to restore them. It is empty if there are none.
    """

    attempts: int
    players: int
    moved: int
    digest: str
    boards: Sequence[BoardMoves]
    archived: str


class RollbackBody(msgspec.Struct, frozen=True):
    """A rollback. If it was undone, `undone_at` says when."""

    rollback_id: UUID
    attempts: int
    players: int
    moved: int
    reason: str
    made_at: datetime
    undone_at: datetime | None


class RollbackList(msgspec.Struct, frozen=True):
    """Rollbacks, newest first, at most 50."""

    rollbacks: Sequence[RollbackBody]


class RollbackPath(msgspec.Struct, frozen=True):
    """Path parameters of operations on a rollback."""

    game: GameName
    rollback_id: Annotated[UUID, Meta(description="The rollback's ID.")]


@operation(
    POST,
    "/v1/games/{game}/rollbacks/preview",
    tag=TAG,
    answers={200: RollbackPreview},
    security=[MODERATE],
    problems=NO_GAME,
    limits=COSTLY_CALLS,
)
def preview_rollback(path: GamePath, body: RollbackSelection, caller: KeyCaller) -> RollbackPreview:
    """Preview how rolling these scores back would change ranks. Nothing is changed."""
    return _preview(done(rollback.preview(_selection(path.game, body, caller))))


@operation(
    POST,
    "/v1/games/{game}/rollbacks",
    tag=TAG,
    answers={201: RollbackBody},
    security=[MODERATE],
    problems=NO_GAME | CHANGED,
    limits=COSTLY_CALLS,
)
def make_rollback(path: GamePath, body: RollbackNew, caller: KeyCaller) -> tuple[int, RollbackBody]:
    """Roll these scores back in one step. All boards are recalculated."""
    selection = _selection(path.game, body, caller)
    outcome = rollback.make(
        selection, digest=body.digest, by=owner_of(caller), reason=body.reason, now=clock.now()
    )
    return 201, _rollback(done(outcome))


@operation(
    GET,
    "/v1/games/{game}/rollbacks",
    tag=TAG,
    answers={200: RollbackList},
    security=[MODERATE],
    problems=NO_GAME,
)
def list_rollbacks(path: GamePath, caller: KeyCaller) -> RollbackList:
    """List the rollbacks of this game."""
    return RollbackList(
        [_rollback(row) for row in rollback.latest([own_game(path.game, caller).id])]
    )


@operation(
    POST,
    "/v1/games/{game}/rollbacks/{rollback_id}/undo",
    tag=TAG,
    answers={200: RollbackBody},
    security=[MODERATE],
    problems=NO_GAME | CHANGED,
    limits=COSTLY_CALLS,
)
def undo_rollback(path: RollbackPath, body: Why, caller: KeyCaller) -> RollbackBody:
    """Undo a rollback: its scores count again as before."""
    game = own_game(path.game, caller)
    if path.rollback_id not in {row.id for row in rollback.latest([game.id], limit=MOST)}:
        raise ProblemError(
            404,
            f"{game.title} has no rollback {path.rollback_id}. GET "
            f"/v1/games/{game.slug}/rollbacks lists them.",
        )
    undone = rollback.undo(
        path.rollback_id, by=owner_of(caller), reason=body.reason, now=clock.now()
    )
    return _rollback(done(undone))


def _selection(game_name: str, body: RollbackSelection, caller: KeyCaller) -> Selection:
    game = own_game(game_name, caller)
    names = ("player_id", "event_id", "from_event", "window_id")
    criteria: dict[str, Any] = {
        name: value for name in names if (value := getattr(body, name)) is not UNSET
    }
    for name in ("since", "until"):
        if (value := getattr(body, name)) is not UNSET:
            criteria[name] = _moment(name, value)
    if body.mode is not UNSET:
        criteria["mode_id"] = own_mode(game_name, body.mode, caller)[1].id
    return Selection(**criteria, games=[game.id])


def _moment(field: str, text: str) -> datetime:
    try:
        return msgspec.convert(text, datetime).astimezone(UTC)
    except (msgspec.ValidationError, OverflowError):
        raise fault(
            "body",
            field,
            "invalid",
            f"{field} ({text}) is not a valid time. Check the day and hour.",
        ) from None


def _preview(preview: Preview) -> RollbackPreview:
    return RollbackPreview(
        preview.attempts,
        preview.players,
        preview.moved,
        preview.digest,
        [_moves(board) for board in preview.boards],
        preview.cold,
    )


def _moves(board: OneBoard) -> BoardMoves:
    moves = [
        RankMove(
            move.player_id, move.rank_before, move.rank_after, move.score_before, move.score_after
        )
        for move in board.preview.moves
    ]
    return BoardMoves(board.name, board.preview.moved, moves)


def _rollback(row: Rollback) -> RollbackBody:
    return RollbackBody(
        row.id, row.attempts, row.players, row.moved, row.reason, row.made_at, row.undone_at
    )

"""A mode's anti-cheat limits over the API, which can be tried on past scores; frozen boards."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from app.accounts.api_keys import KeyCaller
from app.api.games import owner_of
from app.api.leaderboards import window_of_path
from app.api.mode_limits import LimitsWanted
from app.api.moderation.shapes import CHANGED, MODERATE, NO_GAME, TAG, Reason, Why, done, own_mode
from app.api.operations import COSTLY_CALLS, GET, POST, PUT, operation
from app.api.shapes import BoardPath, LimitsBody, ModePath, limits_body
from app.boards.catalogue import queries as catalogue
from app.boards.models import Mode
from app.core import clock
from app.core.http.problems import ProblemError
from app.moderation import freezing, limits
from app.moderation.models import BoardFreeze
from app.scores.anticheat.mode_limits import fault
from app.scores.anticheat.submission import Limits


class LimitsTry(LimitsWanted, frozen=True, forbid_unknown_fields=True):
    """Limits to try on past scores."""


class LimitsNew(LimitsWanted, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Limits that apply from now on."""

    reason: Reason


class HeldPlayer(msgspec.Struct, frozen=True):
    """A player and how many of their scores would have been held."""

    player_id: UUID
    display_name: str
    held: int


class HeldReason(msgspec.Struct, frozen=True):
    """An anti-cheat code, and how many scores it would have been given to."""

    reason: str
    held: int


class LimitsDryRun(msgspec.Struct, frozen=True):
    """What the limits would have done with the scores of the last 30 days.

    `attempts` is the number of scores checked, `held` how many would have been held, `now_held` how
    many were. The players with the most held scores come first, at most 50.
    """

    attempts: int
    held: int
    now_held: int
    players: Sequence[HeldPlayer]
    reasons: Sequence[HeldReason]


class FreezeBody(msgspec.Struct, frozen=True):
    """A board that the public sees as it stood at `frozen_at`, until `thawed_at`."""

    board: str
    frozen_at: datetime
    thawed_at: datetime | None


LIMITS = "/v1/games/{game}/modes/{mode}/limits"
BOARD = "/v1/games/{game}/modes/{mode}/leaderboards/{window}"


@operation(GET, LIMITS, tag=TAG, answers={200: LimitsBody}, security=[MODERATE], problems=NO_GAME)
def get_limits(path: ModePath, caller: KeyCaller) -> LimitsBody:
    """Read a mode's anti-cheat limits: its own, or Pressbox's defaults."""
    return _limits(own_mode(path.game, path.mode, caller)[1])


@operation(
    POST,
    f"{LIMITS}/dry-run",
    tag=TAG,
    answers={200: LimitsDryRun},
    security=[MODERATE],
    problems=NO_GAME,
    limits=COSTLY_CALLS,
)
def try_limits(path: ModePath, body: LimitsTry, caller: KeyCaller) -> LimitsDryRun:
    """Preview what these limits would have held in the last 30 days. Nothing is changed."""
    mode, new_limits = own_mode(path.game, path.mode, caller)[1], _wanted(body)
    dry_run = limits.dry_run(mode, new_limits, clock.now())
    return LimitsDryRun(
        attempts=dry_run.attempts,
        held=dry_run.would_hold,
        now_held=dry_run.now_held,
        players=[HeldPlayer(*player) for player in dry_run.players],
        reasons=[HeldReason(*reason) for reason in dry_run.reasons],
    )


@operation(PUT, LIMITS, tag=TAG, answers={200: LimitsBody}, security=[MODERATE], problems=NO_GAME)
def set_limits(path: ModePath, body: LimitsNew, caller: KeyCaller) -> LimitsBody:
    """Set a mode's anti-cheat limits for all scores from now on."""
    mode, new_limits = own_mode(path.game, path.mode, caller)[1], _wanted(body)
    done(
        limits.set_limits(
            mode, new_limits, by=owner_of(caller), reason=body.reason, now=clock.now()
        )
    )
    return _limits(mode)


@operation(
    POST,
    f"{LIMITS}/reset",
    tag=TAG,
    answers={200: LimitsBody},
    security=[MODERATE],
    problems=NO_GAME,
)
def reset_limits(path: ModePath, body: Why, caller: KeyCaller) -> LimitsBody:
    """Restore Pressbox's default limits."""
    mode = own_mode(path.game, path.mode, caller)[1]
    done(limits.set_limits(mode, None, by=owner_of(caller), reason=body.reason, now=clock.now()))
    return _limits(mode)


@operation(
    POST,
    f"{BOARD}/freeze",
    tag=TAG,
    answers={200: FreezeBody},
    security=[MODERATE],
    problems=NO_GAME | CHANGED,
)
def freeze_board(path: BoardPath, body: Why, caller: KeyCaller) -> FreezeBody:
    """Freeze a board: the public sees its current state until it is unfrozen."""
    name, board_id = _board(path, caller)
    return _freeze(
        name,
        done(freezing.freeze(board_id, by=owner_of(caller), reason=body.reason, now=clock.now())),
    )


@operation(
    POST,
    f"{BOARD}/thaw",
    tag=TAG,
    answers={200: FreezeBody},
    security=[MODERATE],
    problems=NO_GAME | CHANGED,
)
def thaw_board(path: BoardPath, body: Why, caller: KeyCaller) -> FreezeBody:
    """Unfreeze a board: the public sees live scores again."""
    name, board_id = _board(path, caller)
    return _freeze(
        name,
        done(freezing.thaw(board_id, by=owner_of(caller), reason=body.reason, now=clock.now())),
    )


def _wanted(body: LimitsWanted) -> Limits:
    new_limits = Limits(body.per_minute, body.per_hour, body.reach)
    if (refused := fault(new_limits)) is not None:
        done(refused)
    return new_limits


def _limits(mode: Mode) -> LimitsBody:
    return limits_body(limits.current(mode))


def _board(path: BoardPath, caller: KeyCaller) -> tuple[str, int]:
    game, mode = own_mode(path.game, path.mode, caller)
    window_id = window_of_path(path.window, mode).window_id
    board = catalogue.find_board(mode, window_id)
    if board is None:
        raise ProblemError(404, f"{game.title}, {mode.title} has no board {window_id} with scores.")
    return f"{game.slug}:{mode.slug}:{window_id}", board.id


def _freeze(name: str, freeze: BoardFreeze) -> FreezeBody:
    return FreezeBody(name, freeze.frozen_at, freeze.thawed_at)

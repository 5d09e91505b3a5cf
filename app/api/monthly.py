"""Pressbox's own board: game servers add points, and each month starts anew (PRODUCT E1 to E3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal
from uuid import UUID, uuid4, uuid5

import msgspec
from msgspec import Meta

from app.accounts import players, services
from app.accounts.api_keys import KeyCaller
from app.api.operations import GET, POST, Limits, operation
from app.api.reading import fault
from app.api.scores import SubmitHeaders, taken
from app.api.security import Key
from app.boards import services as boards
from app.boards.catalogue import known
from app.boards.catalogue import queries as catalogue
from app.boards.catalogue.rules import NewMode
from app.boards.catalogue.services import create_game, create_mode
from app.boards.models import Mode, ScoreGame
from app.boards.player_names import display_names
from app.boards.reads import Row
from app.boards.rules import Aggregation, Ties
from app.boards.services import Reading
from app.boards.windows.rules import MONTHLY, window_of
from app.core import clock
from app.core.db import db
from app.core.http.problems import ProblemError
from app.scores.standings import mode_boards
from app.scores.submission import attempts, submit
from app.scores.submission.attempts import LIFETIME
from app.scores.submission.claims import Claim, Origin

TAG = "Monthly board"
GAME, MODE = "site", "monthly-points"
MOST_POINTS = 1_000_000
TOP, NEARBY = 10, 4
UserId = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{2,35}$",
        description="The UUID of the player, or the username of a member.",
        examples=["alice"],
    ),
]


class UserPath(msgspec.Struct, frozen=True):
    """Path parameters of operations on a user."""

    user_id: UserId


class PointsNew(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Points that a user gained."""

    user_id: UserId
    points: Annotated[
        int, Meta(ge=1, le=MOST_POINTS, description="Points gained, for example by winning a game.")
    ]


class UserRow(msgspec.Struct, frozen=True):
    """A row of the monthly board."""

    user_id: UUID
    user_name: str
    rank: int
    score: int


class TopBody(msgspec.Struct, frozen=True):
    """The top ten of this month."""

    data: Sequence[UserRow]
    total: Annotated[int, Meta(description="The number of rows, at most ten.")]


class UserInfo(msgspec.Struct, frozen=True):
    """A user's place. Null until they have points this month."""

    user_id: UUID
    score: int | None
    rank: int | None


class UserBody(msgspec.Struct, frozen=True):
    """A user's place this month, with the four places above and below, best first."""

    user_info: UserInfo
    above: Sequence[UserRow]
    below: Sequence[UserRow]


class UpdatedBody(msgspec.Struct, frozen=True):
    """The points count. Score and rank are null while no board can be read."""

    user_info: UserInfo


class HeldBody(msgspec.Struct, frozen=True):
    """The points are stored, but do not count until a moderator has reviewed them.

    `user_info` does not include them.
    """

    status: Literal["held"]
    user_info: UserInfo


@operation(
    POST,
    "/v1/scores",
    tag=TAG,
    answers={200: UpdatedBody, 202: HeldBody},
    security=[Key("scores:write")],
    problems={
        403: (
            "The key does not have the required scope, or the user cannot gain points right now."
        ),
        409: "The `Idempotency-Key` was already used for different points.",
    },
    limits=Limits(caller="6000 per minute"),
)
def add_points(
    headers: SubmitHeaders, body: PointsNew, caller: KeyCaller
) -> tuple[int, UpdatedBody | HeldBody]:
    """Add points to a user's score for this month.

    Only for the operator's game servers. With an `Idempotency-Key`, the same points count only
    once, however often they are sent.
    """
    _, mode = _board()
    player_id = _find(body.user_id, make=True)
    if player_id is None:
        raise fault(
            "body",
            "user_id",
            "unknown_user",
            f"There is no user {body.user_id!r}. Check user_id.",
        )
    attempt = uuid5(player_id, f"{caller.integrator_id}:{headers.key}") if headers.key else uuid4()
    now = clock.now()
    grant, token = attempts.issue(
        attempts.AttemptRequest(mode.id, player_id, mode.max_score, LIFETIME, attempt), now
    )
    claim = Claim(
        mode,
        player_id,
        grant.attempt_id,
        token,
        body.points,
        headers.key or "",
        f"integrator:{caller.integrator_id}",
    )
    outcome = submit.submit(claim, Origin(), now, wait=True)
    done = taken(outcome)
    if done.status == "committed":
        return 200, UpdatedBody(UserInfo(player_id, done.effective_score, done.rank))
    now_held = mode_boards.standing(mode, done.window_id, player_id)
    return 202, HeldBody("held", UserInfo(player_id, now_held.score, now_held.rank))


@operation(GET, "/v1/scores", tag=TAG, answers={200: TopBody})
def get_top_ten() -> TopBody:
    """Read the top ten of this month."""
    reading = _reading()
    view = reading.board.view(0, TOP)
    rows = _rows(reading, view.rows, dict(view.details))
    return TopBody(rows, len(rows))


@operation(
    GET,
    "/v1/scores/{user_id}",
    tag=TAG,
    answers={200: UserBody},
    problems={404: "There is no such user."},
)
def get_user_score(path: UserPath) -> UserBody:
    """Read the rank and score of a user this month, with four places above and below."""
    player_id = _find(path.user_id)
    if player_id is None:
        raise ProblemError(404, f"No user {path.user_id!r} has points. Check the UUID or the name.")
    reading = _reading()
    view = reading.board.view(0, 1, str(player_id), NEARBY)
    around = _rows(reading, view.around, dict(view.details))
    here = next(
        (number for number, row in enumerate(around) if row.user_id == player_id), len(around)
    )
    info = UserInfo(
        player_id, view.me.score if view.me else None, view.me.rank if view.me else None
    )
    return UserBody(info, around[:here], around[here + 1 :])


def _find(user_id: str, *, make: bool = False) -> UUID | None:
    """The id of the player with this UUID, or of the member's player.

    `make` creates a player for the member.
    """
    try:
        player_id = UUID(user_id)
    except ValueError:
        member = services.find_member(user_id)
        if member is None:
            return None
        player = players.player_of(member) if make else players.player_of_member(member.id)
        return None if player is None else player.id
    return None if players.known_name(player_id) is None else player_id


def _board() -> tuple[ScoreGame, Mode]:
    """Pressbox's own game and mode, created on first use."""
    if (both := known.find_game_and_mode(GAME, MODE)) is not None:
        return both
    game = catalogue.find_game(GAME)
    if game is None:
        create_game(GAME, "Pressbox")
        game = catalogue.find_game(GAME)
    assert game is not None, f"another was first to make {GAME}, but it is not there"
    assert game.integrator_id is None, f"{GAME} is reserved (games.py)"
    mode = catalogue.find_mode(game, MODE)
    if mode is None:
        new = NewMode(
            MODE,
            "Points of the month",
            Aggregation.SUM,
            Ties.SHARED,
            1,
            MOST_POINTS,
            windows=(MONTHLY,),
        )
        create_mode(game, new, clock.now())
        mode = catalogue.find_mode(game, MODE)
    # all who come first wait for the score next: no connection is held for that
    db.session.commit()
    assert mode is not None
    return game, mode


def _reading() -> Reading:
    game, mode = _board()
    window_id = window_of(MONTHLY, clock.now(), mode.calendar).window_id
    return boards.read(game, mode, window_id, find_board=known.find_board)


def _rows(reading: Reading, rows: Sequence[Row], known: dict[str, str]) -> list[UserRow]:
    names = display_names(reading, {row.member for row in rows}, known)
    return [UserRow(UUID(row.member), names[row.member], row.rank, row.score) for row in rows]

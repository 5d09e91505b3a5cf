"""Operations that delete a game or a mode: archived first, confirmed by name, deleted by a job."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from app.accounts.api_keys import KeyCaller
from app.api.games import MANAGE, TAG, owner_of
from app.api.operations import POST, operation
from app.api.shapes import GamePath, ModePath, Slug
from app.boards.catalogue import queries as catalogue
from app.boards.models import ScoreGame
from app.core import clock
from app.core.http.problems import Fault, ProblemError
from app.core.refusals import Refusal
from app.scores.deletion import games as deletion

FIRST = {409: "It is not archived. Archive it first."}


class DeletionNew(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The slug of what to delete, repeated as confirmation."""

    slug: Annotated[
        Slug, Meta(description="The slug of the game or mode to delete, as confirmation.")
    ]


class DeletionBody(msgspec.Struct, frozen=True):
    """A deletion. The game or mode can no longer be found as of `deleting_at`.

    Its slug is free again once `mode.deleted` or `game.deleted` is in the feed.
    """

    slug: str
    deleting_at: datetime


@operation(
    POST,
    "/v1/games/{game}/deletion",
    tag=TAG,
    answers={202: DeletionBody},
    security=[MANAGE],
    problems={404: "The integrator has no such game.", **FIRST},
)
def delete_game(path: GamePath, body: DeletionNew, caller: KeyCaller) -> DeletionBody:
    """Delete an archived game with all its modes.

    This works like deleting a mode. Players stay, because they belong to the integrator.
    """
    game = _game(path.game, caller)
    done = deletion.ask_for_game(game.id, body.slug, by=owner_of(caller), now=clock.now())
    return DeletionBody(game.slug, _since(done))


@operation(
    POST,
    "/v1/games/{game}/modes/{mode}/deletion",
    tag=TAG,
    answers={202: DeletionBody},
    security=[MANAGE],
    problems={
        404: "The integrator has no such game, or the game has no such mode.",
        **FIRST,
    },
)
def delete_mode(path: ModePath, body: DeletionNew, caller: KeyCaller) -> DeletionBody:
    """Delete an archived mode, with its boards, their archives, competitions and all scores.

    The mode disappears right away, and everything is permanently deleted within minutes.
    Repeating the request meanwhile gives the same answer. The audit keeps the fact and who deleted
    it.
    """
    game = _game(path.game, caller)
    mode = catalogue.find_mode(game, path.mode, deleting=True)
    if mode is None:
        raise ProblemError(
            404,
            f"{game.title} has no mode {path.mode!r}. GET /v1/games/{game.slug}/modes lists "
            "its modes.",
        )
    done = deletion.ask_for_mode(game, mode.id, body.slug, by=owner_of(caller), now=clock.now())
    return DeletionBody(mode.slug, _since(done))


def _game(name: str, caller: KeyCaller) -> ScoreGame:
    game = catalogue.find_game(name, deleting=True)
    if game is None or game.integrator_id != caller.integrator_id:
        raise ProblemError(
            404, f"The integrator of this key has no game {name!r}. GET /v1/games lists its games."
        )
    return game


def _since(done: datetime | list[Refusal]) -> datetime:
    if isinstance(done, datetime):
        return done
    status = 409 if any(refusal.code == deletion.NOT_ARCHIVED for refusal in done) else 400
    raise ProblemError(
        status,
        " ".join(refusal.text for refusal in done),
        [Fault("body", refusal.field, refusal.code, refusal.text) for refusal in done],
    )

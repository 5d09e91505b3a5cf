"""The origins whose pages may call the API for a game. What they may do is in cors.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from app.accounts.api_keys import KeyCaller
from app.api.games import MANAGE, TAG, own_game, owner_of
from app.api.made import or_refused
from app.api.operations import GET, PUT, operation
from app.api.shapes import GamePath
from app.boards.catalogue.origins import LONGEST, MOST, in_order, origin_fault
from app.boards.catalogue.services import change_game
from app.boards.models import ScoreGame
from app.core import clock
from app.core.http.problems import Fault, ProblemError

NO_GAME = {404: "The integrator has no such game."}
Origins = Annotated[
    Sequence[Annotated[str, Meta(min_length=1, max_length=LONGEST)]],
    Meta(
        max_length=MOST,
        description=(
            "The allowed origins: scheme, host and optional port, such as "
            "https://play.example.com. Empty if no page may call the API."
        ),
    ),
]


class OriginsNew(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All origins whose pages may call the API for this game. They replace the previous ones."""

    origins: Origins


class OriginsBody(msgspec.Struct, frozen=True):
    """The origins whose pages may call the API for this game, in alphabetical order."""

    origins: Sequence[str]


@operation(
    GET,
    "/v1/games/{game}/origins",
    tag=TAG,
    answers={200: OriginsBody},
    security=[MANAGE],
    problems=NO_GAME,
)
def list_origins(path: GamePath, caller: KeyCaller) -> OriginsBody:
    """List the origins whose pages may call the API for this game (CORS)."""
    return OriginsBody(own_game(path.game, caller).allowed_origins)


@operation(
    PUT,
    "/v1/games/{game}/origins",
    tag=TAG,
    answers={200: OriginsBody},
    security=[MANAGE],
    problems=NO_GAME,
)
def set_origins(path: GamePath, body: OriginsNew, caller: KeyCaller) -> OriginsBody:
    """Set the origins whose pages may call the API for this game (CORS).

    Browsers notice a change within ten minutes. Pages sign requests with their player's token.
    Cookies are never sent, and API keys do not belong on a page.
    """
    game = own_game(path.game, caller)
    faults = [
        Fault("body", f"origins[{number}]", "invalid", fault)
        for number, origin in enumerate(body.origins)
        if (fault := origin_fault(origin))
    ]
    if faults:
        raise ProblemError(400, " ".join(fault.detail for fault in faults), faults)
    changes = {"allowed_origins": in_order(body.origins)}
    changed: ScoreGame = or_refused(
        change_game(game.id, changes, by=owner_of(caller), now=clock.now())
    )
    return OriginsBody(changed.allowed_origins)

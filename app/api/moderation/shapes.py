"""What the operations of moderation share: the acting member, the reason, refusals as problems.

The acts are those of the pages (app/moderation). The integrator's owner is the acting member, also
in the audit: a key can do what its owner could, but only in games of its integrator, and nobody
decides about their own score.
"""

from __future__ import annotations

from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta

from app.accounts.api_keys import KeyCaller
from app.api.games import own_game
from app.api.security import Key
from app.api.shapes import PLAIN
from app.boards.catalogue import queries as catalogue
from app.boards.models import Mode, ScoreGame
from app.core.http.problems import Fault, ProblemError
from app.core.refusals import Refusal

TAG = "Moderation"
MODERATE = Key("scores:moderate")
NO_GAME = {404: ("The integrator has no such game, or the game does not have what the path names.")}
CHANGED = {409: "The state has changed in the meantime."}
# Codes of refusals because of the current state, not the request.
OF_STATE = frozenset(
    {
        *(
            "changed_meanwhile",
            "not_flagged",
            "not_clean",
            "counts",
            "rolled_back",
            "not_counted",
            "out_of_range",
        ),
        *("unknown", "archived", "frozen", "not_frozen", "not_sanctioned", "nothing"),
    }
)
FORBIDDEN = frozenset({"own", "own_score", "staff"})
Made = TypeVar("Made")

Reason = Annotated[
    str,
    Meta(
        pattern=PLAIN, min_length=1, max_length=500, description="The reason, kept with your name."
    ),
]


class Why(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The reason for an action."""

    reason: Reason


def own_mode(game: str, mode: str, caller: KeyCaller) -> tuple[ScoreGame, Mode]:
    """The integrator's game and mode. Raises ProblemError 404, also for another's game."""
    game_row = own_game(game, caller)
    mode_row = catalogue.find_mode(game_row, mode)
    if mode_row is None:
        raise ProblemError(
            404,
            f"{game_row.title} has no mode {mode!r}. GET /v1/games/{game_row.slug}/modes "
            "lists its modes.",
        )
    return game_row, mode_row


def done(outcome: Made | Refusal | list[Refusal]) -> Made:
    """The result of an act.

    Raises ProblemError: 403 if it is not allowed, 409 if the state forbids it, otherwise 400.
    """
    refused: list[Refusal] = []
    if isinstance(outcome, list):
        refused = outcome
    elif isinstance(outcome, Refusal):
        refused = [outcome]
    if not refused:
        return outcome  # type: ignore[return-value]
    codes = {refusal.code for refusal in refused}
    status = 403 if codes & FORBIDDEN else 409 if codes <= OF_STATE else 400
    raise ProblemError(
        status,
        " ".join(refusal.text for refusal in refused),
        [_fault(refusal) for refusal in refused],
    )


def _fault(refusal: Refusal) -> Fault:
    return Fault("body", refusal.field, refusal.code, refusal.text)

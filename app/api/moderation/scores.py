"""Single scores over the API: those that wait for a review, and decisions about them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.accounts.api_keys import KeyCaller
from app.api.games import own_game, owner_of
from app.api.moderation.shapes import CHANGED, MODERATE, NO_GAME, TAG, Reason, done, own_mode
from app.api.operations import GET, POST, operation
from app.api.shapes import GameName, GamePath, Metadata, ModeName
from app.boards.models import Mode, ScoreGame
from app.core import clock
from app.core.db import db
from app.core.http.problems import ProblemError
from app.core.refusals import Refusal
from app.scores.archive import months
from app.scores.models import ScoreAttempt, ScoreAttemptKey
from app.scores.review import corrections
from app.scores.review import queries as review
from app.scores.review.corrections import ScoreCorrection

Page = Annotated[
    int,
    Meta(
        ge=1,
        le=10_000,
        description=f"The page number, starting at 1. A page has {review.PAGE} scores.",
    ),
]
Act = Literal["accept", "reject", "quarantine", "restore"]
State = Literal["clean", "flagged", "rejected"]


class HeldQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Query parameters of the held operation."""

    mode: ModeName | UnsetType = UNSET
    page: Page = 1


class HeldScore(msgspec.Struct, frozen=True):
    """A score that is waiting for a decision. `reasons` are anti-cheat codes."""

    event_id: UUID
    attempt_id: UUID
    mode: str
    player_id: UUID
    raw_score: int
    achieved_at: datetime
    reasons: Sequence[str]
    subscore: int | None
    metadata: Metadata | None


class HeldScores(msgspec.Struct, frozen=True):
    """Held scores, oldest first, and their total number."""

    scores: Sequence[HeldScore]
    total: int


class EventPath(msgspec.Struct, frozen=True):
    """Path parameters of operations on an event."""

    game: GameName
    event_id: Annotated[
        UUID, Meta(description="The score's `event_id`, as in the list of held scores.")
    ]


class ScoreDecision(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`accept` and `reject` decide on a held score. `quarantine` holds a score that counts.

    `restore` makes a rejected or rolled-back score count again.
    """

    decision: Act
    reason: Reason


class DecidedScore(msgspec.Struct, frozen=True):
    """The score after the decision."""

    event_id: UUID
    state: State
    decided_at: datetime


@operation(
    GET,
    "/v1/games/{game}/held-scores",
    tag=TAG,
    answers={200: HeldScores},
    security=[MODERATE],
    problems=NO_GAME,
)
def list_held_scores(path: GamePath, query: HeldQuery, caller: KeyCaller) -> HeldScores:
    """List the scores of a game that are waiting for a decision."""
    game = own_game(path.game, caller)
    mode_id = None if query.mode is UNSET else own_mode(path.game, query.mode, caller)[1].id
    scores, total = review.waiting(mode=mode_id, page=query.page, games=[game.id])
    return HeldScores([_held(score) for score in scores], total)


@operation(
    POST,
    "/v1/games/{game}/held-scores/{event_id}/decision",
    tag=TAG,
    answers={200: DecidedScore},
    security=[MODERATE],
    problems=NO_GAME | CHANGED,
)
def decide_score(path: EventPath, body: ScoreDecision, caller: KeyCaller) -> DecidedScore:
    """Accept, reject, hold or restore a score of a game.

    All boards are updated right away. No one can decide on their own score: for a score of the
    integrator's owner, the response is 403.
    """
    game = own_game(path.game, caller)
    _own_attempt(game, path.event_id)
    correction: ScoreCorrection = done(_decide(path.event_id, body, owner_of(caller)))
    attempt = db.session.get_one(ScoreAttempt, path.event_id, populate_existing=True)
    return DecidedScore(
        path.event_id, msgspec.convert(attempt.fraud_state, State), correction.created_at
    )


def _decide(event_id: UUID, body: ScoreDecision, by: int) -> ScoreCorrection | Refusal:
    now = clock.now()
    if body.decision == "quarantine":
        return corrections.quarantine(event_id, by=by, reason=body.reason, now=now)
    if body.decision == "restore":
        return corrections.restore(event_id, by=by, reason=body.reason, now=now)
    return corrections.review(
        event_id, accept=body.decision == "accept", by=by, reason=body.reason, now=now
    )


def _own_attempt(game: ScoreGame, event_id: UUID) -> ScoreAttempt:
    key = db.session.get(ScoreAttemptKey, event_id)
    attempt = db.session.get(ScoreAttempt, event_id)
    if key is None or db.session.get_one(Mode, key.mode_id).game_id != game.id:
        raise ProblemError(
            404,
            f"{game.title} has no score {event_id}. GET /v1/games/{game.slug}/held-scores "
            "lists those that are held.",
        )
    if attempt is None:
        refusal = months.refusal_of(event_id)
        raise ProblemError(409, refusal.text if refusal else CHANGED[409])
    return attempt


def _held(score: review.HeldScore) -> HeldScore:
    attempt = db.session.get_one(ScoreAttempt, score.event_id)
    mode = db.session.get_one(Mode, attempt.mode_id)
    codes = [code for code, _ in score.reasons]
    sent = attempt.player_id, attempt.score, attempt.achieved_at
    return HeldScore(
        score.event_id,
        attempt.attempt_id,
        mode.slug,
        *sent,
        codes,
        attempt.subscore,
        attempt.score_metadata,
    )

"""Submitting scores: a game server gets the attempt, its player sends the score (PRODUCT D1)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from flask import g, request
from msgspec import UNSET, Meta, UnsetType

from app.accounts import players
from app.accounts.api_keys import KeyCaller
from app.accounts.tokens import PlayerCaller
from app.api.games import mode_of, own_game
from app.api.operations import POST, Limits, operation
from app.api.security import Key, PlayerToken
from app.api.shapes import GamePath, Metadata, ModeName, ModePath, Points, Units, points
from app.boards.catalogue import queries as catalogue
from app.boards.models import Mode
from app.boards.order import Best
from app.core import clock
from app.core.http.problems import Fault, ProblemError
from app.scores.anticheat.submission import PROMISED
from app.scores.anticheat.velocity import ADDRESS_PER_MINUTE
from app.scores.events import MetaName, MetaText
from app.scores.submission import attempts, submit
from app.scores.submission.attempts import LIFETIME, LONGEST
from app.scores.submission.claims import (
    LIMITED,
    SCORES_FAILED,
    Claim,
    Origin,
    Outcome,
    Refused,
    Submitted,
    Unavailable,
)

TAG = "Scores"
SUBMISSIONS = Limits(
    caller=f"{PROMISED.per_minute} per minute;{PROMISED.per_hour} per hour",
    address=f"{ADDRESS_PER_MINUTE} per minute",
)
STORABLE = "^[^\\x00]*$"
# The status of a refusal by its code; 400 if the request must change.
STATUS = {
    "banned": 403,
    "idempotency_key_reused": 409,
    "attempt_reused": 409,
    "rolled_back": 409,
    "rejected": 409,
    "archived": 409,
}
Visible = Annotated[str, Meta(pattern="^[!-~]+$", min_length=1, max_length=200)]
ClientMeta = Annotated[
    dict[MetaName, MetaText | Units | bool],
    Meta(
        max_length=20,
        description=(
            "Data about the game client, such as build and platform. It must not "
            "contain personal data."
        ),
    ),
]
SubscoreSent = Annotated[
    Units | UnsetType,
    Meta(
        description=("The subscore. Required in modes with subscores, and refused in all others.")
    ),
]
Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


Session = Annotated[
    str,
    Meta(
        pattern=STORABLE,
        min_length=1,
        max_length=100,
        description=("The game server's name for the game session. It is stored with the score."),
    ),
]
SentSession = Annotated[
    Session | UnsetType,
    Meta(
        description=(
            "The game session. If given, it must be the one for which the attempt was issued."
        )
    ),
]


class AttemptNew(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The player, and the highest possible score."""

    player_id: UUID
    attempt_id: Annotated[
        UUID | UnsetType,
        Meta(description="Your server's own ID for the attempt. Generated if you leave it out."),
    ] = UNSET
    score_cap: Annotated[
        Units | UnsetType,
        Meta(
            description=(
                "The best score for which the attempt is valid, in units. Defaults to "
                "the best score of the mode."
            )
        ),
    ] = UNSET
    expires_in: Annotated[
        int,
        Meta(
            ge=1,
            le=int(LONGEST.total_seconds()),
            description="How many seconds the attempt is valid.",
        ),
    ] = int(LIFETIME.total_seconds())
    session_id: Session | UnsetType = UNSET


class AttemptBody(msgspec.Struct, frozen=True):
    """The right to send one score."""

    attempt_id: UUID
    player_id: UUID
    attempt_token: Annotated[
        str,
        Meta(
            description=(
                "The token to send with the score. Only the player should know it until it is used."
            )
        ),
    ]
    score_cap: int
    expires_at: datetime
    session_id: Annotated[
        str | None, Meta(description="The game session. Null if none was given.")
    ] = None


class SubmitHeaders(msgspec.Struct, frozen=True):
    """Request headers of a submission."""

    key: Annotated[
        Visible | UnsetType,
        Meta(
            description=(
                "The same key for every try of the same score. Defaults to the attempt's ID."
            )
        ),
    ] = msgspec.field(name="Idempotency-Key", default=UNSET)
    device: Annotated[
        Visible | UnsetType,
        Meta(
            description=(
                "An ID that distinguishes a player's devices. Only a hash of it is stored."
            )
        ),
    ] = msgspec.field(name="X-Device-Id", default=UNSET)


class SubmitQuery(msgspec.Struct, frozen=True):
    """Query parameters of a submit request."""

    wait: Annotated[
        Literal["no", "committed"],
        Meta(
            description=(
                "With `committed`, the response is sent once the score counts. By then "
                "it is on the boards, except in modes with `update_seconds`. Some "
                "installations always do this."
            )
        ),
    ] = "no"


class ScoreNew(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One score, with the attempt it was made in."""

    attempt_id: UUID
    raw_score: Annotated[
        Units,
        Meta(
            description="The score as a whole number of units. One unit is 10^-`decimals` points."
        ),
    ]
    attempt_token: Annotated[str, Meta(pattern=STORABLE, min_length=1, max_length=1000)]
    subscore: SubscoreSent = UNSET
    metadata: Metadata | UnsetType = UNSET
    session_id: SentSession = UNSET
    client_meta: ClientMeta = {}
    replay: Annotated[
        Digest | UnsetType, Meta(description="The SHA-256 hash of the recorded game, in hex.")
    ] = UNSET


OnBoardsAt = Annotated[
    datetime | None,
    Meta(
        description=(
            "In modes with `update_seconds`, when the boards will show the player's "
            "current score. Until then, the rank and effective score in this "
            "response are those on the board. Null if the boards already show it."
        )
    ),
]


class CommittedBody(msgspec.Struct, frozen=True, omit_defaults=True):
    """The score counts. Ranks are null while no board can be read.

    It is on the boards, unless `on_boards_at` says when it will be.
    """

    status: Literal["committed"]
    player_id: UUID
    effective_score: Annotated[
        Points | None, Meta(description="The player's score that now counts in this window.")
    ]
    window_id: str
    rank: int | None
    total_ranked: int | None
    effective_subscore: Annotated[
        int | None,
        Meta(description="The subscore of `effective_score`. Only set in modes with subscores."),
    ] = None
    on_boards_at: OnBoardsAt = None


class AcceptedBody(msgspec.Struct, frozen=True):
    """The score is stored but does not count yet.

    `accepted` scores have not been checked yet; `held` ones are waiting for review. Send the same
    request again to learn the outcome.
    """

    status: Literal["accepted", "held"]
    player_id: UUID
    window_id: str
    provisional_rank: Annotated[int | None, Meta(description="The rank the score would have now.")]
    fraud_check: Annotated[
        Literal["pending", "review"],
        Meta(description="The state of the anti-cheat check. `review` while the score is held."),
    ]


@operation(
    POST,
    "/v1/games/{game}/modes/{mode}/attempts",
    tag=TAG,
    answers={201: AttemptBody},
    security=[Key("attempts:issue")],
    problems={
        404: "The integrator has no such game, mode or player.",
        409: "The mode is archived.",
    },
    limits=Limits(caller="6000 per minute"),
)
def issue_attempt(path: ModePath, body: AttemptNew, caller: KeyCaller) -> AttemptBody:
    """Issue an attempt: the right of a player to send one score.

    Game servers call this once at the start of each game that a player begins. The player can be a
    member or one of the integrator's own players.
    """
    own_game(path.game, caller)
    _, mode = mode_of(path.game, path.mode)
    if catalogue.is_archived(mode):
        raise ProblemError(
            409,
            f"{mode.title} is archived and accepts no scores. To reopen it, PATCH it with "
            "archived false.",
        )
    player = players.find_player(body.player_id)
    if player is None or player.integrator_id not in (None, caller.integrator_id):
        raise ProblemError(
            404,
            f"The integrator of this key has no player {body.player_id}. Register the "
            "player first.",
        )
    best = mode.max_score if mode.ordering.best is Best.HIGHEST else mode.min_score
    cap = (
        body.score_cap
        if body.score_cap is not UNSET and mode.ordering.is_better(best, body.score_cap)
        else best
    )
    attempt_id = None if body.attempt_id is UNSET else body.attempt_id
    lifetime = timedelta(seconds=body.expires_in)
    grant, token = attempts.issue(
        attempts.AttemptRequest(
            mode.id,
            player.id,
            cap,
            lifetime,
            attempt_id,
            caller.key_id,
            None if body.session_id is UNSET else body.session_id,
        ),
        clock.now(),
    )
    return AttemptBody(
        grant.attempt_id, grant.player_id, token, grant.cap, grant.expires, grant.session_id
    )


@operation(
    POST,
    "/v1/games/{game}/modes/{mode}/scores",
    tag=TAG,
    answers={200: CommittedBody, 202: AcceptedBody},
    security=[PlayerToken()],
    problems={
        403: "The player cannot send scores right now.",
        404: "There is no such game or mode.",
        409: (
            "The attempt or key was used for another score, the score does not count, or the mode "
            "is archived."
        ),
    },
    limits=SUBMISSIONS,
)
def submit_score(
    path: ModePath, query: SubmitQuery, headers: SubmitHeaders, body: ScoreNew, caller: PlayerCaller
) -> tuple[int, CommittedBody | AcceptedBody]:
    """Send the score of an attempt.

    Sent by the player, with their token. An attempt counts once: repeating the request returns its
    first outcome. After a 503, send exactly the same request again.
    """
    mode = mode_of(path.game, path.mode)[1]
    origin = Origin(
        client_meta=body.client_meta,
        device=headers.device or None,
        address=request.remote_addr,
        replay=None if body.replay is UNSET else body.replay,
    )
    key = headers.key or ""
    claim = Claim(
        *(
            mode,
            caller.player_id,
            body.attempt_id,
            body.attempt_token,
            body.raw_score,
            key,
            "player",
        ),
        subscore=None if body.subscore is UNSET else body.subscore,
        metadata=None if body.metadata is UNSET else body.metadata,
        session_id=None if body.session_id is UNSET else body.session_id,
    )
    outcome = submit.submit(claim, origin, clock.now(), wait=query.wait == "committed")
    done = taken(outcome)
    if done.status != "committed":
        check: Literal["pending", "review"] = "review" if done.status == "held" else "pending"
        return 202, AcceptedBody(done.status, done.player_id, done.window_id, done.rank, check)
    effective = (
        None if done.effective_score is None else points(done.effective_score, mode.decimals)
    )
    return 200, CommittedBody(
        status="committed",
        player_id=done.player_id,
        effective_score=effective,
        window_id=done.window_id,
        rank=done.rank,
        total_ranked=done.total_ranked,
        effective_subscore=done.effective_subscore,
        on_boards_at=done.on_boards_at,
    )


class ModeScore(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The score of one attempt in one of the game's modes."""

    mode: ModeName
    attempt_id: UUID
    raw_score: Annotated[
        Units,
        Meta(
            description="The score as a whole number of units. One unit is 10^-`decimals` points."
        ),
    ]
    attempt_token: Annotated[str, Meta(pattern=STORABLE, min_length=1, max_length=1000)]
    subscore: SubscoreSent = UNSET
    metadata: Metadata | UnsetType = UNSET
    session_id: SentSession = UNSET


class ScoresNew(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The scores of one game of a player in several modes."""

    scores: Annotated[list[ModeScore], Meta(min_length=1, max_length=20)]
    client_meta: ClientMeta = {}
    replay: Annotated[
        Digest | UnsetType, Meta(description="The SHA-256 hash of the recorded game, in hex.")
    ] = UNSET


class ModeOutcome(msgspec.Struct, frozen=True):
    """The outcome of one of the scores.

    The score counts once it is `committed`. A `held` score is waiting for review. Send an
    `unavailable` score again; it still counts only once. `errors` says why a score was refused.
    """

    mode: str
    attempt_id: UUID
    status: Literal["committed", "accepted", "held", "refused", "unavailable"]
    window_id: str | None = None
    rank: Annotated[
        int | None,
        Meta(description="The rank. Provisional while the score is `accepted` or `held`."),
    ] = None
    effective_score: Points | None = None
    effective_subscore: int | None = None
    errors: list[Fault] = []
    on_boards_at: OnBoardsAt = None


class OutcomesBody(msgspec.Struct, frozen=True):
    """One outcome per score, in the same order."""

    outcomes: list[ModeOutcome]


@operation(
    POST,
    "/v1/games/{game}/scores",
    tag=TAG,
    answers={200: OutcomesBody},
    security=[PlayerToken()],
    problems={
        404: ("There is no such game, or it does not have one of the modes. No score was accepted.")
    },
    limits=SUBMISSIONS,
)
def submit_scores(
    path: GamePath, query: SubmitQuery, body: ScoresNew, caller: PlayerCaller
) -> OutcomesBody:
    """Send the scores of one game in several modes.

    Each score has its own attempt, is decided on its own, and counts on all boards of its mode.
    """
    modes = [mode_of(path.game, score.mode)[1] for score in body.scores]
    claims = [
        Claim(
            *(mode, caller.player_id, score.attempt_id, score.attempt_token, score.raw_score),
            subscore=None if score.subscore is UNSET else score.subscore,
            metadata=None if score.metadata is UNSET else score.metadata,
            session_id=None if score.session_id is UNSET else score.session_id,
        )
        for mode, score in zip(modes, body.scores, strict=True)
    ]
    replay = None if body.replay is UNSET else body.replay
    origin = Origin(client_meta=body.client_meta, address=request.remote_addr, replay=replay)
    outcomes = submit.submit_all(claims, origin, clock.now(), wait=query.wait == "committed")
    note_failures(outcomes)
    return OutcomesBody(
        [
            _mode_outcome(mode, score, outcome, number)
            for number, (mode, score, outcome) in enumerate(
                zip(modes, body.scores, outcomes, strict=True)
            )
        ]
    )


def _mode_outcome(mode: Mode, sent: ModeScore, outcome: Outcome, number: int) -> ModeOutcome:
    match outcome:
        case Submitted() as done:
            effective = (
                None
                if done.effective_score is None
                else points(done.effective_score, mode.decimals)
            )
            standing = (done.window_id, done.rank, effective, done.effective_subscore)
            return ModeOutcome(
                sent.mode,
                sent.attempt_id,
                done.status,
                *standing,
                on_boards_at=done.on_boards_at,
            )
        case Unavailable(_, text):
            fault = Fault("body", f"scores[{number}]", "unavailable", text)
            return ModeOutcome(sent.mode, sent.attempt_id, "unavailable", errors=[fault])
        case Refused(reasons):
            faults = [
                Fault("body", f"scores[{number}].{reason.field}", reason.code, reason.text)
                for reason in reasons
            ]
            return ModeOutcome(sent.mode, sent.attempt_id, "refused", errors=faults)


def note_failures(outcomes: Sequence[Outcome]) -> None:
    """Count a 200 response as failed for the API's objective if a score failed on our side."""
    if any(isinstance(outcome, Unavailable) and outcome.code != LIMITED for outcome in outcomes):
        setattr(g, SCORES_FAILED, True)


def taken(outcome: Outcome) -> Submitted:
    """The outcome, if the score was accepted.

    Raises ProblemError with every reason, or 503 with the time to try again.
    """
    match outcome:
        case Submitted():
            return outcome
        case Unavailable(retry_after, text):
            raise ProblemError(503, text, headers={"Retry-After": str(retry_after)})
        case Refused(reasons):
            faults = [
                Fault(
                    "header" if reason.field == "Idempotency-Key" else "body",
                    reason.field,
                    reason.code,
                    reason.text,
                )
                for reason in reasons
            ]
            status = max(STATUS.get(reason.code, 400) for reason in reasons)
            raise ProblemError(status, " ".join(reason.text for reason in reasons), faults)

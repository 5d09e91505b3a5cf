"""Many scores in one call, from a trusted game server."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.accounts.api_keys import KeyCaller
from app.api.games import mode_of, own_game
from app.api.operations import POST, Limits, operation
from app.api.scores import (
    TAG,
    ClientMeta,
    Digest,
    OnBoardsAt,
    Session,
    SubmitQuery,
    SubscoreSent,
    note_failures,
)
from app.api.security import Key
from app.api.shapes import Metadata, ModePath, Units
from app.core import clock
from app.core.http.problems import Fault
from app.core.input_limits import BULK_BYTES
from app.scores.submission import bulk
from app.scores.submission.bulk import ServerScore
from app.scores.submission.claims import Origin, Outcome, Refused, Submitted, Unavailable
from app.scores.submission.submit import MOST_CLAIMS


class BulkScore(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One score of one player."""

    player_id: UUID
    attempt_id: Annotated[
        UUID,
        Meta(
            description=(
                "Your server's own ID for this score. Only one score per ID counts for each player."
            )
        ),
    ]
    raw_score: Annotated[
        Units,
        Meta(
            description="The score as a whole number of units. One unit is 10^-`decimals` points."
        ),
    ]
    achieved_at: Annotated[
        Annotated[datetime, Meta(tz=True)] | UnsetType,
        Meta(
            description="When the score was achieved (RFC 3339). At most the mode's `late_hours` "
            "ago, and not in an archived window. A time up to one minute ahead of "
            "this server's clock counts as now. Defaults to now.",
        ),
    ] = UNSET
    subscore: SubscoreSent = UNSET
    metadata: Metadata | UnsetType = UNSET
    session_id: Session | UnsetType = UNSET
    client_meta: ClientMeta = {}
    replay: Annotated[
        Digest | UnsetType, Meta(description="The SHA-256 hash of the recorded game, in hex.")
    ] = UNSET


class BulkNew(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Scores in one mode, by any of the integrator's players."""

    scores: Annotated[list[BulkScore], Meta(min_length=1, max_length=MOST_CLAIMS)]


class BulkOutcome(msgspec.Struct, frozen=True):
    """The outcome of one score.

    The score counts once it is `committed`. If it is `unavailable`, send it again; it still counts
    only once.
    """

    player_id: UUID
    attempt_id: UUID
    status: Literal["committed", "accepted", "held", "refused", "unavailable"]
    window_id: Annotated[
        str | None, Meta(description="The shortest window in which the score counts.")
    ] = None
    retry_after: Annotated[
        int | None,
        Meta(description="How many seconds to wait before sending an `unavailable` score again."),
    ] = None
    errors: Annotated[
        list[Fault], Meta(description="Why the score was refused or not accepted.")
    ] = []
    on_boards_at: OnBoardsAt = None


class BulkBody(msgspec.Struct, frozen=True):
    """One outcome per score, in the same order."""

    outcomes: list[BulkOutcome]


@operation(
    POST,
    "/v1/games/{game}/modes/{mode}/scores/bulk",
    tag=TAG,
    answers={200: BulkBody},
    security=[Key("scores:submit")],
    problems={
        404: (
            "The integrator has no such game, or the game has no such mode. No score was accepted."
        )
    },
    limits=Limits(caller="60 per minute", body=BULK_BYTES),
)
def submit_bulk(path: ModePath, query: SubmitQuery, body: BulkNew, caller: KeyCaller) -> BulkBody:
    """Send up to 1,000 scores of a mode.

    For trusted game servers: no attempts are needed. Each score is handled on its own. It is
    checked like a score sent by a player, and limited to 60 per minute and player. If a call fails,
    send it again unchanged: accepted scores keep their first outcome, and nothing counts twice. A
    score counts in the windows of its `achieved_at`, even if they have ended since.
    """
    own_game(path.game, caller)
    _, mode = mode_of(path.game, path.mode)
    scores = [
        ServerScore(
            player_id=score.player_id,
            attempt_id=score.attempt_id,
            score=score.raw_score,
            achieved_at=None if score.achieved_at is UNSET else score.achieved_at,
            subscore=None if score.subscore is UNSET else score.subscore,
            metadata=None if score.metadata is UNSET else score.metadata,
            session_id=None if score.session_id is UNSET else score.session_id,
            origin=Origin(
                client_meta=score.client_meta,
                replay=None if score.replay is UNSET else score.replay,
            ),
        )
        for score in body.scores
    ]
    outcomes = bulk.submit_bulk(
        mode, caller.integrator_id, scores, clock.now(), wait=query.wait == "committed"
    )
    note_failures(outcomes)
    return BulkBody(
        [_outcome(number, *pair) for number, pair in enumerate(zip(scores, outcomes, strict=True))]
    )


def _outcome(number: int, sent: ServerScore, outcome: Outcome) -> BulkOutcome:
    match outcome:
        case Submitted() as done:
            return BulkOutcome(
                sent.player_id,
                sent.attempt_id,
                done.status,
                done.window_id,
                on_boards_at=done.on_boards_at,
            )
        case Unavailable(seconds, text, code):
            faults = [Fault("body", f"scores[{number}]", code, text)]
            return BulkOutcome(
                sent.player_id, sent.attempt_id, "unavailable", retry_after=seconds, errors=faults
            )
        case Refused(reasons):
            faults = [
                Fault("body", f"scores[{number}].{reason.field}", reason.code, reason.text)
                for reason in reasons
            ]
            return BulkOutcome(sent.player_id, sent.attempt_id, "refused", errors=faults)

"""Submits scores: check, send, wait, answer (PRODUCT D1, D2, D11, D14).

`submit_all` is the only way in; `submit` is for a single score. A score counts on every window of
its mode. One call may send scores of several modes, attempts or players: each has its own attempt
and is decided by itself. Scores of concurrent calls are checked and sent in batches
(app/core/request_batching.py). refusals.py checks scores, outcome_ranks.py finds ranks, apply.py
updates the boards. Tokens are never stored or logged.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from typing import cast
from uuid import UUID

from flask import current_app

from app.boards.catalogue import queries as catalogue
from app.boards.models import ScoreGame
from app.core import clock, metrics
from app.core.clock import to_us
from app.core.db import db, holds_connection
from app.core.db.autocommit import begin_autocommit
from app.core.refusals import Refusal
from app.core.request_batching import batched_apart, batched_calls
from app.core.serving import received_at
from app.scores import events
from app.scores.events import ScoreEvent
from app.scores.submission import attempts, refusals, sending
from app.scores.submission.claims import Claim, Origin, Outcome, Refused, Unavailable
from app.scores.submission.known import Known, known_of
from app.scores.submission.locations import locate
from app.scores.submission.outcome_ranks import Taken, with_ranks
from app.scores.submission.outcomes import Waiting, listener
from app.settings import Settings

MOST_CLAIMS = 1000  # scores per call
WAIT_SECONDS = 8.0
RETRY_AFTER_SECONDS = 2

_NOT_TAKEN = Unavailable(
    RETRY_AFTER_SECONDS, "Scores cannot be accepted right now. Send the same attempt again."
)
_NOT_YET = Unavailable(
    RETRY_AFTER_SECONDS,
    "The score is not on the boards yet. Send the same attempt again to learn its outcome.",
)


def submit(claim: Claim, origin: Origin, now: datetime, *, wait: bool = False) -> Outcome:
    """Send one score in; see submit_all."""
    return submit_all([claim], origin, now, wait=wait)[0]


def submit_all(
    claims: Sequence[Claim],
    origin: Origin,
    now: datetime,
    *,
    wait: bool = False,
    known: Known | None = None,
) -> list[Outcome]:
    """Check the scores, give them to Kafka, and return one outcome per score, in the same order.

    An attempt that is decided already answers with its first outcome.

    Args:
        claims: 1 to MOST_CLAIMS scores.
        origin: what came with all of them; a claim may have its own.
        now: when they came in.
        wait: until PostgreSQL and the boards have them, up to WAIT_SECONDS. Always so with a broker
            that keeps messages in memory only: "accepted" would not survive its restart.
        known: what PostgreSQL holds of these players and events, if it was just read.

    Raises:
        ValueError: too many claims, or none.
        InvalidWindowError: a score counts in a window that its mode has no more.
        SQLAlchemyError: PostgreSQL is away.
    """
    if not 1 <= len(claims) <= MOST_CLAIMS:
        raise ValueError(f"{len(claims)} scores in one call; send 1 to {MOST_CLAIMS}")
    ids = [events.event_id(claim.player_id, claim.attempt_id) for claim in claims]
    if holds_connection():
        db.session.commit()  # nothing to write: the connection is returned while we wait for others
    with _listening(ids, wait=wait) as waiting:
        call = _Call(origin, now, waiting, known, received_at())
        submissions = [
            _Submission(claim, event_id, call) for claim, event_id in zip(claims, ids, strict=True)
        ]
        outcomes = _check_and_send_batched(submissions)
        undecided = [number for number, outcome in enumerate(outcomes) if outcome is None]
        if waiting is not None and undecided:
            waiting.until([ids[number] for number in undecided], WAIT_SECONDS)
    if undecided:
        decided = _read_decisions_batched([submissions[number] for number in undecided])
        for number, outcome in zip(undecided, decided, strict=True):
            outcomes[number] = outcome
    return cast("list[Outcome]", outcomes)  # every outcome is decided now


@contextmanager
def _listening(ids: Collection[UUID], *, wait: bool) -> Iterator[Waiting | None]:
    """Listen for the outcomes of these events before they are sent."""
    settings: Settings = current_app.config["PRESSBOX"]
    waits = wait or settings.kafka_in_memory
    with listener(settings).waiting(ids) if waits else nullcontext() as waiting:
        yield waiting


@dataclass(frozen=True, eq=False)
class _Call:
    """What the scores of one call share; `waiting` for their outcomes, if the call waits."""

    origin: Origin
    now: datetime
    waiting: Waiting | None
    known: Known | None
    received_at: datetime  # by the server; a request waits for a thread afterwards


@dataclass(frozen=True)
class _Submission:
    """One score of a batch, with its event and its call."""

    claim: Claim
    event_id: UUID
    call: _Call

    @property
    def origin(self) -> Origin:
        return self.claim.origin or self.call.origin

    @property
    def is_lost(self) -> bool:
        """Whether its outcome could not be heard any more."""
        return self.call.waiting is not None and self.call.waiting.lost


def _check_and_send(batch: Sequence[_Submission]) -> list[Outcome | Exception | None]:
    """Return an outcome per score; None while its call has to wait for the outcome."""
    begin_autocommit()
    known = _load_known(batch)
    # Kept until the end, so that each game is read once: the session forgets unreferenced rows.
    games = _load_games(batch)
    checked = _check(batch, known, games)
    db.session.commit()  # nothing to write: the connection is returned while we wait for Kafka
    return with_ranks(_send(batch, known, checked))


def _load_known(batch: Sequence[_Submission]) -> list[Known]:
    """Return per score what PostgreSQL holds, read in one query unless the call knows it."""
    unread = [submission for submission in batch if submission.call.known is None]
    read = _known_of(unread) if unread else Known({}, {})
    return [submission.call.known or read for submission in batch]


def _known_of(batch: Sequence[_Submission]) -> Known:
    return known_of(
        {submission.claim.player_id for submission in batch},
        [submission.event_id for submission in batch],
    )


def _load_games(batch: Sequence[_Submission]) -> dict[UUID, ScoreGame]:
    """Return the games of the scores by id."""
    modes = {submission.claim.mode.id: submission.claim.mode for submission in batch}
    return {mode.game_id: catalogue.game_of(mode) for mode in modes.values()}


def _check(
    batch: Sequence[_Submission], known: Sequence[Known], games: Mapping[UUID, ScoreGame]
) -> list[Refused | Taken | ScoreEvent]:
    """Return per score why it is refused, what was decided of it before, or its event."""
    modes = {submission.claim.mode.id: submission.claim.mode for submission in batch}
    grants = [
        None if submission.claim.trusted else attempts.read(submission.claim.token)
        for submission in batch
    ]
    ended = refusals.ended(grants, modes.values())
    checked: list[Refused | Taken | ScoreEvent] = []
    for submission, its_known, grant in zip(batch, known, grants, strict=True):
        claim = submission.claim
        player = its_known.players.get(claim.player_id)
        if submission.event_id in its_known.decided:
            checked.append(_first_outcome(submission, its_known, is_repeated=True))
        elif submission.event_id in its_known.archived:
            checked.append(_used_long_ago(its_known.archived[submission.event_id]))
        elif reasons := refusals.refusals(
            claim,
            submission.origin,
            refusals.ClaimFacts(grant, player, ended),
            submission.call.now,
        ):
            checked.append(Refused(reasons))
        else:
            session_id = claim.session_id if grant is None else grant.session_id
            checked.append(_event(submission, games[claim.mode.game_id].slug, session_id))
    fresh = [number for number, result in enumerate(checked) if isinstance(result, ScoreEvent)]
    reused = refusals.reused([(batch[number].claim, batch[number].origin) for number in fresh])
    for place, refused in reused.items():
        checked[fresh[place]] = refused
    return checked


def _send(
    batch: Sequence[_Submission],
    known: Sequence[Known],
    checked: Sequence[Refused | Taken | ScoreEvent],
) -> list[Outcome | Taken | None]:
    """Give the events to Kafka, except those whose outcome could not be heard any more."""
    settings: Settings = current_app.config["PRESSBOX"]
    audible = {
        number: result
        for number, result in enumerate(checked)
        if isinstance(result, ScoreEvent) and not batch[number].is_lost
    }
    unsent = set(sending.send(settings, audible)) if audible else set()
    _measure_acceptance({batch[number].call for number in audible.keys() - unsent})
    outcomes: list[Outcome | Taken | None] = []
    for number, (submission, result) in enumerate(zip(batch, checked, strict=True)):
        if not isinstance(result, ScoreEvent):
            outcomes.append(result)
        elif number not in audible or number in unsent:
            outcomes.append(_NOT_TAKEN)
        elif submission.call.waiting is not None:
            outcomes.append(None)
        else:
            outcomes.append(_accepted(submission, known[number]))
    return outcomes


def _measure_acceptance(calls: Collection[_Call]) -> None:
    """Record how long these calls took until Kafka had acknowledged their scores."""
    now = clock.now()
    for call in calls:
        seconds = max(0.0, (now - call.received_at).total_seconds())
        metrics.observe(metrics.SCORE_ACCEPTED, seconds)


def _read_decisions(batch: Sequence[_Submission]) -> list[Outcome | Exception | None]:
    """Return the outcome of each score; _NOT_YET if it is not decided."""
    begin_autocommit()
    known = _known_of(batch)
    return with_ranks(
        [
            _first_outcome(submission, known) if submission.event_id in known.decided else _NOT_YET
            for submission in batch
        ]
    )


def _event(submission: _Submission, game: str, session_id: str | None) -> ScoreEvent:
    claim, origin = submission.claim, submission.origin
    secret = current_app.config["SECRET_KEY"]
    return ScoreEvent(
        event_id=submission.event_id,
        attempt_id=claim.attempt_id,
        player_id=claim.player_id,
        game_id=claim.mode.game_id,
        mode_id=claim.mode.id,
        game=game,
        mode=claim.mode.slug,
        shard=events.shard_of(claim.player_id),
        score=claim.score,
        subscore=claim.subscore,
        achieved_at=to_us(claim.achieved_at or submission.call.now),
        client_meta=events.check_meta(origin.client_meta),
        metadata=None if claim.metadata is None else dict(claim.metadata),
        device=events.fingerprint(secret, "device", origin.device) if origin.device else None,
        address=events.fingerprint(secret, "address", origin.address) if origin.address else None,
        location=locate(origin.address) if origin.address else None,
        replay=origin.replay,
        session_id=session_id,
        awaited=submission.call.waiting is not None,
    )


def _accepted(submission: _Submission, known: Known) -> Taken:
    claim = submission.claim
    return Taken(
        status="accepted",
        claim=claim,
        counts_at=claim.achieved_at or submission.call.now,
        is_hidden=known.players[claim.player_id].hidden_at is not None,
    )


def _first_outcome(
    submission: _Submission, known: Known, *, is_repeated: bool = False
) -> Refused | Taken:
    """Return the answer to a decided attempt, the same the first time and every time after."""
    claim, row = submission.claim, known.decided[submission.event_id]
    if row.mode_id != claim.mode.id or (row.score, row.subscore) != (claim.score, claim.subscore):
        text = "attempt_id was used for another score. Each score needs its own attempt."
        return Refused((Refusal("attempt_reused", "attempt_id", text),))
    if row.rolled_back_at is not None:
        moment = row.rolled_back_at.isoformat()
        text = f"This attempt was withdrawn at {moment}. Request a new one."
        return Refused((Refusal("rolled_back", "attempt_id", text),))
    if row.fraud_state == "rejected":
        reasons = ", ".join(row.fraud_reasons) or "no reason given"
        text = f"The score does not count ({reasons})."
        return Refused((Refusal("rejected", "raw_score", text),))
    return Taken(
        status="held" if row.fraud_state == "flagged" else "committed",
        claim=claim,
        counts_at=row.achieved_at,
        is_hidden=known.players[claim.player_id].hidden_at is not None,
        is_repeated=is_repeated,
    )


def _used_long_ago(achieved_at: datetime) -> Refused:
    """Refuse an attempt whose first outcome is archived with its month."""
    text = (
        f"attempt_id was used for a score of {achieved_at:%B %Y}, which is archived. Each "
        "score needs its own attempt."
    )
    return Refused((Refusal("attempt_reused", "attempt_id", text),))


_check_and_send_batched = batched_apart(_check_and_send, limit=MOST_CLAIMS)
_read_decisions_batched = batched_calls(_read_decisions)

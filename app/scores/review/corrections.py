"""Later decisions about an attempt: taking it back, or the outcome of a review (PRODUCT D10, D12).

Each decision leaves a row in `score_corrections` with who and why. The player's standings are
recomputed from their attempts under the mode's exclusive lock, then put to Redis; after a crash
between the two the next `publish` does it, which the consumer calls too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import redis
import structlog
from sqlalchemy import select, text

from app.accounts.models import Player
from app.audit import log as audit
from app.audit.acts import Act
from app.boards.catalogue import queries as catalogue
from app.boards.layouts import merged_top
from app.boards.models import Mode
from app.boards.rules import OutOfRangeError
from app.core import metrics
from app.core.db import db, transaction
from app.core.refusals import Refusal
from app.scores.anticheat.reasons import WORDS
from app.scores.archive import months
from app.scores.models import ScoreAttempt, ScoreCorrection
from app.scores.review.past_window import is_decided_by_person
from app.scores.standings import board_scores
from app.scores.standings.mode_boards import Boards

log = structlog.get_logger(__name__)

ROLL_BACK, RESTORE, ACCEPT, REJECT, FLAG = "roll_back", "restore", "accept", "reject", "flag"
PUBLISHED_AT_ONCE = 100
_ACTS = {
    ROLL_BACK: Act.SCORES_ROLLED_BACK,
    RESTORE: Act.SCORE_RESTORED,
    ACCEPT: Act.SCORE_ACCEPTED,
    REJECT: Act.SCORE_REJECTED,
    FLAG: Act.SCORE_QUARANTINED,
}


def roll_back(
    event_id: UUID, *, by: int | None, reason: str, now: datetime
) -> ScoreCorrection | Refusal:
    """Take a counted or flagged attempt back for good and commit.

    `by` is the member; None means the anti-cheat's rules.
    """

    def change(attempt: ScoreAttempt) -> Refusal | None:
        if attempt.rolled_back_at is not None:
            return _refused("rolled_back", "was already rolled back; there is nothing left to do")
        if attempt.fraud_state == "rejected":
            return _refused(
                "not_counted", "was rejected and does not count; there is nothing to roll back"
            )
        attempt.rolled_back_at = now
        return None

    return _decide(event_id, _Decision(ROLL_BACK, by, reason, now), change)


def review(
    event_id: UUID, *, accept: bool, by: int | None, reason: str, now: datetime
) -> ScoreCorrection | Refusal:
    """End the review of a flagged attempt and commit: it counts from now on, or is rejected."""

    def change(attempt: ScoreAttempt) -> Refusal | None:
        if attempt.fraud_state != "flagged" or attempt.rolled_back_at is not None:
            return _refused("not_flagged", "is not waiting for review; check its state")
        attempt.fraud_state = "clean" if accept else "rejected"
        attempt.rechecked_at = now  # no layer overrules a person
        return None

    return _decide(event_id, _Decision(ACCEPT if accept else REJECT, by, reason, now), change)


def quarantine(event_id: UUID, *, by: int, reason: str, now: datetime) -> ScoreCorrection | Refusal:
    """Take a clean attempt off the boards until somebody else reviews it; commit."""

    def change(attempt: ScoreAttempt) -> Refusal | None:
        if attempt.fraud_state != "clean" or attempt.rolled_back_at is not None:
            return _refused("not_clean", "does not count; there is nothing to hold")
        attempt.fraud_state = "flagged"
        attempt.fraud_reasons = [*dict.fromkeys([*attempt.fraud_reasons, "quarantined"])]
        attempt.rechecked_at = now
        return None

    return _decide(event_id, _Decision(FLAG, by, reason, now), change)


def restore(
    event_id: UUID, *, by: int | None, reason: str, now: datetime
) -> ScoreCorrection | Refusal:
    """Let an attempt count again that was taken back or rejected; commit."""

    def change(attempt: ScoreAttempt) -> Refusal | None:
        if attempt.rolled_back_at is None and attempt.fraud_state != "rejected":
            return _refused(
                "counts", "was neither rolled back nor rejected; there is nothing to restore"
            )
        attempt.rolled_back_at = attempt.rollback_id = None
        attempt.fraud_state = "clean"
        attempt.rechecked_at = now
        return None

    return _decide(event_id, _Decision(RESTORE, by, reason, now), change)


def withhold(
    event_id: UUID, *, reject: bool, reasons: Sequence[str], now: datetime, again: bool = False
) -> ScoreCorrection | Refusal:
    """Take a clean attempt off the boards by the anti-cheat's rules and commit.

    It stays off until a review, or for good with `reject`. `reasons` are codes
    (anticheat/reasons.py), kept beside those it has. The slow layers decide once about an attempt;
    with `again` they may decide anew, but never after a person.
    """

    def change(attempt: ScoreAttempt) -> Refusal | None:
        is_decided = attempt.fraud_state != "clean" or attempt.rolled_back_at is not None
        is_final = is_decided_by_person(event_id) if again else attempt.rechecked_at is not None
        if is_decided or is_final:
            return _refused("decided", "was decided in the meantime; there is nothing left to do")
        attempt.fraud_state = "rejected" if reject else "flagged"
        attempt.fraud_reasons = [*dict.fromkeys([*attempt.fraud_reasons, *reasons])]
        attempt.rechecked_at = now
        if not again:  # it was not suspicious before the limits changed
            seconds = max(0.0, (now - attempt.ingested_at).total_seconds())
            metrics.observe(metrics.QUARANTINE, seconds)
        return None

    why = " ".join(WORDS.get(code, code) for code in reasons)
    return _decide(event_id, _Decision(REJECT if reject else FLAG, None, why, now), change)


def publish(now: datetime) -> int:
    """Put to Redis what corrections changed and Redis does not show yet, oldest first.

    Commits after each and returns how many were published. After a Redis error the rest is left to
    the next call.
    """
    waiting = db.session.scalars(
        select(ScoreCorrection.id)
        .where(ScoreCorrection.published_at.is_(None))
        .order_by(ScoreCorrection.id)
        .limit(PUBLISHED_AT_ONCE)
    ).all()
    for number in waiting:
        _publish(number, now)
    db.session.commit()
    return len(waiting)


@dataclass(frozen=True)
class _Decision:
    """A decision about an attempt; `by` is None for the anti-cheat's rules."""

    action: str
    by: int | None
    reason: str
    at: datetime


def _decide(
    event_id: UUID, decision: _Decision, change: Callable[[ScoreAttempt], Refusal | None]
) -> ScoreCorrection | Refusal:
    try:
        locked = _hold(event_id)
        if locked is None:
            db.session.rollback()
            return months.refusal_of(event_id) or _refused(
                "unknown", "is not known; look it up again"
            )
        mode, attempt = locked
        correction = ScoreCorrection(
            event_id=event_id,
            action=decision.action,
            before=attempt.fraud_state,
            member_id=decision.by,
            reason=decision.reason,
            created_at=decision.at,
        )
        refusal = _own(attempt, decision.by) or change(attempt)
        if refusal is not None:
            db.session.rollback()
            return refusal
        db.session.add(correction)
        db.session.flush()
        (boards,) = Boards().of([(mode, attempt.achieved_at)])
        board_scores.recompute(boards, [attempt.player_id])
        if decision.by is not None:
            _notify(attempt.player_id, correction, decision.at)
            audit.record(
                _ACTS[decision.action],
                actor_id=decision.by,
                subject=f"attempt:{event_id}",
                reason=decision.reason,
            )
        db.session.commit()
    except OutOfRangeError as error:
        db.session.rollback()
        return _refused("out_of_range", f"cannot be changed this way: {error}")
    except BaseException:
        db.session.rollback()
        raise
    log.info("corrected", event_id=str(event_id), action=decision.action, by=decision.by)
    try:
        publish(decision.at)
    except redis.RedisError as error:
        log.warning("correction_waits", event_id=str(event_id), reason=type(error).__name__)
    return correction


_NOTICES = {ROLL_BACK: "One of your scores was removed", REJECT: "One of your scores was rejected"}
_NOTIFY = text("""
    INSERT INTO notices (member_id, kind, key, title, body, path, created_at)
    SELECT member_id, 'moderation', :key, :title, :body, '/appeals', :now FROM players
    WHERE id = :player AND member_id IS NOT NULL ON CONFLICT ON CONSTRAINT uq_notices_key DO NOTHING
""")


def _notify(player_id: UUID, correction: ScoreCorrection, now: datetime) -> None:
    """Notify the member of what a person took from them; what the rules did they are not told."""
    title = _NOTICES.get(correction.action)
    if title is not None:
        body = f"Reason: {correction.reason.strip().rstrip('.')}. You can appeal."
        values = {
            "key": f"correction:{correction.id}",
            "title": title,
            "body": body,
            "now": now,
            "player": player_id,
        }
        db.session.execute(_NOTIFY, values)


def _own(attempt: ScoreAttempt, by: int | None) -> Refusal | None:
    """Refuse a decision about one's own score."""
    if (
        by is not None
        and db.session.scalar(select(Player.member_id).where(Player.id == attempt.player_id)) == by
    ):
        return _refused("own_score", "is your own; another moderator has to decide")
    return None


def _hold(event_id: UUID) -> tuple[Mode, ScoreAttempt] | None:
    """Load the attempt and its mode, locked against other writers until the transaction ends."""
    mode_id = db.session.scalar(
        select(ScoreAttempt.mode_id).where(ScoreAttempt.event_id == event_id)
    )
    if mode_id is None:
        return None
    mode = catalogue.lock_modes([mode_id], exclusive=True)[mode_id]
    return mode, db.session.get_one(ScoreAttempt, event_id, populate_existing=True)


def _publish(number: int, now: datetime) -> None:
    with transaction():
        correction = db.session.get_one(ScoreCorrection, number, populate_existing=True)
        locked = _hold(correction.event_id)
        assert locked is not None  # a month with unpublished corrections is not archived
        mode, attempt = locked
        (boards,) = Boards().of([(mode, attempt.achieved_at)])
        now_held = board_scores.held_now([(board.id, attempt.player_id) for board in boards])
        for board in boards:
            if board.record.stale_since is None:
                board.redis.put(
                    {str(attempt.player_id): now_held.get((board.id, attempt.player_id))}
                )
                merged_top.forget(board.redis)
        correction.published_at = correction.published_at or now


def _refused(code: str, text: str) -> Refusal:
    return Refusal(code, "event_id", f"The attempt {text}.")

"""The slow layers for scores on the boards: replays and the anomaly model (PRODUCT D12).

Each clean attempt is checked once; corrections.py takes suspicious ones off the boards. anticheat/
has the layers; apply.py runs the quick ones on the way to the boards.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Select, or_, select, update

from app.boards.models import Mode
from app.core.clock import to_us
from app.core.db import db
from app.scores.anticheat import replay
from app.scores.anticheat.anomaly import Anomaly
from app.scores.anticheat.models import submission
from app.scores.anticheat.replay import Replay
from app.scores.anticheat.stores import SqlCohorts, fetch_replay, histories, newest_model
from app.scores.anticheat.submission import CLEAN, REJECTED, through
from app.scores.models import ScoreAttempt
from app.scores.review import corrections

AT_ONCE = 500
GRACE = timedelta(microseconds=replay.GRACE)


@dataclass(frozen=True)
class Rechecked:
    """How many attempts were checked, and how many of them were taken off the boards."""

    attempts: int
    withheld: int


def recheck_scores(now: datetime) -> Rechecked:
    """Check the oldest AT_ONCE attempts that are due and commit.

    An attempt with a replay is due after GRACE, which is how long its upload may take. After a
    crash the rest is left to the next call, and what was withheld stays so. If an error is raised
    nothing is marked as checked.

    Raises:
        BlobStoreError: The blob store did not answer.
        UnfitModelError: A stored model cannot be used.
    """
    due = [submission(attempt, mode) for attempt, mode in db.session.execute(_due(now))]
    layers = (Replay(fetch_replay), Anomaly(newest_model, SqlCohorts(), histories))
    verdicts = through(layers, due, to_us(now))
    db.session.commit()
    withheld = 0
    for attempt, verdict in zip(due, verdicts, strict=True):
        if verdict.state != CLEAN:
            reject = verdict.state == REJECTED
            corrections.withhold(attempt.event_id, reject=reject, reasons=verdict.reasons, now=now)
            withheld += 1
    passed = [
        attempt.event_id
        for attempt, verdict in zip(due, verdicts, strict=True)
        if verdict.state == CLEAN
    ]
    db.session.execute(
        update(ScoreAttempt)
        .where(ScoreAttempt.event_id.in_(passed), ScoreAttempt.rechecked_at.is_(None))
        .values(rechecked_at=now)
    )
    db.session.commit()
    return Rechecked(len(due), withheld)


def _due(now: datetime) -> Select[ScoreAttempt, Mode]:
    return (
        select(ScoreAttempt, Mode)
        .join(Mode, Mode.id == ScoreAttempt.mode_id)
        .where(
            ScoreAttempt.rechecked_at.is_(None),
            ScoreAttempt.fraud_state == CLEAN,
            ScoreAttempt.rolled_back_at.is_(None),
            or_(ScoreAttempt.replay.is_(None), ScoreAttempt.achieved_at < now - GRACE),
        )
        .order_by(ScoreAttempt.achieved_at, ScoreAttempt.event_id)
        .limit(AT_ONCE)
    )

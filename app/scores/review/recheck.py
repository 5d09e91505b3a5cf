"""The slow layers for scores that are on the boards: replays and the anomaly model (PRODUCT D12).

Each clean attempt is checked once; what is found is taken off the boards by corrections.py.
Not here: the layers (anticheat/), the quick ones on the way to the boards (apply.py).
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
    """Checks the oldest AT_ONCE attempts that are due. Commits.

    An attempt with a replay is due when GRACE is over, which is how long its upload may take. A
    crash leaves the rest for the next call, and what was withheld stays so. Raises BlobStoreError
    and UnfitModelError: nothing is marked then.
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

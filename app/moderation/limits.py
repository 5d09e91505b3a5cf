"""Anti-cheat limits that integrators set for their own modes, with a dry run over past scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import select

from app.accounts.players import names_of
from app.audit import log as audit
from app.audit.acts import Act
from app.boards.models import Mode
from app.core.clock import to_us
from app.core.db import db
from app.core.refusals import Refusal
from app.moderation.rules import reason_fault
from app.scores.anticheat.distribution import Distribution, cohort_of
from app.scores.anticheat.mode_limits import fault, mode_limits, put_limits
from app.scores.anticheat.models import submission
from app.scores.anticheat.stores import counts
from app.scores.anticheat.submission import CLEAN, Limits, through
from app.scores.anticheat.velocity import MemorySightings, Velocity
from app.scores.models import ScoreAttempt

LOOKED_AT = 20_000  # the newest attempts, for a dry run
PAST = timedelta(days=30)
SHOWN = 50
CHUNK = 500


@dataclass(frozen=True)
class DryRun:
    """What limits would have done.

    Attributes:
        attempts: The number of scores checked.
        would_hold: How many would have been held.
        now_held: How many were held.
        players: Id, name and number of scores that would have been held, most first.
        reasons: How often each reason would have been given, most first.
    """

    attempts: int
    would_hold: int
    now_held: int
    players: Sequence[tuple[UUID, str, int]]
    reasons: Sequence[tuple[str, int]]


def current(mode: Mode) -> Limits:
    """Return the limits of the mode, or Pressbox's if it has none."""
    return mode_limits([mode.id])[mode.id]


def dry_run(mode: Mode, new_limits: Limits, now: datetime) -> DryRun:
    """Try limits on the scores of the last PAST, in the order of their arrival. Reads only."""
    rows = db.session.scalars(
        select(ScoreAttempt)
        .where(ScoreAttempt.mode_id == mode.id, ScoreAttempt.achieved_at > now - PAST)
        .order_by(ScoreAttempt.achieved_at.desc(), ScoreAttempt.event_id.desc())
        .limit(LOOKED_AT)
    ).all()
    cohort = cohort_of(counts(mode.id))
    layers = (Velocity(MemorySightings()), Distribution(lambda _: cohort))
    held_counts: Counter[UUID] = Counter()
    reasons: Counter[str] = Counter()
    batch = [replace(submission(attempt, mode), limits=new_limits) for attempt in reversed(rows)]
    for start in range(0, len(batch), CHUNK):
        part = batch[start : start + CHUNK]
        for item, verdict in zip(part, through(layers, part, to_us(now)), strict=True):
            if verdict.state != CLEAN:
                held_counts[item.player_id] += 1
                reasons.update(verdict.reasons)
    names = names_of([player for player, _ in held_counts.most_common(SHOWN)])
    return DryRun(
        attempts=len(rows),
        would_hold=held_counts.total(),
        now_held=sum(attempt.fraud_state != CLEAN for attempt in rows),
        players=[
            (player, names.get(player, ""), number)
            for player, number in held_counts.most_common(SHOWN)
        ],
        reasons=reasons.most_common(),
    )


def set_limits(
    mode: Mode, new_limits: Limits | None, *, by: int, reason: str, now: datetime
) -> Refusal | None:
    """Set limits from the next batch of scores on; None restores Pressbox's. Commits."""
    if (refusal := reason_fault(reason)) is not None:
        return refusal
    if new_limits is not None and (refusal := fault(new_limits)) is not None:
        return refusal
    put_limits(mode.id, new_limits, by=by, now=now)
    details = asdict(new_limits) if new_limits is not None else None
    audit.record(
        Act.LIMITS_SET,
        actor_id=by,
        subject=f"mode:{mode.id}",
        reason=reason.strip(),
        details=details,
    )
    db.session.commit()
    return None

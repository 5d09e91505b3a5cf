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

LOOKED_AT = 20_000  # attempts of a dry run, the newest
PAST = timedelta(days=30)
SHOWN = 50
CHUNK = 500


@dataclass(frozen=True)
class DryRun:
    """`attempts`: looked at; `held`: how many of them would be held; `now_held`: how many were.

    `players`: who, with how many, the most first.
    """

    attempts: int
    held: int
    now_held: int
    players: Sequence[tuple[UUID, str, int]]
    reasons: Sequence[tuple[str, int]]


def current(mode: Mode) -> Limits:
    """The mode's limits, its own or Pressbox's."""
    return mode_limits([mode.id])[mode.id]


def dry_run(mode: Mode, wanted: Limits, now: datetime) -> DryRun:
    """What these limits would have done to the scores of the last PAST, as they came.

    Reads only.
    """
    rows = db.session.scalars(
        select(ScoreAttempt)
        .where(ScoreAttempt.mode_id == mode.id, ScoreAttempt.achieved_at > now - PAST)
        .order_by(ScoreAttempt.achieved_at.desc(), ScoreAttempt.event_id.desc())
        .limit(LOOKED_AT)
    ).all()
    cohort = cohort_of(counts(mode.id))
    layers = (Velocity(MemorySightings()), Distribution(lambda _: cohort))
    held: Counter[UUID] = Counter()
    reasons: Counter[str] = Counter()
    batch = [replace(submission(one, mode), limits=wanted) for one in reversed(rows)]
    for start in range(0, len(batch), CHUNK):
        part = batch[start : start + CHUNK]
        for one, verdict in zip(part, through(layers, part, to_us(now)), strict=True):
            if verdict.state != CLEAN:
                held[one.player_id] += 1
                reasons.update(verdict.reasons)
    names = names_of([player for player, _ in held.most_common(SHOWN)])
    return DryRun(
        attempts=len(rows),
        held=held.total(),
        now_held=sum(one.fraud_state != CLEAN for one in rows),
        players=[
            (player, names.get(player, ""), number) for player, number in held.most_common(SHOWN)
        ],
        reasons=reasons.most_common(),
    )


def set_limits(
    mode: Mode, wanted: Limits | None, *, by: int, reason: str, now: datetime
) -> Refusal | None:
    """From the next batch of scores on; None for the limits goes back to Pressbox's. Commits."""
    if (why := reason_fault(reason)) is not None:
        return why
    if wanted is not None and (why := fault(wanted)) is not None:
        return why
    put_limits(mode.id, wanted, by=by, now=now)
    details = asdict(wanted) if wanted is not None else None
    audit.record(
        Act.LIMITS_SET,
        actor_id=by,
        subject=f"mode:{mode.id}",
        reason=reason.strip(),
        details=details,
    )
    db.session.commit()
    return None

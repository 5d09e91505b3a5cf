"""The anti-cheat limits of modes: their own, or those that Pressbox promises to every mode.

No process caches them: they are read with the modes of each batch, so new limits apply to the next
score everywhere. app/moderation/limits.py computes what they would have held.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, select

from app.core.db import db, upsert
from app.core.refusals import Refusal
from app.scores.anticheat.submission import PROMISED, Limits
from app.scores.models import AnticheatLimits

MOST_PER_MINUTE, MOST_PER_HOUR, MOST_REACH = 1_000, 10_000, 100


def mode_limits(modes: Collection[UUID]) -> dict[UUID, Limits]:
    """Return the limits of each of these modes."""
    if not modes:
        return {}
    query = (
        select(AnticheatLimits)
        .where(AnticheatLimits.mode_id.in_(modes))
        .execution_options(populate_existing=True)
    )
    declared = {
        row.mode_id: Limits(row.per_minute, row.per_hour, row.reach)
        for row in db.session.scalars(query)
    }
    return {mode: declared.get(mode, PROMISED) for mode in modes}


def fault(limits: Limits) -> Refusal | None:
    """Return why these limits are impossible; None if they are fine."""
    if not 1 <= limits.per_minute <= MOST_PER_MINUTE:
        return Refusal(
            "per_minute", "per_minute", f"Allow 1 to {MOST_PER_MINUTE:,} scores per minute."
        )
    if not limits.per_minute <= limits.per_hour <= MOST_PER_HOUR:
        text = (
            "Allow at least as many per hour as per minute, and at most "
            f"{MOST_PER_HOUR:,} per hour."
        )
        return Refusal("per_hour", "per_hour", text)
    if not 1 <= limits.reach <= MOST_REACH:
        text = (
            f"Enter a number from 1 to {MOST_REACH}: a multiple of the gap between the median "
            "and the top 5%."
        )
        return Refusal("reach", "reach", text)
    return None


def put_limits(
    mode_id: UUID, limits: Limits | None, *, by: int, now: datetime
) -> tuple[Limits, Limits]:
    """Set the limits from the next batch of scores on; None restores Pressbox's.

    Returns the limits before and after. The caller has checked them with `fault` and commits.
    """
    before = mode_limits([mode_id])[mode_id]
    if limits is None:
        db.session.execute(delete(AnticheatLimits).where(AnticheatLimits.mode_id == mode_id))
    else:
        values = {
            "per_minute": limits.per_minute,
            "per_hour": limits.per_hour,
            "reach": limits.reach,
        }
        upsert(
            AnticheatLimits,
            ("mode_id",),
            [{"mode_id": mode_id, **values, "set_by": by, "set_at": now}],
        )
    return before, limits or PROMISED

"""The anti-cheat limits of modes: their own, or those that Pressbox promises to every mode.

Nothing of them is kept in a process: whoever judges a batch reads them with the modes that it
holds, so that new ones hold for the next score everywhere. Not here: what they would have held
(app/moderation/limits.py).
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
    """By mode, every one asked for."""
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
    """Why these cannot be; None when they can."""
    if not 1 <= limits.per_minute <= MOST_PER_MINUTE:
        return Refusal(
            "per_minute", "per_minute", f"Allow 1 to {MOST_PER_MINUTE} scores of a player a minute."
        )
    if not limits.per_minute <= limits.per_hour <= MOST_PER_HOUR:
        text = f"Allow at least as many an hour as a minute, and at most {MOST_PER_HOUR}."
        return Refusal("per_hour", "per_hour", text)
    if not 1 <= limits.reach <= MOST_REACH:
        text = (
            f"The fence reaches 1 to {MOST_REACH} times the way from the median to the 95 % mark."
        )
        return Refusal("reach", "reach", text)
    return None


def put_limits(
    mode_id: UUID, limits: Limits | None, *, by: int, now: datetime
) -> tuple[Limits, Limits]:
    """Sets them from the next batch of scores on, None for Pressbox's.

    Gives those before and after. `fault` has found none. Does not commit.
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

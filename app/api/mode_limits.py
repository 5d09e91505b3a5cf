"""A mode's anti-cheat limits when it is created or changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.audit import log as audit
from app.audit.acts import Act
from app.boards.models import Mode
from app.core import clock
from app.core.http.problems import Fault, ProblemError
from app.scores.anticheat.mode_limits import (
    MOST_PER_HOUR,
    MOST_PER_MINUTE,
    MOST_REACH,
    fault,
    put_limits,
)
from app.scores.anticheat.submission import Limits

PerMinute = Annotated[
    int, Meta(ge=1, le=MOST_PER_MINUTE, description="The number of scores per player and minute.")
]
PerHour = Annotated[
    int,
    Meta(
        ge=1,
        le=MOST_PER_HOUR,
        description="The number of scores per player and hour. At least `per_minute`.",
    ),
]
Reach = Annotated[
    int,
    Meta(
        ge=1,
        le=MOST_REACH,
        description="How far above the median a score is held for review, as a multiple of "
        "the distance from the median to the 95th percentile.",
    ),
]


class LimitsWanted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mode's three anti-cheat limits. Scores above them are held for review."""

    per_minute: PerMinute
    per_hour: PerHour
    reach: Reach


GivenLimits = Annotated[
    LimitsWanted | None,
    Meta(
        description=(
            "The mode's limits. Null means Pressbox's defaults: 60 per minute and 1,200 per hour."
        )
    ),
]
ChangedLimits = Annotated[
    LimitsWanted | UnsetType | None,
    Meta(description="The limits for scores from now on. Null restores Pressbox's defaults."),
]


def at_creation(requested: LimitsWanted | None, *, by: int) -> Callable[[Mode], None]:
    """A function that stores the limits with a new mode; None means Pressbox's own.

    Raises ProblemError 400.
    """
    limits = _limits(requested)

    def write(mode: Mode) -> None:
        if limits is not None:
            put_limits(mode.id, limits, by=by, now=clock.now())
            audit.record(
                Act.LIMITS_SET, actor_id=by, subject=f"mode:{mode.id}", details=asdict(limits)
            )

    return write


def at_change(
    requested: LimitsWanted | UnsetType | None, *, by: int
) -> Callable[[Mode], dict[str, Any]]:
    """A function that stores changed limits, and returns the limits before and after.

    None restores Pressbox's own limits. Raises ProblemError 400.
    """
    limits = None if requested is UNSET else _limits(requested)

    def write(mode: Mode) -> dict[str, Any]:
        if requested is UNSET:
            return {}
        before, after = put_limits(mode.id, limits, by=by, now=clock.now())
        return {} if before == after else {"limits": [asdict(before), asdict(after)]}

    return write


def _limits(requested: LimitsWanted | None) -> Limits | None:
    if requested is None:
        return None
    limits = Limits(requested.per_minute, requested.per_hour, requested.reach)
    if (why := fault(limits)) is not None:
        name = f"limits.{why.field}"
        raise ProblemError(400, why.text, [Fault("body", name, "refused", f"{name}: {why.text}")])
    return limits

"""Plans and footballers for the tests of drafts' rules."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from app.draft_leagues.drafts.plan import DraftPlan
from app.draft_leagues.drafts.ranked import Draftable, Pool
from app.draft_leagues.settings import StarterCount

START = datetime(2026, 9, 1, 17, tzinfo=UTC)
STARTERS = (
    StarterCount("QB", 1),
    StarterCount("RB", 1),
    StarterCount("WR", 1),
    StarterCount("K", 1),
)


def seconds(number: float) -> timedelta:
    return timedelta(seconds=number)


def make_plan(**changes: Any) -> DraftPlan:
    """Three franchises and five rounds with a clock of 60 seconds, unless changed."""
    values: dict[str, Any] = {
        "kind": "snake",
        "scoring": "half_ppr_idp",
        "time_zone": "America/New_York",
        "order": (1, 2, 3),
        "rounds": 5,
        "places": 5,
        "starters": STARTERS,
        "seconds_per_pick": 60,
        "seed": "a",
    }
    return DraftPlan(**(values | changes))


def make_pool(each: int = 12) -> Pool:
    """As many footballers of each position, the first of each the best: `QB1`, `RB1`, ...

    Their value is counted from the third of the position.
    """
    best = {"QB": 380, "RB": 300, "WR": 290, "K": 140}
    steps = {"QB": 4, "RB": 12, "WR": 10, "K": 1}
    footballers = [
        Draftable(
            id=f"{position}{number}",
            name=f"{position} {number}",
            position=position,
            club="HAR",
            points=(points - steps[position] * number) * 1000,
            value=steps[position] * (3 - number) * 1000,
            rank=0,
        )
        for position, points in best.items()
        for number in range(1, each + 1)
    ]
    return Pool(sorted(footballers, key=lambda footballer: (-footballer.value, footballer.id)))

"""Names for the league's stat ids, and a play with its official credits.

The effect of each credit on the ball is in chain.py, kicks.py and scrimmage.py. Source: the
league's list of stat ids as documented by nflfastR.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from app.record.play_by_play.playstats import StatRow

FIRST_DOWN_BY_PENALTY = 5
PASS_TOUCHDOWN, INTERCEPTED, RECEPTION = 16, 19, 21
FUMBLED_OUT_OF_BOUNDS, OWN_RECOVERY = 54, 55
TIMEOUT, PENALTY = 68, 93
FIELD_GOAL_BLOCKED, EXTRA_POINT_BLOCKED = 71, 74
TWO_POINT_RUN_GOOD = 75
SAFETY = 89

# In a pair, the second id is the first one with a touchdown.
RUSH, LATERAL_RUSH = (10, 11), (12, 13)
PASSES = (14, 15, 16, 19)
CATCH, LATERAL_CATCH = (21, 22), (23, 24)
INTERCEPTION, LATERAL_INTERCEPTION = (25, 26), (27, 28)
RETURNS, LATERAL_RETURNS = (33, 34, 45, 46), (35, 36, 47, 48)
FORCED_FUMBLE = 52
FUMBLES = (FORCED_FUMBLE, 53, FUMBLED_OUT_OF_BOUNDS)
RECOVERIES, LATERAL_RECOVERIES = (55, 56, 59, 60), (57, 58, 61, 62)
MISCELLANEOUS, OWN_KICKOFF = (63, 64), (107, 108)
PUNT_RETURNS, KICK_RETURNS = (33, 34, 35, 36), (45, 46, 47, 48)
PUNTS = frozenset((2, 29, 30, 31, 32, *PUNT_RETURNS, 37, 38, 39, 40, 86))
KICKOFFS = frozenset((41, 42, 43, 44, *KICK_RETURNS, 49, 50, 51, 102, *OWN_KICKOFF, 410))
FIELD_GOALS, EXTRA_POINTS = frozenset((69, 70, 71)), frozenset((72, 73, 74, 301))
TACKLE_FOR_LOSS_YARDS = 402
BLOCKED = frozenset((2, 71, 74, 86, 87, 88))
TRIES = EXTRA_POINTS | {75, 76, 77, 78, 96, 99, 100, 104, 105, 403, 404, 405, 406, 420}
# first downs, time-outs and fouls, which are neither movements nor credits here
ASIDE = frozenset((3, 4, 5, 6, 7, 8, 9, 68, 93, 95))
_SCORING = frozenset((11, 13, 16, 22, 24, 26, 28, 34, 36, 46, 48, 56, 58, 60, 62, 64, 108))


def scores(row: StatRow | None) -> bool:
    """Whether the credit is for a movement with a touchdown."""
    return row is not None and row.stat in _SCORING


# Where a kickoff came down first, if the file says so (NFL since 2024).
Landed = Literal["end_zone", "landing_zone", "short"]


@dataclass(frozen=True, slots=True)
class Play:
    """A play with its official credits.

    `possession`: the club with the ball at the snap, at `spot`; the kickers on a kickoff.
    """

    possession: str
    other: str
    spot: int
    rows: tuple[StatRow, ...]
    is_spike: bool = False
    is_scramble: bool = False
    is_kneel: bool = False
    is_free_kick: bool = False
    is_try: bool = False
    try_distance: int | None = None
    safety_team: str | None = None
    landed: Landed | None = None

    def all(self, *ids: int) -> list[StatRow]:
        """The credits with these ids, in official order."""
        return [row for row in self.rows if row.stat in ids]

    def first(self, *ids: int) -> StatRow | None:
        """The first credit with one of these ids."""
        return next((row for row in self.rows if row.stat in ids), None)

    def has(self, ids: Collection[int]) -> bool:
        """Whether the play has a credit with one of these ids."""
        return any(row.stat in ids for row in self.rows)

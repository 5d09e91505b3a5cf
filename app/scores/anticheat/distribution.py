"""Layer: a score far better than anything the mode's players reach.

A few wild scores in the cohort have no effect on it.

The fence is the median + the mode's reach (6 by default) times the distance from the median to the
95th percentile. For a normal cohort a reach of 6 is 9.9 standard deviations, for a long-tailed one
(lognormal, sigma 0.5) about 4. Example: median 100, 95th percentile 220: flagged above 100 + 6 *
120 = 820. A cohort of fewer than SMALLEST scores has no fence. Scores far worse help nobody and
pass. If the lowest score is best, all of this applies to negated scores (`Submission.height`), so
above is better there too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from app.scores.anticheat.submission import FLAGGED, PROMISED, Submission, Verdict

SMALLEST = 200

Counts = Mapping[int, int]


@dataclass(frozen=True)
class Cohort:
    """Statistics of a mode's clean scores: how many, the median and the 95th percentile."""

    size: int
    median: int
    high: int

    @property
    def fence(self) -> int | None:
        """The greatest height that is not suspicious; None if the cohort is too small."""
        return self.fence_of(PROMISED.reach)

    def fence_of(self, reach: int) -> int | None:
        """Return `fence` for a mode with a reach of its own."""
        if self.size < SMALLEST or self.high <= self.median:
            return None
        return self.median + reach * (self.high - self.median)


def cohort_of(counts: Counts) -> Cohort:
    """Compute the cohort's figures from scores and how often each occurs.

    Quantiles are scores that occur: the smallest one that reaches the share.
    """
    size = sum(counts.values())
    return Cohort(size, quantile(counts, 0.5), quantile(counts, 0.95)) if size else Cohort(0, 0, 0)


def quantile(counts: Counts, share: float) -> int:
    """Return the value at this share of the counts."""
    enough = math.ceil(share * sum(counts.values()))
    below = 0
    for score in sorted(counts):
        below += counts[score]
        if below >= enough:
            return score
    raise ValueError("no scores")


class Distribution:
    """Flags scores beyond the fence of the mode's distribution."""

    name = "distribution"

    def __init__(self, cohort: Callable[[UUID], Cohort]) -> None:
        self._cohort = cohort

    def judge(self, batch: Sequence[Submission], _now: int) -> list[Verdict]:
        """Flag `outlier`."""
        cohorts = {
            mode: self._cohort(mode) for mode in {submission.mode_id for submission in batch}
        }
        return [
            self._one(submission, cohorts[submission.mode_id].fence_of(submission.limits.reach))
            for submission in batch
        ]

    def _one(self, submission: Submission, fence: int | None) -> Verdict:
        return (
            Verdict(FLAGGED, ("outlier",))
            if fence is not None and submission.height > fence
            else Verdict()
        )

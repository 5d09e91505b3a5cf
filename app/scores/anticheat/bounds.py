"""Layer: the bounds of a game's scores, set by its mode and by the attempt's cap."""

from __future__ import annotations

from collections.abc import Sequence

from app.scores.anticheat.submission import REJECTED, Submission, Verdict


class Bounds:
    """Rejects scores outside the bounds of the mode or the attempt."""

    name = "bounds"

    def judge(self, batch: Sequence[Submission], _now: int) -> list[Verdict]:
        """Reject `out_of_bounds` and `above_cap`; the bounds themselves are allowed."""
        return [self._one(submission) for submission in batch]

    def _one(self, submission: Submission) -> Verdict:
        reasons = []
        if not submission.min_score <= submission.score <= submission.max_score:
            reasons.append("out_of_bounds")
        if submission.cap is not None and submission.order.is_better(
            submission.score, submission.cap
        ):
            reasons.append("above_cap")
        return Verdict(REJECTED, tuple(reasons)) if reasons else Verdict()

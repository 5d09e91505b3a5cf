"""Layer: a score that is unusual in several ways at once, judged by a trained forest.

A job runs it after the score is on the boards, never before. Modes without a model are not judged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from uuid import UUID

from app.scores.anticheat import features
from app.scores.anticheat.distribution import Cohort
from app.scores.anticheat.features import Past
from app.scores.anticheat.forest import Forest
from app.scores.anticheat.submission import FLAGGED, Submission, Verdict

Histories = Callable[[Sequence[Submission]], Sequence[Sequence[Past]]]


class Anomaly:
    """Flags scores that a trained forest isolates."""

    name = "anomaly"

    def __init__(
        self,
        forest: Callable[[UUID], Forest | None],
        cohort: Callable[[UUID], Cohort],
        histories: Histories,
    ) -> None:
        self._forest = forest
        self._cohort = cohort
        self._histories = histories

    def judge(self, batch: Sequence[Submission], _now: int) -> list[Verdict]:
        """Flag `anomaly`."""
        forests = {
            mode: self._forest(mode) for mode in {submission.mode_id for submission in batch}
        }
        histories = self._histories(batch) if any(forests.values()) else [()] * len(batch)
        return [
            self._one(submission, forests[submission.mode_id], past)
            for submission, past in zip(batch, histories, strict=True)
        ]

    def _one(self, submission: Submission, forest: Forest | None, past: Sequence[Past]) -> Verdict:
        if forest is None:
            return Verdict()
        values = features.vector(
            Past(submission.achieved_at, submission.height), past, self._cohort(submission.mode_id)
        )
        return (
            Verdict(FLAGGED, ("anomaly",))
            if forest.anomaly(values) > forest.threshold
            else Verdict()
        )

"""Layer: the attempt itself.

The token was checked at the door (app/scores/submission/attempts.py); a message has none.

Checked again here: that the event is the one of its player and attempt, comes once, and is of a
time that a token could have been good for. So a message written to the topic past the door does not
get through with any id it likes.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.scores.anticheat.submission import REJECTED, Submission, Verdict
from app.scores.events import event_id

SECOND = 1_000_000
AHEAD = 300 * SECOND  # clocks of two servers differ by no more


class Nonce:
    """Rejects events that are not the attempt's own, repeated or from the future."""

    name = "nonce"

    def judge(self, batch: Sequence[Submission], now: int) -> list[Verdict]:
        """Rejects `foreign_event`, `from_the_future` and `nonce_reused` (another score before)."""
        first: dict[object, Submission] = {}
        verdicts = []
        for submission in batch:
            reasons = []
            if submission.event_id != event_id(submission.player_id, submission.attempt_id):
                reasons.append("foreign_event")
            if submission.achieved_at > now + AHEAD:
                reasons.append("from_the_future")
            if first.setdefault(submission.event_id, submission) != submission:
                reasons.append("nonce_reused")
            verdicts.append(Verdict(REJECTED, tuple(reasons)) if reasons else Verdict())
        return verdicts

"""Layer: the identity of the attempt.

The API has checked the token (app/scores/submission/attempts.py); a message carries none. This
checks again that the event id belongs to its player and attempt, comes once, and has a time for
which a token could have been valid. So messages written to the topic past the API cannot use any id
they like.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.scores.anticheat.submission import REJECTED, Submission, Verdict
from app.scores.events import event_id

SECOND = 1_000_000
AHEAD = 300 * SECOND  # the greatest difference between two servers' clocks


class Nonce:
    """Rejects events that are not the attempt's own, repeated or from the future."""

    name = "nonce"

    def judge(self, batch: Sequence[Submission], now: int) -> list[Verdict]:
        """Reject `foreign_event`, `from_the_future` and `nonce_reused` (another score)."""
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

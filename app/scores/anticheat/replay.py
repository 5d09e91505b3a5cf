"""Layer: the recorded game. A game server that sends a replay's SHA-256 uploads the replay too.

Runs after the score is on the boards, because an upload may come later than the score and a blob
store may be slow. stores.py says where replays are kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from app.scores.anticheat.submission import FLAGGED, REJECTED, Submission, Verdict

GRACE = 900 * 1_000_000  # microseconds


class Replay:
    """Checks that an announced replay was uploaded and matches its hash."""

    name = "replay"

    def __init__(self, fetch: Callable[[Submission], bytes | None]) -> None:
        self._fetch = fetch
        self.settled: set[object] = set()

    def judge(self, batch: Sequence[Submission], now: int) -> list[Verdict]:
        """Reject `replay_differs`; flag `replay_missing` once GRACE is over.

        Scores without a hash pass. `settled` collects the events that need no further check.
        """
        return [self._one(submission, now) for submission in batch]

    def _one(self, submission: Submission, now: int) -> Verdict:
        if submission.replay_hash is None:
            return Verdict()
        replay = self._fetch(submission)
        if replay is None and now - submission.achieved_at <= GRACE:
            return Verdict()
        self.settled.add(submission.event_id)
        if replay is None:
            return Verdict(FLAGGED, ("replay_missing",))
        same = hashlib.sha256(replay).hexdigest() == submission.replay_hash
        return Verdict() if same else Verdict(REJECTED, ("replay_differs",))

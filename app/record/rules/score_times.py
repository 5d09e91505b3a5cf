"""The time of a score: what the game clock showed when the points were made, as a scoring summary
has it. Pure.

Called by the box score and its exports. Not here: which plays score (state.py, whose clock is that
of the snap).
"""

from __future__ import annotations

from collections.abc import Iterable

from app.record import events as ev
from app.record.rules.order import in_order
from app.record.rules.stat_lines import Numbered
from app.record.rules.state import ScoringPlay

_TRIES = ("extra_point", "two_point", "defensive_two_point")
_LAST_QUARTER = 4


def score_times(events: Iterable[Numbered], scores: Iterable[ScoringPlay]) -> dict[int, int | None]:
    """Seconds left in the period when each score was made, by its event number.

    None: not known (yet).

    The clock stops at a score, and a try takes no time: so it is the clock of the next event of the
    period that has one, the try's or the kickoff's snap. A score after which the quarter was over
    was made at 0:00; one that ended an overtime period has no clock but that of its snap, which is
    not its time.

    Worked example: snap at 14:30, touchdown, the try's snap at 14:20: touchdown and try were made
    at 14:20.
    """
    ordered = in_order(events)
    place = {number: index for index, (number, _, _) in enumerate(ordered)}
    found: dict[int, int | None] = {}
    for score in scores:
        if score.kind in _TRIES:
            found[score.event_number] = score.clock
            continue
        after = (body for _, _, body in ordered[place[score.event_number] + 1 :])
        found[score.event_number] = _next_clock(after, score)
    return found


def _next_clock(after: Iterable[ev.Body], score: ScoringPlay) -> int | None:
    for body in after:
        match body:
            case ev.Snap() | ev.Scoreboard() if body.period == score.period:
                return body.clock if body.clock <= score.clock else None
            case ev.Snap() | ev.Scoreboard() | ev.Period() | ev.GameEnded() | ev.Final():
                return 0 if score.period <= _LAST_QUARTER else None
    return None

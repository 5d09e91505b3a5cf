"""How and when points were made: touchdowns, safeties, tries, and the clock of each score. Pure.

Which plays score is in state.py, the sentences of the scoring summary are in
pages/scoring_summary.py. Sources: the NFL's Guide for Statisticians and the NCAA's Football
Statisticians' Manual.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from app.record import events as ev
from app.record.rules.order import in_order
from app.record.rules.stat_lines import Numbered, Play, touchdown_of
from app.record.rules.state import ScoringPlay

Way = Literal["pass", "run", "interception", "fumble", "kickoff", "punt", "field_goal", "blocked"]


@dataclass(frozen=True, slots=True)
class TouchdownWay:
    """How a touchdown was made.

    `yards`: of the whole pass, run or return, laterals included; None if the ball was secured in
    the end zone. `kick`: the kind of the kick that was returned or blocked.
    """

    method: Way
    yards: int | None
    kick: str = ""


def touchdown_way(play: Play) -> TouchdownWay | None:
    """How the touchdown of a play was made; None without one.

    A pass and a run are measured from the line of scrimmage, a return from where its club got the
    ball: more than 100 yards from its own end zone.
    """
    scored = touchdown_of(play)
    method: Way = "run"
    start: int | None = None  # from the scoring club's goal line
    kick = ""
    has_fumble = False
    for number, body in play:
        match body:
            case ev.Pass(result="complete"):
                method, start = "pass", body.throw_yard
            case ev.Interception():
                method, start = "interception", None
            case ev.Kick() if body.result != "aborted":
                method, start, kick = _way_of_kick(body), None, body.kind
            case ev.Fumble():
                has_fumble = True
            case ev.Recovery():
                method, start = "fumble" if has_fumble or not kick else method, None
            case ev.Run() if body.is_rush and start is None:
                method, start = "run", body.start_yard
            case ev.Run() if start is None:
                start = body.start_yard
        if number == scored:
            return TouchdownWay(method, None if start is None else 100 - start, kick)
    return None


def _way_of_kick(kick: ev.Kick) -> Way:
    if kick.result == "blocked":
        return "blocked"
    match kick.kind:
        case "punt":
            return "punt"
        case "field_goal" | "extra_point":
            return "field_goal"
    return "kickoff"


@dataclass(frozen=True, slots=True)
class SafetyWay:
    """How a safety was made; `kind` is "" if the play does not say.

    `foul`: of a penalty; `player`: who was tackled.
    """

    kind: Literal["sack", "tackle", "penalty", "fumble", "blocked", ""]
    player: str | None = None
    foul: str = ""


def safety_way(play: Play) -> SafetyWay:
    """How the ball, or the foul, came to be in the end zone of the club that was scored on."""
    details = SafetyWay("")
    for _, body in play:
        match body:
            case ev.Sack():
                details = SafetyWay("sack", body.player)
            case ev.Run():
                details = SafetyWay("tackle", body.player)
            case ev.Pass(result="complete"):
                details = SafetyWay("tackle", body.receiver)
            case ev.Fumble():
                details = SafetyWay("fumble", body.player)
            case ev.Kick(result="blocked"):
                details = SafetyWay("blocked", foul=body.kind)
            case ev.Penalty(status="accepted", outcome=outcome) if outcome != "decline":
                details = SafetyWay("penalty", body.player, body.foul)
    return details


def try_after(plays: Sequence[Play], touchdown: int) -> ev.Kick | ev.Conversion | None:
    """What ended the try after the touchdown of `plays[touchdown]`; None without a try.

    A try that is repeated after a foul counts as it was tried last.
    """
    result: ev.Kick | ev.Conversion | None = None
    for play in plays[touchdown + 1 :]:
        snap = next((body for _, body in play if isinstance(body, ev.Snap)), None)
        if snap is not None and snap.situation != "try":
            break
        if snap is None:
            continue
        tried: ev.Kick | ev.Conversion | None = None
        for _, body in play:
            if (isinstance(body, ev.Conversion) and body.side == "offence") or (
                isinstance(body, ev.Kick) and body.kind == "extra_point" and tried is None
            ):
                tried = body
        result = tried or result
    return result


_TRIES = ("extra_point", "two_point", "defensive_two_point")
_LAST_QUARTER = 4


def score_times(events: Iterable[Numbered], scores: Iterable[ScoringPlay]) -> dict[int, int | None]:
    """Seconds left in the period when each score was made, by event number; None if unknown.

    The clock stops at a score, and a try takes no time, so it is the clock of the next event of the
    period that has one: the snap of the try or of the kickoff. A score after which the quarter was
    over was made at 0:00; one that ended an overtime period has only the clock of its snap, which
    is not its time.

    Worked example: snap at 14:30, touchdown, the try's snap at 14:20: touchdown and try were made
    at 14:20.
    """
    ordered = in_order(events)
    place = {number: index for index, (number, _, _) in enumerate(ordered)}
    clocks: dict[int, int | None] = {}
    for score in scores:
        if score.kind in _TRIES:
            clocks[score.event_number] = score.clock
            continue
        after = (body for _, _, body in ordered[place[score.event_number] + 1 :])
        clocks[score.event_number] = _next_clock(after, score)
    return clocks


def _next_clock(after: Iterable[ev.Body], score: ScoringPlay) -> int | None:
    for body in after:
        match body:
            case ev.Snap() | ev.Scoreboard() if body.period == score.period:
                return body.clock if body.clock <= score.clock else None
            case ev.Snap() | ev.Scoreboard() | ev.Period() | ev.GameEnded() | ev.Final():
                return 0 if score.period <= _LAST_QUARTER else None
    return None

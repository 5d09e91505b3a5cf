"""What a club does next: which play, how fast, and when it stops the clock.

The choices follow from down, distance, score and clock. How the play goes is in plays.py.
"""

from __future__ import annotations

from typing import Literal

from app.demo.clubs import skill
from app.demo.field import GOAL_LINE, LAST_DOWN, LAST_QUARTER, SECOND_QUARTER, Field

Call = Literal["rush", "dropback", "kneel", "spike", "punt", "field_goal"]

_SECOND_DOWN = 2
_MIDFIELD = 50
_FIELD_GOAL_POINTS = 3
_ONE_SCORE = 8  # a touchdown with two extra points
_TWO_SCORES = 16
# After which spots a club plays for a field goal, goes for it on fourth down, or tightens up.
_FIELD_GOAL_REACH = 61
_FIELD_GOAL_DRIVE = 35
_NO_HURRY = 45
_GO_WITH_SHORT_YARDAGE = 40
_GO_INSTEAD_OF_PUNTING = 58
_GOAL_TO_GO_LINE = 97
# Yards to go.
_SHORT, _GO_DISTANCE, _MEDIUM, _LONG = 2, 5, 5, 8
_SHORT_ON_SECOND_DOWN = 3
# Seconds on the clock at which a club acts.
_KNEEL_SECONDS = 42  # that each kneel takes off the clock
_LAST_KICK = 8
_END_OF_HALF = 20
_SPIKE = 40
_SAVE_TIME = 70
_SAVE_TIME_ON_DEFENCE = 150
_SURE_ONSIDE = 110
_ONSIDE = 180
_NO_MORE_PUNTS = 240
_LEADS_THAT_WANT_TWO = (-10, -5, -2, 1, 5, 12)


def choose(field: Field) -> Call:
    """Choose the play for the next snap from scrimmage."""
    if _can_kneel_it_out(field):
        return "kneel"
    if _last_chance_to_kick(field):
        return "field_goal"
    if field.series.down == LAST_DOWN:
        return _fourth_down(field)
    if _wants_to_spike(field):
        return "spike"
    return "dropback" if field.chance(_pass_share(field)) else "rush"


def _can_kneel_it_out(field: Field) -> bool:
    kneels = LAST_DOWN - field.series.down - field.timeouts[field.other(field.possession)]
    if field.period == LAST_QUARTER and field.margin > 0:
        return field.clock <= _KNEEL_SECONDS * max(0, kneels) + 3
    return field.period == SECOND_QUARTER and field.clock <= _END_OF_HALF and field.spot < _NO_HURRY


def _last_chance_to_kick(field: Field) -> bool:
    """Seconds before the half or the game ends, a field goal is worth trying on any down."""
    if field.spot < _FIELD_GOAL_REACH or field.clock > _LAST_KICK:
        return False
    if field.period == SECOND_QUARTER:
        return True
    return field.period >= LAST_QUARTER and -_FIELD_GOAL_POINTS <= field.margin <= 0


def _wants_to_spike(field: Field) -> bool:
    is_in_a_hurry = (
        field.half_is_ending
        and field.clock <= _SPIKE
        and (field.period == SECOND_QUARTER or field.margin <= 0)
    )
    return (
        is_in_a_hurry
        and field.running
        and field.series.down <= _SECOND_DOWN
        and field.spot >= _MIDFIELD
        and field.chance(0.5)
    )


def _fourth_down(field: Field) -> Call:
    series, boldness = field.series, field.offence.style.boldness
    go: Call = "rush" if series.distance <= 1 and field.chance(0.6) else "dropback"
    length = GOAL_LINE - field.spot + 17
    reach = 53 + round(2 * skill(field.offence.first("K") or ""))
    if field.period >= LAST_QUARTER and field.margin < 0 and field.clock < _NO_MORE_PUNTS:
        kick_helps = field.margin >= -_FIELD_GOAL_POINTS and length <= reach + 5
        return "field_goal" if kick_helps else go
    if (
        series.distance <= _SHORT
        and field.spot >= _GO_WITH_SHORT_YARDAGE
        and field.chance(boldness)
    ):
        return go
    if length <= reach:
        return "field_goal"
    if (
        field.spot >= _GO_INSTEAD_OF_PUNTING
        and series.distance <= _GO_DISTANCE
        and field.chance(0.25 + boldness)
    ):
        return go
    return "punt"


def _pass_share(field: Field) -> float:
    share = _share_by_down(field)
    if field.spot >= _GOAL_TO_GO_LINE:
        share -= 0.12
    if field.late and field.margin < 0:
        return max(share, 0.85)
    if field.late and field.margin > 0:
        return share - 0.3
    if field.half_is_ending:
        return max(share, 0.75)
    return share - max(-0.1, min(0.1, field.margin / 140))


def _share_by_down(field: Field) -> float:
    down, distance = field.series.down, field.series.distance
    share = field.offence.style.pass_share
    if down == 1:
        return share - 0.06
    if down == _SECOND_DOWN:
        if distance >= _LONG:
            return share + 0.1
        return share - 0.1 if distance <= _SHORT_ON_SECOND_DOWN else share
    if distance >= _MEDIUM:
        return 0.9
    return 0.65 if distance >= _SHORT else 0.3


def seconds_to_next_snap(field: Field) -> int:
    """Return the seconds that a running clock loses before the next snap."""
    if field.late and field.margin > 0:
        return field.rng.randint(37, 40)
    if (field.late and field.margin < 0) or field.half_is_ending:
        return field.rng.randint(11, 18)
    return max(14, min(42, round(field.rng.gauss(35.5 - field.offence.style.haste, 4))))


def timeout_by(field: Field) -> str | None:
    """Return the club that stops the running clock now, or None."""
    club, rival = field.possession, field.other(field.possession)
    if field.late and field.margin != 0:
        behind = rival if field.margin > 0 else club
        limit = _SAVE_TIME_ON_DEFENCE if behind == rival else _SAVE_TIME
        if field.clock <= limit and field.timeouts[behind] and abs(field.margin) <= _TWO_SCORES:
            return behind
        return None
    if (
        field.half_is_ending
        and field.clock <= _SAVE_TIME
        and field.spot >= _FIELD_GOAL_DRIVE
        and field.timeouts[club]
    ):
        return club
    return club if field.timeouts[club] and field.chance(0.012) else None


def wants_two(field: Field, club: str) -> bool:
    """Whether `club`, which has just scored a touchdown, tries for two points."""
    margin = field.tape.score(club) - field.tape.score(field.other(club))
    if field.period >= LAST_QUARTER and margin in _LEADS_THAT_WANT_TWO:
        return field.chance(0.85)
    return field.chance(0.05)


def wants_onside(field: Field, club: str) -> bool:
    """Whether `club`, which kicks off, is so far behind that it tries to recover the kick."""
    margin = field.tape.score(club) - field.tape.score(field.other(club))
    return (
        field.period == LAST_QUARTER
        and field.clock <= _ONSIDE
        and -_TWO_SCORES <= margin < 0
        and (field.clock <= _SURE_ONSIDE or margin < -_ONE_SCORE)
    )

"""What a club does next: which play, how fast, and when it stops the clock.

Lives here: choices from down, distance, score and clock. Not here: how the play goes (plays.py).
"""

from __future__ import annotations

from typing import Literal

from app.demo.clubs import skill
from app.demo.field import Field

Call = Literal["rush", "dropback", "kneel", "spike", "punt", "field_goal"]


def choose(field: Field) -> Call:
    """The play for the next snap from scrimmage."""
    if _can_kneel_it_out(field):
        return "kneel"
    if _last_chance_to_kick(field):
        return "field_goal"
    if field.series.down == 4:
        return _fourth_down(field)
    if _wants_to_spike(field):
        return "spike"
    return "dropback" if field.chance(_pass_share(field)) else "rush"


def _can_kneel_it_out(field: Field) -> bool:
    downs_that_burn = 4 - field.series.down - field.timeouts[field.other(field.possession)]
    if field.period == 4 and field.margin > 0:
        return field.clock <= 42 * max(0, downs_that_burn) + 3
    return field.period == 2 and field.clock <= 20 and field.spot < 45


def _last_chance_to_kick(field: Field) -> bool:
    """Seconds before the half or the game ends, a field goal is worth trying on any down."""
    in_reach = field.spot >= 61
    if field.period == 2:
        return in_reach and field.clock <= 8
    return field.period >= 4 and in_reach and -3 <= field.margin <= 0 and field.clock <= 8


def _wants_to_spike(field: Field) -> bool:
    hurried = (
        field.half_is_ending and field.clock <= 40 and (field.period == 2 or field.margin <= 0)
    )
    return (
        hurried
        and field.running
        and field.series.down <= 2
        and field.spot >= 50
        and field.chance(0.5)
    )


def _fourth_down(field: Field) -> Call:
    series, boldness = field.series, field.offence.style.boldness
    go: Call = "rush" if series.distance <= 1 and field.chance(0.6) else "dropback"
    length = 100 - field.spot + 17
    reach = 53 + round(2 * skill(field.offence.first("K") or ""))
    if field.period >= 4 and field.margin < 0 and field.clock < 240:
        return "field_goal" if field.margin >= -3 and length <= reach + 5 else go
    if series.distance <= 2 and field.spot >= 40 and field.chance(boldness):
        return go
    if length <= reach:
        return "field_goal"
    if field.spot >= 58 and series.distance <= 5 and field.chance(0.25 + boldness):
        return go
    return "punt"


def _pass_share(field: Field) -> float:
    down, distance = field.series.down, field.series.distance
    share = field.offence.style.pass_share
    if down == 1:
        share -= 0.06
    elif down == 2:
        share += 0.1 if distance >= 8 else -0.1 if distance <= 3 else 0.0
    else:
        share = 0.9 if distance >= 5 else 0.65 if distance >= 2 else 0.3
    if field.spot >= 97:
        share -= 0.12
    if field.late and field.margin < 0:
        return max(share, 0.85)
    if field.late and field.margin > 0:
        return share - 0.3
    if field.half_is_ending:
        return max(share, 0.75)
    return share - max(-0.1, min(0.1, field.margin / 140))


def seconds_to_next_snap(field: Field) -> int:
    """With the clock running: how much of it goes by before the next snap."""
    if field.late and field.margin > 0:
        return field.rng.randint(37, 40)
    if (field.late and field.margin < 0) or field.half_is_ending:
        return field.rng.randint(11, 18)
    return max(14, min(42, round(field.rng.gauss(35.5 - field.offence.style.haste, 4))))


def timeout_by(field: Field) -> str | None:
    """The club that stops the running clock now, if one does."""
    club, rival = field.possession, field.other(field.possession)
    if field.late and field.margin != 0:
        behind = rival if field.margin > 0 else club
        limit = 150 if behind == rival else 70
        if field.clock <= limit and field.timeouts[behind] and abs(field.margin) <= 16:
            return behind
        return None
    if field.half_is_ending and field.clock <= 70 and field.spot >= 35 and field.timeouts[club]:
        return club
    return club if field.timeouts[club] and field.chance(0.012) else None


def wants_two(field: Field, club: str) -> bool:
    """Whether `club`, which has just scored a touchdown, tries for two points."""
    margin = field.tape.score(club) - field.tape.score(field.other(club))
    if field.period >= 4 and margin in (-10, -5, -2, 1, 5, 12):
        return field.chance(0.85)
    return field.chance(0.05)


def wants_onside(field: Field, club: str) -> bool:
    margin = field.tape.score(club) - field.tape.score(field.other(club))
    return (
        field.period == 4
        and field.clock <= 180
        and -16 <= margin < 0
        and (field.clock <= 110 or margin < -8)
    )

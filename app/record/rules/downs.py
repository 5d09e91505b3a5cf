"""First downs and how they were made, and a club's third and fourth downs. Pure.

Used by the box score and its exports. Drives are in drives.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.record import events as ev
from app.record.rules.drives import Snapped, ends


@dataclass(frozen=True, slots=True)
class Downs:
    """First downs of a club, and its third and fourth downs: tried and made."""

    first_downs: int = 0
    third_tried: int = 0
    third_made: int = 0
    fourth_tried: int = 0
    fourth_made: int = 0


def downs(plays: Sequence[Snapped], club: str) -> Downs:
    """The first downs of a club, and its third and fourth downs tried and made.

    Counted from where the next series began, so penalties count if they gave a first down. A down
    is tried if a play from scrimmage stands; a down repeated after a flag was not tried. It is made
    if the play itself gained the line: 3 yards on 3rd and 9 with a personal foul on top are a first
    down by penalty, and a third down tried and not made (NFL: Guide for Statisticians).
    """
    first_down_count = 0
    counts = {(down, is_first_down): 0 for down in (3, 4) for is_first_down in (True, False)}
    for play, after in pairwise([*plays, None]):
        assert play is not None
        if (
            play.snap.situation != "scrimmage"
            or play.snap.possession != club
            or play.snap.down is None
        ):
            continue
        is_first_down = earned(play, after)
        first_down_count += is_first_down + (is_first_down and earned_twice(play))
        is_try = play.is_from_scrimmage and play.snap.down in (3, 4)
        if is_try and (is_first_down or not _repeated(play, after)):
            counts[play.snap.down, is_first_down and not _by_penalty(play)] += 1
    return Downs(
        first_downs=first_down_count,
        third_tried=counts[3, True] + counts[3, False],
        third_made=counts[3, True],
        fourth_tried=counts[4, True] + counts[4, False],
        fourth_made=counts[4, True],
    )


def _line(snap: ev.Snap) -> int:
    return min(100, snap.spot + (snap.distance or 0))


def earned(play: Snapped, after: Snapped | None) -> bool:
    """Whether the play gave its club a first down; a touchdown from scrimmage is one."""
    snap, scored = play.snap, play.touchdown
    if scored is not None or play.lost_by is not None:
        return play.kick is None and scored is not None and scored.team == snap.possession
    same_drive = (
        after is not None
        and after.snap.situation == "scrimmage"
        and after.snap.possession == snap.possession
        and after.half == play.half
        and not ends(play)
    )
    if not same_drive or after is None:  # nothing follows that shows a new series
        gained = (
            play.is_from_scrimmage and snap.distance is not None and play.end_yard >= _line(snap)
        )
        return gained or (not ends(play) and _is_awarded(play))
    if after.snap.down != 1:
        return False
    if snap.down != 1 or _line(after.snap) > _line(snap):
        return True
    # First down again, no further on: by a foul that gives one, near the goal line or after a
    # penalty of their own.
    moved = _line(after.snap) != _line(snap) or _line(snap) == ev.GOAL_LINE
    return moved and any(
        isinstance(body, ev.Penalty)
        and body.status == "accepted"
        and body.team != snap.possession
        and body.foul.lower() not in _NO_FIRST_DOWN
        for body in play.bodies
    )


# Fouls of the defence that give yards but no first down of themselves.
_NO_FIRST_DOWN = frozenset(
    (
        "defensive offside",
        "encroachment",
        "neutral zone infraction",
        "defensive too many men on field",
        "defensive 12 on-field",
        "defensive delay of game",
        "illegal substitution",
        "delay of game",
        "offside",
    )
)


def earned_twice(play: Snapped) -> bool:
    """Whether a gain past the line and a defensive foul with a first down count as two."""
    return play.is_from_scrimmage and play.end_yard >= _line(play.snap) and _is_awarded(play)


def _is_awarded(play: Snapped) -> bool:
    """Whether a foul of the defence gave a first down of itself."""
    return any(
        isinstance(body, ev.Penalty)
        and (body.status, body.outcome) == ("accepted", "first_down")
        and body.team != play.snap.possession
        for body in play.bodies
    )


def _repeated(play: Snapped, after: Snapped | None) -> bool:
    return (
        after is not None
        and after.snap.possession == play.snap.possession
        and after.snap.down == play.snap.down
        and after.snap.situation == "scrimmage"
    )


def _by_penalty(play: Snapped) -> bool:
    """Whether a penalty gave the play's first down, because the play had not gained the line."""
    gained = play.is_from_scrimmage and (
        play.touchdown is not None or play.end_yard >= _line(play.snap)
    )
    is_flag = any(
        isinstance(body, ev.Penalty) and body.status == "accepted" for body in play.bodies
    )
    return is_flag and not gained


@dataclass(frozen=True, slots=True)
class FirstDowns:
    """First downs by rush, by pass and by penalty; a gain with a penalty on top counts as two."""

    rush: int = 0
    passed: int = 0
    penalty: int = 0


def first_downs(plays: Sequence[Snapped], club: str) -> FirstDowns:
    """How the first downs of `downs` were made: by the play, else by the penalty."""
    counts: Counter[str] = Counter()
    for play, after in pairwise([*plays, None]):
        assert play is not None
        if (
            play.snap.situation != "scrimmage"
            or play.snap.possession != club
            or play.snap.down is None
        ):
            continue
        if not earned(play, after):
            continue
        is_pass = any(isinstance(body, ev.Pass) for body in play.bodies)
        counts["penalty" if _by_penalty(play) else "pass" if is_pass else "rush"] += 1
        counts["penalty"] += earned_twice(play)
    return FirstDowns(counts["rush"], counts["pass"], counts["penalty"])

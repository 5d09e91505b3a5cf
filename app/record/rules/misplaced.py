"""Actions that a play cannot have, by the situation of its snap: a run on a try. Pure.

Which can be is declared by the event types (`situations`), for the console too. What cannot be is
refused when it is entered, and the proof names what was recorded all the same. On a try that counts
for nothing: its points are those of a kick or a conversion (NFL 11-3-2, NCAA 8-3-2). In other plays
it counts as recorded until it is corrected.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.record import events as ev

_NAMES = {
    "pass": "A pass",
    "run": "A run",
    "sack": "A sack",
    "interception": "An interception",
    "fumble": "A fumble",
    "recovery": "A recovery",
    "conversion": "A try for two points",
    "kickoff": "A kickoff",
    "onside": "An onside kick",
    "free_kick": "A free kick",
    "punt": "A punt",
    "field_goal": "A field goal",
    "extra_point": "An extra point",
}
_PLAYS: dict[ev.Situation, tuple[str, str]] = {
    "scrimmage": ("a play from scrimmage", "enter its own snap first"),
    "kickoff": ("a kickoff", "enter the kickoff, or the snap of the play that was run"),
    "free_kick": ("a free kick", "enter the free kick, or the snap of the play that was run"),
    "try": ("a try", "enter an extra point, or a try for two points"),
}


def misplaced(play: Sequence[ev.Body]) -> list[ev.Body]:
    """The events of a play that the situation of its snap cannot have; none without a snap."""
    snap = next((body for body in play if isinstance(body, ev.Snap)), None)
    if snap is None:
        return []
    return [body for body in play if snap.situation not in ev.situations_of(body)]


def counted(play: Sequence[tuple[int, ev.Body]]) -> Sequence[tuple[int, ev.Body]]:
    """The events of a play, with their numbers, without those that count for nothing on a try."""
    if not any(isinstance(body, ev.Snap) and body.situation == "try" for _, body in play):
        return play
    wrong = misplaced([body for _, body in play])
    return [event for event in play if event[1] not in wrong]


def fault(body: ev.Body, situation: ev.Situation) -> str:
    """Why the play cannot have the event, and what to enter.

    >>> fault(ev.Sack(team="HRB", start_yard=98, end_yard=90), "try")
    'A sack cannot be in a try: enter an extra point, or a try for two points.'
    """
    name = _NAMES[body.kind if isinstance(body, ev.Kick) else ev.type_of(body)]
    play, remedy = _PLAYS[situation]
    return f"{name} cannot be in {play}: {remedy}."

"""The labels beside a play's sentence: what kind of play it was, and what came of it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.record import events as ev
from app.record.rules.downs import earned
from app.record.rules.drives import Snapped

_KINDS: dict[type[ev.Body], str] = {
    ev.Pass: "Pass",
    ev.Sack: "Sack",
    ev.Run: "Run",
    ev.Kick: "Kick",
    ev.Conversion: "2-pt",
    ev.Fumble: "Fumble",
}
_KICKS = {"punt": "Punt", "field_goal": "FG", "extra_point": "XP"}


@dataclass(frozen=True)
class PlayResult:
    """The labels of one play.

    `kind`: like `Run` or `FG`. `result`: `TD`, `INT`, or yards like `+9`; "" if there is nothing to
    say. `tone`: `score`, `bad` or `plain`.
    """

    kind: str
    result: str = ""
    tone: str = "plain"
    is_first_down: bool = False


def play_results(plays: Sequence[Snapped]) -> dict[int, PlayResult]:
    """The labels by play number. `plays`: all plays with a valid snap, in the order of the game."""
    return {play.number: _result(play, after) for play, after in pairwise([*plays, None]) if play}


def _result(play: Snapped, after: Snapped | None) -> PlayResult:
    kind = _kind(play.bodies)
    result, tone = _outcome(play)
    is_down = play.snap.situation == "scrimmage" and play.snap.down is not None
    is_first_down = is_down and play.touchdown is None and earned(play, after)
    return PlayResult(kind, result, tone, is_first_down)


def _kind(bodies: Sequence[ev.Body]) -> str:
    """By the first movement of the ball; of a play without one by the flag that stopped it."""
    movement = next((body for body in bodies if type(body) in _KINDS), None)
    if isinstance(movement, ev.Kick):
        return _KICKS.get(movement.kind, "Kick")
    if movement is not None:
        return _KINDS[type(movement)]
    return "Flag" if any(isinstance(body, ev.Penalty) for body in bodies) else ""


def _outcome(play: Snapped) -> tuple[str, str]:
    """The words of the result, and their tone."""
    if play.touchdown is not None:
        return "TD", "score"
    if any(isinstance(body, ev.Safety) for body in play.bodies):
        return "Safety", "score"
    if play.lost_by is not None:
        return ("INT" if isinstance(play.lost_by, ev.Interception) else "Fumble"), "bad"
    return _kicked(play.kick) if play.kick is not None else _gained(play)


def _gained(play: Snapped) -> tuple[str, str]:
    tried = next((body for body in play.bodies if isinstance(body, ev.Conversion)), None)
    if tried is not None:
        return ("Good", "score") if tried.good else ("No good", "bad")
    if any(isinstance(body, ev.Pass) and body.result == "incomplete" for body in play.bodies):
        return "Inc.", "plain"
    if play.is_from_scrimmage:
        gain = play.end_yard - play.snap.spot
        return f"{gain:+d}" if gain else "0", "plain"
    is_no_play = any(isinstance(body, ev.Nullify) for body in play.bodies)
    return "No play" if is_no_play else "", "plain"


def _kicked(kick: ev.Kick) -> tuple[str, str]:
    match kick.result:
        case "good":
            return "Good", "score"
        case "missed":
            return "No good", "bad"
        case "blocked":
            return "Blocked", "bad"
        case "touchback":
            return "Touchback", "plain"
    return (f"{kick.distance} yd", "plain") if kick.distance else ("", "plain")

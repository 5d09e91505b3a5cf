"""Entries of what the officials do.

Flags, reviews, timeouts, periods, the start and the end of the game.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.record import events as ev
from tests.e2e.typist.answers import Choose, Number, Proposed, Unless, Words
from tests.e2e.typist.scene import Scene, Step
from tests.e2e.typist.task import EXTRA, Makers, Task

OUTCOMES = {"nullify": "no play"}
RULINGS = {"pending": "under review", "overturned": "overturned ("}


def _penalty(number: int, body: ev.Penalty, later: list[Step], scene: Scene) -> Task:
    """The last of the fouls for which the play does not count strikes it out.

    The script has every flag in the play that it fell on and does not say from where it was walked
    off: what is proposed is taken, unless it would put the flag into a play to come.
    """
    task = Task("penalty", [number])
    task.ask("Foul by which club?", scene.club(body.team))
    task.ask("Foul", Words(body.foul))
    task.ask("Committed by", scene.who(body.player))
    task.ask("The penalty is", Choose(body.status))
    task.ask("Yards walked off", Number(body.yards))
    outcome = body.outcome or ""
    task.ask(
        "Outcome",
        Choose(OUTCOMES.get(outcome, outcome.replace("_", " "))) if outcome else Proposed(),
    )
    task.ask("When was it?", Unless("before", "during the play"))
    task.ask("Walked off from", Unless("the try", "the kickoff"))
    task.ask("Spot of the foul", Proposed())
    # the script has the official gain already
    task.ask("Credited to the spot of the foul?", Choose("no"))
    strike = _next_nullify(later)
    if strike is None:
        task.ask("Strike out the play?", Choose("no"))
    else:
        task.ask("Strike out the play?", Choose("yes"), strike)
    return task


def _next_nullify(later: Sequence[Step]) -> int | None:
    """The nullify of this foul.

    Nothing is between them but fouls for which no play is struck out.
    """
    for number, body in later:
        if isinstance(body, ev.Nullify):
            return number
        if not isinstance(body, ev.Penalty) or body.outcome in ("nullify", "offsetting"):
            return None
    return None


def _challenge(number: int, body: ev.Challenge, later: list[Step], scene: Scene) -> Task:
    task = Task("review", [number])
    task.ask(
        "Who asks for the review?", Choose("the booth") if body.by is None else scene.club(body.by)
    )
    task.ask(
        "Ruling",
        Choose("overturned, and" if body.is_entered else RULINGS.get(body.ruling, body.ruling)),
    )
    task.ask("About what", Words(""))
    if body.by is not None:
        # the script has its timeouts already
        task.ask(f"Charge {body.by} with a timeout for it?", Choose("no"))
    return task


def _timeout(number: int, body: ev.Timeout, later: list[Step], scene: Scene) -> Task:
    task = Task("timeout", [number])
    task.ask("Called by", Choose("the officials") if body.team is None else scene.club(body.team))
    task.ask("Reason", Words(body.reason))
    return task


def _period(number: int, body: ev.Period, later: list[Step], scene: Scene) -> Task:
    task = Task("period", [number])
    task.ask("The period", Choose("starts" if body.phase == "start" else "ends"))
    task.ask("Which", Number(body.period))
    return task


def _game_started(number: int, body: ev.GameStarted, later: list[Step], scene: Scene) -> Task:
    first = later[0][0] if later and later[0][1] == ev.Period(period=1, phase="start") else EXTRA
    task = Task("game", [number, first])
    task.ask("The game", Choose("starts"))
    return task


def _game_ended(number: int, body: ev.GameEnded, later: list[Step], scene: Scene) -> Task:
    task = Task("game", [number])
    task.ask("The game", Choose("has ended"))
    return task


def _final(number: int, body: ev.Final, later: list[Step], scene: Scene) -> Task:
    task = Task("game", [number])
    task.ask("The game", Choose("final score"))
    task.ask(f"Score of {scene.away} that is final", Number(body.away_score))
    task.ask(f"Score of {scene.home} that is final", Number(body.home_score))
    return task


MAKERS: Makers = {
    ev.Penalty: _penalty,
    ev.Challenge: _challenge,
    ev.Timeout: _timeout,
    ev.Period: _period,
    ev.GameStarted: _game_started,
    ev.GameEnded: _game_ended,
    ev.Final: _final,
}

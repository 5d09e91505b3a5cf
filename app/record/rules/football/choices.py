"""The offended club's choice after a foul: the snap if it accepts, the snap if it declines.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from app.record import events as ev
from app.record.rules.football.ball import Ball, Play
from app.record.rules.football.enforcement import is_replayed, is_safety, rule_of, start_of
from app.record.rules.football.rulebook import Foul, Rulebook
from app.record.rules.football.suggestion import Choice, Suggestion


def choices_of(
    play: Play,
    clubs: tuple[str, str],
    book: Rulebook,
    following: Callable[[Sequence[ev.Body]], Suggestion],
) -> tuple[Choice, ...]:
    """Accepting and declining the foul of a play, each with the snap that follows.

    Empty unless the play has exactly one foul and its action still stands. `following` gives the
    next snap if the play consisted of other events.
    """
    snap, action, ball = play.snap, play.action, play.ball
    fouls = [body for body in action if isinstance(body, ev.Penalty)]
    if len(fouls) != 1 or fouls[0].status == "offsetting":
        return ()
    foul, rule = fouls[0], rule_of(fouls[0], snap, book)
    if rule.before_snap or (ball.outcome == "none" and foul.status == "accepted"):
        return ()
    by = clubs[1] if foul.team == clubs[0] else clubs[0]
    outcome = None if foul.outcome in ("decline", "offsetting") else foul.outcome
    if outcome is None and rule.basis == "previous":
        outcome = "nullify"
    taken = msgspec.structs.replace(
        foul, status="accepted", outcome=outcome, yards=foul.yards or rule.yards
    )
    refused = msgspec.structs.replace(foul, status="declined", outcome="decline")
    accept = following([taken if body is foul else body for body in action])
    # Without the foul there is no safety that it gave.
    of_foul = ball.outcome == "safety" and is_safety(taken, snap, ball, book)
    stands = [body for body in action if not (of_foul and isinstance(body, ev.Safety))]
    decline = following([refused if body is foul else body for body in stands])
    wipes = ball.outcome != "none" and wiped_out(taken, rule, snap, ball)
    return accept.as_choice(by, "accept", wipes=wipes), decline.as_choice(by, "decline")


def wiped_out(foul: ev.Penalty, rule: Foul, snap: ev.Snap, ball: Ball) -> bool:
    """Whether the play no longer counts once this foul is accepted.

    A foul of the defence that is walked off from where the ball was snapped takes the play with it,
    for example an incomplete pass before interference, holding or roughing. A lost down and a foul
    after the play leave it.
    """
    if is_replayed(foul, ball):
        return True
    if (
        foul.team == snap.possession
        or rule.basis == "dead"
        or foul.outcome in ("downfield", "change_down")
    ):
        return False
    if snap.situation != "scrimmage":
        return False
    return start_of(snap, ball, foul, rule, replayed=False) == snap.spot

"""Reviews: who asks for one, the officials' ruling, and the corrected call.

This includes challenges, overturns and the nullified remainder of an overturned play. A review
comes before the next snap, and therefore before the extra point after a touchdown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from msgspec import structs

from app.demo.field import GOAL_LINE, Field, Result
from app.record.events import Challenge, Credit, Fact, Fumble, Overturn, Pass, Run, Sack, Tackle

Action = Sequence[tuple[int, Fact]]

_LONG_GAIN = 20  # yards: such a play is reviewed more often


@dataclass(frozen=True, slots=True)
class Reversal:
    """Another ruling of the play.

    Attributes:
        reason: Why the call is wrong.
        helps: The club that gains by it.
        result: How the play then ended.
        instead: Corrected facts, by event number.
        void: Numbers of the events that did not happen.
    """

    reason: str
    helps: str
    result: Result
    instead: Action = ()
    void: tuple[int, ...] = ()


def review(field: Field, result: Result) -> Result:
    """Sometimes review the play; return its result after that."""
    if not field.chance(_interest(field, result)):
        return result
    reversal = _reversal(field, field.tape.action(), result)
    if reversal is None:
        return result
    by_booth = result.scored or field.changed or field.half_is_ending
    by = None if by_booth else reversal.helps
    if by is not None and field.timeouts[by] == 0:
        return result
    reason = reversal.reason
    field.tape.wait(field.rng.uniform(8, 20))
    field.tape.record(Challenge(by=by, ruling="pending", reason=reason))
    field.tape.wait(field.rng.uniform(50, 110))
    if not field.chance(0.43):
        field.tape.record(
            Challenge(by=by, ruling=field.rng.choice(("upheld", "stands")), reason=reason)
        )
        if by is not None:
            field.call_timeout(by, "challenge lost")
        field.tape.wait(20)
        return replace(result, stopped=True)
    field.tape.record(Challenge(by=by, ruling="overturned", reason=reason))
    for number, ruling in reversal.instead:
        field.tape.record(Overturn(event=number, ruling=ruling, reason=reason))
    field.tape.nullify(reversal.void, reason)
    field.tape.wait(20)
    field.changed = False
    return reversal.result


def _interest(field: Field, result: Result) -> float:
    """Return the probability that the play is reviewed."""
    if result.scored == "safety":
        return 0.0
    if result.scored == "touchdown":
        return 0.11
    if field.changed:
        return 0.15
    is_close = abs(result.spot - field.spot - field.series.distance) <= 1
    return 0.025 if is_close or result.spot - field.spot >= _LONG_GAIN else 0.008


def _reversal(field: Field, action: Action, result: Result) -> Reversal | None:
    """Return the other possible ruling of this play, or None.

    The offence keeps the ball in all of them. Plays with a lateral or two loose balls are not
    reviewed.
    """
    kinds = [type(fact) for _, fact in action]
    if kinds.count(Fumble) > 1 or any(
        isinstance(fact, Run) and fact.kind == "after_lateral" for _, fact in action
    ):
        return None
    other_pass = _other_pass(field, action, result)
    if other_pass is not None:
        return other_pass
    if Fumble in kinds:
        return _down_before_the_fumble(field, action, result)
    return _other_spot(field, action, result)


def _other_pass(field: Field, action: Action, result: Result) -> Reversal | None:
    """Complete instead of incomplete, or the reverse."""
    number, first = action[0]
    kinds = [type(fact) for _, fact in action]
    team, rival = field.possession, field.other(field.possession)
    match first:
        case Pass(result="incomplete", reception_yard=int(at)):
            is_touchdown = at == GOAL_LINE
            caught = structs.replace(first, result="complete", is_touchdown=is_touchdown)
            broken_up = tuple(
                n for n, fact in action if isinstance(fact, Credit) and fact.kind == "pass_defended"
            )
            end = Result(team, at, result.seconds, True, "touchdown" if is_touchdown else None)
            return Reversal("the catch was good", team, end, [(number, caught)], broken_up)
        case Sack() if Fumble in kinds:
            reason, helps = "the arm was going forward", team
            thrown = Pass(
                team=team, passer=first.player, result="incomplete", throw_yard=first.start_yard
            )
        case Pass(result="intercepted"):
            reason, helps = "the ball touched the ground", team
            thrown = structs.replace(first, result="incomplete")
        case Pass(result="complete") if Fumble not in kinds and (
            Run not in kinds or field.chance(0.5)
        ):
            reason, helps = "the pass was incomplete", rival
            thrown = structs.replace(first, result="incomplete", is_touchdown=False)
        case _:
            return None
    later_numbers = tuple(n for n, _ in action[1:])
    incomplete = Result(team, field.spot, result.seconds, stopped=True)
    return Reversal(reason, helps, incomplete, [(number, thrown)], later_numbers)


def _down_before_the_fumble(field: Field, action: Action, result: Result) -> Reversal | None:
    """Down by contact: the fumble and everything after it did not happen.

    A ball that was lost at the snap or in the end zone is not reviewed.
    """
    place, fumble = next(
        (i, fact) for i, (_, fact) in enumerate(action) if isinstance(fact, Fumble)
    )
    if place == 0 or not fumble.yard:
        return None
    down = Result(field.possession, fumble.yard, result.seconds)
    void = tuple(n for n, _ in action[place:])
    return Reversal("the runner was down", field.possession, down, void=void)


def _other_spot(field: Field, action: Action, result: Result) -> Reversal | None:
    """The last run ended a step earlier or, unless it scored, later; the tackles move with it."""
    runs = [(number, fact) for number, fact in action if isinstance(fact, Run)]
    if not runs or runs[-1][1].end_yard <= field.spot + 1:
        return None  # around the line the tackles for loss would be in doubt as well
    number, run = runs[-1]
    end = run.end_yard + field.rng.choice((-1, 1))
    if run.is_touchdown:
        end = max(run.start_yard, GOAL_LINE - field.rng.randint(1, 2))
    elif end == GOAL_LINE:
        return None
    moved: list[tuple[int, Fact]] = [
        (number, structs.replace(run, end_yard=end, is_touchdown=False))
    ]
    moved += [
        (n, structs.replace(fact, yard=end)) for n, fact in action if isinstance(fact, Tackle)
    ]
    gained = end > run.end_yard
    helps = field.possession if gained else field.other(field.possession)
    reason = "short of the goal line" if run.is_touchdown else "the spot of the ball"
    return Reversal(reason, helps, Result(run.team, end, result.seconds, result.stopped), moved)

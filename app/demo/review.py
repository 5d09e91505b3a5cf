"""Reviews: who asks, the ruling of the officials, and the corrected call.

Lives here: challenges, overturns and the nullified rest of an overturned play. Not here: fouls
(flags.py). A review comes before the next snap, so before the extra point after a touchdown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from msgspec import structs

from app.demo.field import Field, Result
from app.record.events import Challenge, Credit, Fact, Fumble, Overturn, Pass, Run, Sack, Tackle

Action = Sequence[tuple[int, Fact]]


@dataclass(frozen=True, slots=True)
class Reversal:
    """Another ruling of the play: `instead` by event number, `void` numbers, and how the play then
    ended.

    `helps`: the club that would be glad of it.
    """

    reason: str
    helps: str
    result: Result
    instead: Action = ()
    void: tuple[int, ...] = ()


def review(field: Field, result: Result) -> Result:
    """Sometimes the play is reviewed; returns its result after that."""
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
    """The probability that a play is reviewed."""
    if result.scored == "safety":
        return 0.0
    if result.scored == "touchdown":
        return 0.11
    if field.changed:
        return 0.15
    short = abs(result.spot - field.spot - field.series.distance) <= 1
    return 0.025 if short or result.spot - field.spot >= 20 else 0.008


def _reversal(field: Field, action: Action, result: Result) -> Reversal | None:
    """The other possible ruling of this play, or None.

    In all of them the offence keeps the ball. Plays with a lateral or two loose balls are left
    alone.
    """
    kinds = [type(fact) for _, fact in action]
    if kinds.count(Fumble) > 1 or any(
        isinstance(fact, Run) and fact.kind == "after_lateral" for _, fact in action
    ):
        return None
    number, first = action[0]
    rest = tuple(n for n, _ in action[1:])
    team, rival = field.possession, field.other(field.possession)
    incomplete = Result(team, field.spot, result.seconds, stopped=True)
    match first:
        case Sack() if Fumble in kinds:
            thrown: Fact = Pass(
                team=team, passer=first.player, result="incomplete", throw_yard=first.start_yard
            )
            return Reversal("the arm was going forward", team, incomplete, [(number, thrown)], rest)
        case Pass(result="intercepted"):
            thrown = structs.replace(first, result="incomplete")
            return Reversal(
                "the ball touched the ground", team, incomplete, [(number, thrown)], rest
            )
        case Pass(result="incomplete", reception_yard=int(at)):
            thrown = structs.replace(first, result="complete", is_touchdown=at == 100)
            broken_up = tuple(
                n for n, fact in action if isinstance(fact, Credit) and fact.kind == "pass_defended"
            )
            caught = Result(team, at, result.seconds, True, "touchdown" if at == 100 else None)
            return Reversal("the catch was good", team, caught, [(number, thrown)], broken_up)
    if Fumble in kinds:
        return _down_before_the_fumble(field, action, result)
    if (
        isinstance(first, Pass)
        and first.result == "complete"
        and (Run not in kinds or field.chance(0.5))
    ):
        thrown = structs.replace(first, result="incomplete", is_touchdown=False)
        return Reversal("the pass was incomplete", rival, incomplete, [(number, thrown)], rest)
    return _other_spot(field, action, result)


def _down_before_the_fumble(field: Field, action: Action, result: Result) -> Reversal | None:
    """Down by contact: the fumble and all after it did not happen.

    Not for a ball lost at the snap or in the end zone.
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
        end = max(run.start_yard, 100 - field.rng.randint(1, 2))
    elif end == 100:
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

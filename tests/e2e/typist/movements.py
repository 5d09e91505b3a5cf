"""Entries of what moves the ball: pass, run, sack, fumble, recovery, interception, kick."""

from __future__ import annotations

from app.record import events as ev
from tests.e2e.typist.answers import Beside, Choose, Number, OrElse, People, Person, Proposed, Spot
from tests.e2e.typist.credit_keys import credited, safety, tackled
from tests.e2e.typist.scene import Scene, Step
from tests.e2e.typist.task import EXTRA, Makers, Task, spot_of

RUNS = {
    "rush": "rush",
    "scramble": "scramble",
    "kneel": "kneel",
    "after_catch": "after the catch",
    "after_lateral": "after a lateral",
    "return": "brought back",
    "after_recovery": "after a recovery",
}
KICKS = {"onside": "onside kick", "free_kick": "free kick after a safety"}
KICKED = {"missed": "no good", "recovered": "loose"}
# By whether the sackers are credited with a hit on the passer, and with a tackle for loss.
SACK_CREDITS = {
    (True, True): "hit on the passer and tackle for loss",
    (True, False): "hit on the passer",
    (False, True): "tackle for loss",
    (False, False): "neither",
}
LANDED = (
    "Fielded at",
    "Fair catch at",
    "Downed at",
    "Out of bounds at",
    "First touched at",
    "Came down at",
)


def _pass(number: int, body: ev.Pass, later: list[Step], scene: Scene) -> Task:
    task = Task("pass", [number])
    rivals = scene.other(body.team)
    task.ask("Passer", scene.who(body.passer))
    task.ask("The pass was", Choose(body.result))
    task.ask("Caught by", scene.who(body.receiver))
    task.ask("Meant for", scene.who(body.receiver))
    if body.result == "complete":
        assert body.reception_yard is not None
        gain = body.reception_yard - body.throw_yard
        task.ask(
            "Caught at",
            Spot(
                body.team,
                rivals,
                body.reception_yard,
                body.is_touchdown,
                start=body.throw_yard,
                gain=gain,
            ),
        )
        _carry_on(
            task,
            "Ran to",
            "after_catch",
            body.team,
            body.receiver,
            body.reception_yard,
            later,
            scene,
        )
        return task
    aim = (
        Proposed() if body.reception_yard is None else Spot(body.team, rivals, body.reception_yard)
    )
    task.ask("Thrown to", aim)
    if body.result == "intercepted":
        _stolen(task, rivals, later, scene)
        return task
    breaker = next(
        (
            (n, event)
            for n, event in later
            if isinstance(event, ev.Credit)
            and event.kind == "pass_defended"
            and event.team == rivals
            and event.player
        ),
        None,
    )
    task.ask(
        "Broken up by",
        scene.who(breaker[1].player if breaker else None),
        *([breaker[0]] if breaker else []),
    )
    return task


def _stolen(task: Task, club: str, later: list[Step], scene: Scene) -> None:
    if not later or not isinstance(later[0][1], ev.Interception):
        task.ask("Intercepted by", Person(None), EXTRA)
        task.ask("Intercepted at", Proposed())
        return
    number, body = later[0]
    assert isinstance(body, ev.Interception)
    task.ask("Intercepted by", scene.who(body.player), number)
    task.ask("Intercepted at", spot_of(body.team, body.yard, scene, body.is_touchdown))
    if body.yard is not None:
        _carry_on(
            task, "Returned to", "return", body.team, body.player, body.yard, later[1:], scene
        )


def _interception(number: int, body: ev.Interception, later: list[Step], scene: Scene) -> Task:
    task = Task("interception", [])
    _stolen(task, body.team, [(number, body), *later], scene)
    return task


def _carry_on(
    task: Task,
    question: str,
    kind: str,
    team: str,
    player: str | None,
    start: int,
    later: list[Step],
    scene: Scene,
) -> None:
    """How far the ball was carried on, where the next step says so, and who stopped it there."""
    rivals = scene.other(team)
    run = later[0][1] if later else None
    goes_on = (
        isinstance(run, ev.Run)
        and (run.kind, run.team, run.player, run.start_yard) == (kind, team, player, start)
        and (run.is_touchdown or run.end_yard != start)
    )
    if goes_on and isinstance(run, ev.Run):
        task.ask(
            question, Spot(team, rivals, run.end_yard, run.is_touchdown, start=start), later[0][0]
        )
        end = run.end_yard
    else:
        task.ask(question, Spot(team, rivals, start, start=start))
        end = start
    tackled(task, rivals, player, end, later, scene)


def _run(number: int, body: ev.Run, later: list[Step], scene: Scene) -> Task:
    task = Task("run", [number])
    rivals = scene.other(body.team)
    task.ask("Kind of run", Choose(RUNS[body.kind]))
    task.ask("Carried by", scene.who(body.player))
    gain = body.end_yard - body.start_yard
    task.ask(
        "Ran to",
        Spot(body.team, rivals, body.end_yard, body.is_touchdown, start=body.start_yard, gain=gain),
    )
    tackled(task, rivals, body.player, body.end_yard, later, scene)
    return task


def _sack(number: int, body: ev.Sack, later: list[Step], scene: Scene) -> Task:
    task = Task("sack", [number])
    rivals = scene.other(body.team)
    task.ask("Passer", scene.who(body.player))
    gain = body.end_yard - body.start_yard
    task.ask("Down at", Spot(body.team, rivals, body.end_yard, start=body.start_yard, gain=gain))
    task.ask("Sacked by", People([scene.who(player) for player in body.by]))
    kind = "solo" if len(body.by) == 1 else "assist"
    tackles = [
        next(
            (
                n
                for n, event in later
                if isinstance(event, ev.Tackle)
                and (event.tackler, event.tackled, event.yard, event.kind)
                == (sacker, body.player, body.end_yard, kind)
            ),
            None,
        )
        for sacker in body.by
    ]
    if tackles and None not in tackles:
        task.ask("Then", Choose("the passer was tackled"), *(n for n in tackles if n is not None))
    else:
        task.ask("Then", Choose("the ball came loose"))
    hits, losses = credited("qb_hit", body.by, later), credited("tackle_for_loss", body.by, later)
    both = (
        [n for pair in zip(hits, losses, strict=True) for n in pair]
        if hits and losses
        else [*hits, *losses]
    )
    task.ask("Credited with", Choose(SACK_CREDITS[bool(hits), bool(losses)]), *both)
    safety(task, later, scene)
    return task


def _fumble(number: int, body: ev.Fumble, later: list[Step], scene: Scene) -> Task:
    task = Task("fumble", [number])
    task.ask("Who lost the ball?", scene.club(body.team))
    task.ask("Lost by", scene.who(body.player))
    task.ask("Lost at", spot_of(body.team, body.yard, scene))
    unseen = body.forced_by is None and body.forced_by_team is not None
    task.ask(
        "Forced by", Beside("forced, not seen by whom") if unseen else scene.who(body.forced_by)
    )
    if body.out_of_bounds:
        task.ask("The ball was", Choose("out of bounds"))
    elif later and isinstance(later[0][1], ev.Recovery):
        task.ask("The ball was", Choose("recovered"))
        _recovered(task, later, scene)
    else:
        task.ask("The ball was", Choose("still loose"))
    return task


def _recovered(task: Task, later: list[Step], scene: Scene) -> None:
    """Who fell on it, where, and how far they came; where the script names nobody, nobody did."""
    if not later or not isinstance(later[0][1], ev.Recovery):
        task.ask("Recovered by which club?", OrElse("nobody"))
        task.ask("Recovered by", Person(None), EXTRA)
        for question in ("Recovered at", "Brought to"):
            task.ask(question, Proposed())
        task.ask("Tackled by", People([]))
        return
    number, body = later[0]
    assert isinstance(body, ev.Recovery)
    task.ask("Recovered by which club?", scene.club(body.team))
    task.ask("Recovered by", scene.who(body.player), number)
    task.ask("Recovered at", spot_of(body.team, body.yard, scene, body.is_touchdown))
    if body.yard is not None:
        _carry_on(
            task,
            "Brought to",
            "after_recovery",
            body.team,
            body.player,
            body.yard,
            later[1:],
            scene,
        )


def _recovery(number: int, body: ev.Recovery, later: list[Step], scene: Scene) -> Task:
    task = Task("recovery", [])
    _recovered(task, [(number, body), *later], scene)
    return task


def _kick(number: int, body: ev.Kick, later: list[Step], scene: Scene) -> Task:
    task = Task("kick", [number])
    receivers = scene.other(body.team)
    task.ask("Kind of kick", Choose(KICKS.get(body.kind, body.kind.replace("_", " "))))
    task.ask("Kicked by", scene.who(body.kicker))
    is_short = body.landed == "short"
    task.ask(
        "The kick was",
        Choose("short of" if is_short else KICKED.get(body.result, body.result.replace("_", " "))),
    )
    task.ask(
        "Where did it come down first?",
        Choose(f"in the {(body.landed or 'end_zone').replace('_', ' ')}"),
    )
    task.ask("Length of the kick", Proposed() if body.distance is None else Number(body.distance))
    task.ask("Blocked by", scene.who(body.blocked_by))
    landed = 100 - (body.start_yard or 0) - (body.distance or 0)
    for question in LANDED:
        task.ask(question, Spot(receivers, body.team, landed))
    if body.result == "blocked":  # where nobody fell on it: out of bounds, where it was kicked
        task.ask("Out of bounds at", Spot(body.team, receivers, body.start_yard or 0), EXTRA)
    if body.result in ("recovered", "blocked"):
        _recovered(task, later, scene)
        return task
    run = later[0][1] if later else None
    if not isinstance(run, ev.Run) or (run.kind, run.team) != ("return", receivers):
        task.ask("Returned by", Person(None), EXTRA)
        task.ask("Returned to", Spot(receivers, body.team, landed, start=landed))
        task.ask("Tackled by", People([]))
        return task
    task.ask("Returned by", scene.who(run.player), later[0][0])
    gain = run.end_yard - run.start_yard
    task.ask(
        "Returned to",
        Spot(receivers, body.team, run.end_yard, run.is_touchdown, start=landed, gain=gain),
    )
    tackled(task, body.team, run.player, run.end_yard, later, scene)
    return task


MAKERS: Makers = {
    ev.Pass: _pass,
    ev.Run: _run,
    ev.Sack: _sack,
    ev.Fumble: _fumble,
    ev.Recovery: _recovery,
    ev.Interception: _interception,
    ev.Kick: _kick,
}

"""Entries of who is credited: tackles, passes broken up, tries for two, safeties."""

from __future__ import annotations

from collections.abc import Sequence

from app.record import events as ev
from tests.e2e.typist.answers import Choose, Number, People
from tests.e2e.typist.scene import Scene, Step
from tests.e2e.typist.task import Makers, Task, spot_of

MOST_NAMES = 6
TRIES = {"pass": "pass", "rush": "run", "return": "brought back"}
CREDITS = {
    "pass_defended": "pass defended",
    "qb_hit": "hit on the passer",
    "tackle_for_loss": "tackle for loss",
}
ALL_ASSIST, ONE_MADE_IT = Choose("assists all"), Choose("the first made it")


def tackled(
    task: Task, club: str, tackled: str | None, yard: int | None, later: list[Step], scene: Scene
) -> None:
    """Who stopped the carrier there, and whether that was a tackle for loss."""
    credit_entries = [
        (number, event)
        for number, event in later
        if isinstance(event, ev.Tackle)
        and (event.team, event.tackled, event.yard) == (club, tackled, yard)
    ]
    chosen, share = shared(credit_entries)
    task.ask(
        "Tackled by",
        People([scene.who(tackle.tackler) for _, tackle in chosen]),
        *(number for number, _ in chosen),
    )
    task.ask("How do they share it?", share)
    maker = [tackle.tackler for _, tackle in chosen[:1]]
    loss = credited("tackle_for_loss", maker, later)
    task.ask("A tackle for loss?", Choose("yes" if loss else "no"), *loss)
    safety(task, later, scene)


def safety(task: Task, later: list[Step], scene: Scene) -> None:
    """Whether the play that ended behind a goal line was a safety, and who is credited with it."""
    step = next(((number, body) for number, body in later if isinstance(body, ev.Safety)), None)
    task.ask("A safety?", Choose("no: the ball came loose" if step is None else "yes"))
    if step is not None:
        task.ask("Safety forced by", scene.who(step[1].player), step[0])


def credited(kind: str, players: Sequence[str | None], later: Sequence[Step]) -> list[int]:
    """The steps that credit these players so, in their order; none unless all of them are."""
    assists = [
        next(
            (
                n
                for n, event in later
                if isinstance(event, ev.Credit) and (event.kind, event.player) == (kind, player)
            ),
            None,
        )
        for player in players
    ]
    return [] if None in assists else [n for n in assists if n is not None]


def shared(
    credit_entries: Sequence[tuple[int, ev.Tackle]],
) -> tuple[list[tuple[int, ev.Tackle]], Choose]:
    """Those who share one tackle, and how; the others get an entry of their own."""
    assists = [entry for entry in credit_entries if entry[1].kind == "assist"]
    first = [entry for entry in credit_entries if entry[1].kind == "primary"][:1]
    if first and assists:
        return [*first, *assists][:MOST_NAMES], ONE_MADE_IT
    if len(assists) > 1:
        return assists[:MOST_NAMES], ALL_ASSIST
    return [entry for entry in credit_entries if entry[1].kind == "solo"][:1], ALL_ASSIST


def _tackle(number: int, body: ev.Tackle, later: list[Step], scene: Scene) -> Task:
    task = Task("tackle", [])
    same = (body.team, body.tackled, body.yard)
    credit_entries = [(number, body)] + [
        (n, event)
        for n, event in later
        if isinstance(event, ev.Tackle) and (event.team, event.tackled, event.yard) == same
    ]
    chosen, share = shared(credit_entries)
    if (number, body) not in chosen:
        chosen, share = [(number, body)], Choose(body.kind)
    task.ask("Credit for which club?", scene.club(body.team))
    task.ask(
        "Tackled by",
        People([scene.who(tackle.tackler) for _, tackle in chosen]),
        *(n for n, _ in chosen),
    )
    task.ask("How do they share it?", share)
    if len(chosen) == 1 and body.kind != "solo":
        task.needed.add("How do they share it?")
    task.ask("Tackled", scene.who(body.tackled))
    task.ask("Down at", spot_of(scene.other(body.team), body.yard, scene))
    return task


def _credit(number: int, body: ev.Credit, later: list[Step], scene: Scene) -> Task:
    task = Task("credit", [number])
    task.ask("Credit for", Choose(CREDITS[body.kind]))
    task.ask("Which club?", scene.club(body.team))
    task.ask("To", scene.who(body.player))
    return task


def _conversion(number: int, body: ev.Conversion, later: list[Step], scene: Scene) -> Task:
    task = Task("conversion", [number])
    task.ask("How", Choose(TRIES[body.kind]))
    task.ask("Passer", scene.who(body.passer))
    task.ask("Meant for", scene.who(body.player))
    task.ask("Carried by", scene.who(body.player))
    task.ask("The try is", Choose("good" if body.good else "no good"))
    return task


def _safety(number: int, body: ev.Safety, later: list[Step], scene: Scene) -> Task:
    task = Task("safety", [number])
    task.ask("Points for which club?", scene.club(body.team))
    task.ask("Forced by", scene.who(body.player))
    task.ask("Points", Number(body.points))
    return task


MAKERS: Makers = {
    ev.Tackle: _tackle,
    ev.Credit: _credit,
    ev.Conversion: _conversion,
    ev.Safety: _safety,
}

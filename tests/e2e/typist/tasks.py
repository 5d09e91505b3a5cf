"""From what happened to an entry.

Which action, and the answer to each question that it may ask, by its name.

Lives here: one entry at a time, the first of what is left of a play. Not here: how an answer is
typed (answers.py), the order of a game (scorer.py). An answer says which steps of the script it
brings about, so that what the console asked for is not entered twice, and what it did not ask for
gets an entry of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from app.record import events as ev
from tests.e2e.typist import credit_keys, movements, procedure
from tests.e2e.typist.answers import Choose, Event, Events, Words
from tests.e2e.typist.scene import Scene, Step
from tests.e2e.typist.screen import CannotTypeError
from tests.e2e.typist.task import EXTRA, Maker, Makers, Task

TITLES = {"conversion": "two-point try"}


def next_task(left: Sequence[Step], scene: Scene) -> Task:
    """The entry for the next steps of a play, with those that the console asks for together."""
    number, body = left[0]
    correction = ev.Nullify | ev.Overturn | ev.StatCorrection | ev.Challenge | ev.Snap
    later = list(takewhile(lambda step: not isinstance(step[1], correction), left[1:]))
    if isinstance(body, ev.Overturn | ev.StatCorrection | ev.Penalty | ev.Nullify):
        later = list(left[1:])
    return _maker(body)(number, body, later, scene)


def _maker(body: ev.Body) -> Maker:
    if type(body) not in _MAKERS:
        raise CannotTypeError(f"the typist has no answers for {ev.type_of(body)}")
    return _MAKERS[type(body)]


def _overturn(
    number: int, body: ev.Overturn | ev.StatCorrection, later: list[Step], scene: Scene
) -> Task:
    return _ruled(number, body.event, body.ruling, later, scene)


def _ruled(number: int, event: int, ruling: ev.Body, later: list[Step], scene: Scene) -> Task:
    if not (typed := scene.typed([event])):
        raise CannotTypeError(
            f"event {event} of the script was never typed, so it cannot be ruled on"
        )
    inner = _maker(ruling)(number, ruling, [], scene)
    task = Task("overturn", [number], inner.asks)
    for ask in inner.asks.values():
        ask.made.clear()
    task.ask("Overturn which event?", Event(*typed))
    task.ask("The new ruling is a", Choose(TITLES.get(ev.type_of(ruling), ev.type_of(ruling))))
    # the script corrects each event by itself
    task.ask("Move what follows from it too?", Choose("no"))
    task.ask("Why does it change?", Choose("new ruling by the officials"))
    task.ask("Reason", Words(""))
    struck = later[0] if later and isinstance(later[0][1], ev.Nullify) else None
    if struck is not None and isinstance(struck[1], ev.Nullify):
        task.ask(
            "Strike out other events of the play",
            Events(sorted(scene.typed(struck[1].events))),
            struck[0],
        )
        task.needed.add("Strike out other events of the play")
    else:
        task.ask("Strike out other events of the play", Events([]))
    return task


def _nullify(number: int, body: ev.Nullify, later: list[Step], scene: Scene) -> Task:
    """Events that no foul strikes out.

    The one before them is ruled on as it was, and they fall away with it.
    """
    stays = max((n for n in scene.standing if n < min(body.events)), default=None)
    if stays is None:
        raise CannotTypeError(
            f"nothing of the play stands before events {body.events}, so they cannot be struck out"
        )
    return _ruled(EXTRA, stays, scene.standing[stays], [(number, body)], scene)


_MAKERS: Makers = {
    **movements.MAKERS,
    **credit_keys.MAKERS,
    **procedure.MAKERS,
    ev.Overturn: _overturn,
    ev.StatCorrection: _overturn,
    ev.Nullify: _nullify,
}

"""Answers that are typed through a question whose proposal is right.

A jersey number at the kind of run takes the rush; `c81` at the passer takes them, the catch, and
begins the receiver. A scorer knows who is proposed: who ran or threw last.
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.e2e.typist.answers import Choose, People, Person, Spot
from tests.e2e.typist.screen import Keyboard, Screen
from tests.e2e.typist.task import Task

ALL_ASSIST = "assists all"
RESULT_KEYS = {"complete": "c", "incomplete": "i", "intercepted": "x"}


def type_through(
    keyboard: Keyboard, task: Task, screen: Screen, last_runner: Mapping[str, str]
) -> list[str]:
    """Types on from here if that saves a key. Gives the questions that are answered by it."""
    if screen.stem == "Caught at":
        return _way(keyboard, task)
    if screen.stem == "Tackled by":
        return _tacklers(keyboard, task)
    if screen.stem == "Kind of run":
        return _runner(keyboard, task, screen, last_runner)
    return _receiver(keyboard, task, screen) if screen.stem == "Passer" else []


def _way(keyboard: Keyboard, task: Task) -> list[str]:
    """Both spots of a catch with a run after it, as `+8+5`."""
    caught, ran = _answer(task, "Caught at"), _answer(task, "Ran to")
    if not isinstance(caught, Spot) or not isinstance(ran, Spot) or caught.touchdown:
        return []
    if caught.gain is None or ran.start is None or (ran.yard == ran.start and not ran.touchdown):
        return []
    further = "t" if ran.text == "t" else f"{ran.yard - ran.start:+d}{'!' * ran.touchdown}"
    keyboard.write(f"{caught.gain:+d}{further}")
    keyboard.press("Enter")
    return ["Caught at", "Ran to"]


def _tacklers(keyboard: Keyboard, task: Task) -> list[str]:
    """Two and more at once, with how they share the tackle."""
    tacklers, share = _answer(task, "Tackled by"), _answer(task, "How do they share it?")
    if not isinstance(tacklers, People) or len(tacklers.people) < 2:
        return []
    if any(person.number is None for person in tacklers.people):
        return []
    sign = "," if _is(share, ALL_ASSIST) else "+"
    keyboard.write(sign.join(str(person.number) for person in tacklers.people))
    keyboard.press("Enter")
    return ["Tackled by", "How do they share it?"]


def _runner(
    keyboard: Keyboard, task: Task, screen: Screen, last_runner: Mapping[str, str]
) -> list[str]:
    kind, runner = _answer(task, "Kind of run"), _answer(task, "Carried by")
    if not isinstance(kind, Choose) or kind.label != "rush" or not isinstance(runner, Person):
        return []
    if runner.number is None or runner.label in last_runner.values():
        return []
    return _typed(keyboard, str(runner.number), runner, ["Kind of run", "Carried by"])


def _receiver(keyboard: Keyboard, task: Task, screen: Screen) -> list[str]:
    passer, result = _answer(task, "Passer"), _answer(task, "The pass was")
    question = "Caught by" if task.action == "pass" and _is(result, "complete") else "Meant for"
    receiver = _answer(task, question)
    if not isinstance(passer, Person) or not passer.is_first(screen):
        return []
    if not isinstance(receiver, Person) or receiver.number is None:
        return []
    key = RESULT_KEYS.get(result.label) if isinstance(result, Choose) else None
    if key is None:
        return []
    return _typed(
        keyboard, f"{key}{receiver.number}", receiver, ["Passer", "The pass was", question]
    )


def _is(answer: object, label: str) -> bool:
    return isinstance(answer, Choose) and answer.label == label


def _answer(task: Task, question: str) -> object:
    ask = task.asks.get(question)
    return None if ask is None else ask.answer


def _typed(keyboard: Keyboard, text: str, person: Person, stems: list[str]) -> list[str]:
    """Types the text and takes the player; takes it back if somebody else is marked."""
    keyboard.write(text)
    screen = keyboard.screen()
    if screen.stem == stems[-1] and person.is_first(screen):
        keyboard.press("Enter")
        return stems
    if screen.stem == stems[-1]:
        keyboard.clear(screen.typed)
        person.give(keyboard, keyboard.screen())
        return stems
    keyboard.clear(screen.typed)
    return []

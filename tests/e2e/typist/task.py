"""An entry that is to be typed.

Its action, and the answer to each question that it may ask, by the question's name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from app.record import events as ev
from tests.e2e.typist.answers import Answer, Proposed, Spot
from tests.e2e.typist.scene import Scene, Step

EXTRA = 0  # a body that the console makes and the script has not


@dataclass
class Ask:
    """The answer to a question, and the steps of the script that it brings about."""

    answer: Answer
    made: list[int] = field(default_factory=list)


@dataclass
class Task:
    """An entry.

    `action` by its name in docs/console-keys.json; `made`: steps that it brings about in any case.

    `needed`: questions that must have been asked, or the entry says something else than what
    happened.
    """

    action: str
    made: list[int]
    asks: dict[str, Ask] = field(default_factory=dict)
    needed: set[str] = field(default_factory=set)

    def ask(self, question: str, answer: Answer, *made_numbers: int) -> None:
        self.asks[question] = Ask(answer, list(made_numbers))


def spot_of(team: str, yard: int | None, scene: Scene, touchdown: bool = False) -> Answer:
    return Proposed() if yard is None else Spot(team, scene.other(team), yard, touchdown)


# Makes the task of a step: its number, its body, the steps that come after it.
Maker = Callable[[int, Any, list[Step], Scene], Task]
Makers = dict[type[ev.Body], Maker]

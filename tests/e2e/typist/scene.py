"""What the typist knows while it types.

The clubs, the people by name, and under which number the console has what.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.record import events as ev
from app.record.script import GameScript
from tests.e2e.typist.answers import Choose, Person

Step = tuple[int, ev.Body]  # number of the step in the script, and what happened


@dataclass
class Scene:
    """`numbers`: the console's event number by the script's.

    They differ where one entry makes events in another order.

    `standing`: what counts of the play that is being typed, by the script's number.
    """

    home: str
    away: str
    people: dict[str, Person]
    numbers: dict[int, int] = field(default_factory=dict)
    standing: dict[int, ev.Body] = field(default_factory=dict)

    @classmethod
    def of(cls, script: GameScript) -> Scene:
        people = {
            footballer.id: Person(footballer.name, footballer.number)
            for footballer in script.footballers
        }
        return cls(script.home.id, script.away.id, people)

    def other(self, club: str) -> str:
        return self.away if club == self.home else self.home

    def who(self, player: str | None) -> Person:
        return Person(None) if player is None else self.people[player]

    def club(self, club: str) -> Choose:
        return Choose(f"{club} (")

    def typed(self, numbers: Sequence[int]) -> list[int]:
        """The console's numbers of these events of the script.

        Those that were never typed are left out.
        """
        return [self.numbers[number] for number in numbers if number in self.numbers]

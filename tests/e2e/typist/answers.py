"""Answers to the console's questions: one class a kind of question.

Each looks at what is proposed, and types only what differs.

`give` answers the open question and says whether it had to overrule what was proposed; None:
nothing was proposed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tests.e2e.typist.screen import CannotTypeError, Keyboard, Screen

# Proposals that propose nothing: Enter on an empty line where somebody or something might be named.
NOTHING = ("nobody", "not noted", "none", "nothing to add", "that is all", "–")
_SUFFIXES = ("jr", "sr", "ii", "iii", "iv", "v")
# A spot that is the one where the movement began, in the console's words.
SAME_SPOT = ("down at the catch", "no return", "no further")


class Answer(Protocol):
    def give(self, keyboard: Keyboard, screen: Screen) -> bool | None: ...


def overruled(screen: Screen) -> bool | None:
    """Of an answer that is not what Enter would have taken."""
    proposed = screen.proposed
    return None if proposed is None or proposed.label.startswith(NOTHING) else True


def take(keyboard: Keyboard) -> bool:
    keyboard.press("Enter")
    return False


@dataclass(frozen=True)
class Choose:
    """One of the choices shown, by how its label begins."""

    label: str

    def give(self, keyboard: Keyboard, screen: Screen) -> bool | None:
        offers = [
            offer for offer in screen.offers if offer.label.lower().startswith(self.label.lower())
        ]
        if not offers:
            raise CannotTypeError(f"there is no choice ‘{self.label}’: {screen}")
        chosen = min(offers, key=lambda offer: len(offer.label))
        if chosen.proposed:
            return take(keyboard)
        keyboard.press(chosen.key)
        return overruled(screen)


@dataclass(frozen=True)
class Beside:
    """An answer that is offered beside the players: by its key, then Enter."""

    label: str

    def give(self, keyboard: Keyboard, screen: Screen) -> bool | None:
        was = Choose(self.label).give(keyboard, screen)
        if was is not False:  # else Enter has taken it already
            take(keyboard)
        return was


@dataclass(frozen=True)
class OrElse:
    """A choice that is taken where there is one; else what is proposed."""

    label: str

    def give(self, keyboard: Keyboard, screen: Screen) -> bool | None:
        if any(offer.label.startswith(self.label) for offer in screen.offers):
            return Choose(self.label).give(keyboard, screen)
        return take(keyboard)


@dataclass(frozen=True)
class Unless:
    """What is proposed, unless it is this: then the other."""

    not_this: str
    label: str

    def give(self, keyboard: Keyboard, screen: Screen) -> bool | None:
        if screen.proposed and screen.proposed.label.startswith(self.not_this):
            return Choose(self.label).give(keyboard, screen)
        return take(keyboard)


@dataclass(frozen=True)
class Person:
    """As the roster of the page shows them; `name` None: nobody can be named."""

    name: str | None
    number: int | None = None

    @property
    def label(self) -> str:
        if self.name is None:
            return "nobody named"
        return self.name if self.number is None else f"{self.number} {self.name}"

    def is_first(self, screen: Screen) -> bool:
        return screen.proposed is not None and screen.proposed.label == self.label

    def give(self, keyboard: Keyboard, screen: Screen) -> bool | None:
        if self.is_first(screen):
            return take(keyboard)
        was = overruled(screen)
        self.find(keyboard)
        keyboard.press("Enter")
        return was

    def find(self, keyboard: Keyboard) -> None:
        """By number, else by as much of the last name as it takes, else by the whole name.

        At last by the arrow.
        """
        if self.name is None:
            keyboard.press("-")
            return
        ways = [str(self.number)] if self.number is not None else []
        for text in [*ways, last_name(self.name), self.name]:
            screen = keyboard.write_until(text, self.is_first)
            if self.is_first(screen):
                return
            place = next(
                (n for n, offer in enumerate(screen.offers) if offer.label == self.label), None
            )
            if place is not None:
                keyboard.press(*["ArrowDown"] * (place + (screen.proposed is None)))
                return
            keyboard.clear(screen.typed)
        raise CannotTypeError(f"{self.label} is not on the roster: {keyboard.screen()}")


def last_name(name: str) -> str:
    """What a scorer would type first.

    >>> last_name("Aaron Rodgers"), last_name("Marvin Jones Jr."), last_name("A.Vinatieri")
    ('Rodgers', 'Jones', 'Vinatieri')
    """
    words = [word for word in name.replace(".", " ").split() if word.lower() not in _SUFFIXES]
    return words[-1] if words else name


@dataclass(frozen=True)
class People:
    """One after the other, and Enter on an empty line."""

    people: Sequence[Person]

    def give(self, keyboard: Keyboard, screen: Screen) -> bool | None:
        if not self.people and overruled(screen):
            keyboard.write("--")
        for person in self.people:
            person.find(keyboard)
            keyboard.press("Enter")
        keyboard.press("Enter")
        return None


@dataclass(frozen=True)
class Spot:
    """A yard from the goal line of `team`.

    `start`: where the movement began, for a proposal that says `no further`.

    `gain`: the official yards: where they do not fit the spot, they are what is typed.
    """

    team: str
    other: str
    yard: int
    touchdown: bool = False
    start: int | None = None
    gain: int | None = None

    @property
    def words(self) -> str:
        if self.touchdown and self.yard == 100:
            return "touchdown"
        if self.yard < 0:
            yards = "1 yard" if self.yard == -1 else f"{-self.yard} yards"
            return f"{yards} deep in {self.team}’s end zone"
        if self.yard == 0:
            return f"{self.team}’s goal line"
        if self.yard >= 100:
            return f"{self.other}’s goal line"
        if self.yard == 50:
            return "the 50"
        return f"{self.team} {self.yard}" if self.yard < 50 else f"{self.other} {100 - self.yard}"

    @property
    def text(self) -> str:
        if self.touchdown and self.yard == 100:
            return "t"
        if self.yard < 0:
            return f"e{-self.yard}"
        place = f"{self.yard}" if self.yard <= 50 else f"d{100 - self.yard}"
        return place + "!" * self.touchdown

    def is_shown(self, label: str) -> bool:
        if label.startswith(SAME_SPOT):
            return self.yard == self.start and not self.touchdown
        place, _, gain = label.partition(" (")
        if self.gain is not None and not self.touchdown:
            gained = int(gain.rstrip(")").replace("−", "-")) if gain else 0
            if gained != self.gain:
                return False
        return place == self.words

    def give(self, keyboard: Keyboard, screen: Screen) -> bool | None:
        proposed = screen.proposed
        if proposed and (self.is_shown(proposed.label) or proposed.label == self.words):
            return take(keyboard)
        was = overruled(screen)
        keyboard.write(self.text)
        last_screen = keyboard.screen()
        if last_screen.proposed is None or not self.is_shown(last_screen.proposed.label):
            if self.gain is None or last_screen.proposed is None:
                raise CannotTypeError(
                    f"{self.words} cannot be typed as ‘{self.text}’: {last_screen}"
                )
            keyboard.clear(self.text)
            keyboard.write(f"{self.gain:+d}{'!' * self.touchdown}")
        keyboard.press("Enter")
        return was


class NoSpot:
    """Nobody noted where."""

    def give(self, keyboard: Keyboard, screen: Screen) -> bool | None:
        if screen.proposed and not screen.proposed.label.startswith(NOTHING):
            raise CannotTypeError(f"a spot is proposed and none can be left out: {screen}")
        return take(keyboard)


@dataclass(frozen=True)
class Number:
    value: int

    def give(self, keyboard: Keyboard, screen: Screen) -> bool | None:
        if screen.proposed and screen.proposed.label == str(self.value):
            return take(keyboard)
        keyboard.write(str(self.value))
        keyboard.press("Enter")
        return overruled(screen)


@dataclass(frozen=True)
class Words:
    """Free text; where the console offers known words, as few letters as it takes."""

    text: str

    def give(self, keyboard: Keyboard, screen: Screen) -> bool | None:
        if not self.text or (screen.proposed and screen.proposed.label == self.text):
            return take(keyboard)
        keyboard.write_until(self.text, self._is_first)
        keyboard.press("Enter")
        return overruled(screen)

    def _is_first(self, screen: Screen) -> bool:
        return screen.proposed is not None and screen.proposed.label.lower() == self.text.lower()


@dataclass(frozen=True)
class Events:
    """Numbers of events to strike out."""

    numbers: Sequence[int]

    def give(self, keyboard: Keyboard, screen: Screen) -> bool | None:
        numbers = " ".join(f"#{number}" for number in self.numbers) or "none"
        if screen.proposed and screen.proposed.label == numbers:
            return take(keyboard)
        keyboard.write(" ".join(str(number) for number in self.numbers) or "-")
        keyboard.press("Enter")
        return overruled(screen)


@dataclass(frozen=True)
class Event:
    """One event of the log by its number; an old one is asked from the server."""

    number: int

    def give(self, keyboard: Keyboard, screen: Screen) -> bool | None:
        keyboard.write(str(self.number))
        keyboard.press("Enter")
        keyboard.asked_on(screen.question)
        return None


class Proposed:
    """Whatever Enter takes: of a question that the play says nothing about."""

    def give(self, keyboard: Keyboard, screen: Screen) -> bool | None:
        return take(keyboard)

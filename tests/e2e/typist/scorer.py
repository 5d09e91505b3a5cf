"""A game from its first key to its last: play by play, entry by entry, question by question."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from app.record import events as ev
from tests.e2e.typist.answers import Proposed
from tests.e2e.typist.scene import Scene, Step
from tests.e2e.typist.screen import CannotTypeError, Keyboard, Screen
from tests.e2e.typist.snaps import snap_before, type_snap
from tests.e2e.typist.tally import Tally
from tests.e2e.typist.task import EXTRA, Task
from tests.e2e.typist.tasks import next_task
from tests.e2e.typist.through import type_through

MOST_QUESTIONS = 30
JOINS = "="
Play = list[Step]


def plays_of(bodies: Sequence[ev.Body]) -> list[Play]:
    """The steps by play, numbered from 1: each begins with its snap.

    What is before the first snap belongs to it.
    """
    plays: list[Play] = [[]]
    for number, body in enumerate(bodies, 1):
        if isinstance(body, ev.Snap) and any(isinstance(other, ev.Snap) for _, other in plays[-1]):
            plays.append([])
        plays[-1].append((number, body))
    return plays


class Scorer:
    """Types at one console. `keys`: key by name of the action, as docs/console-keys.json has them.

    `is_cut`: whether the line is dead now; then an entry is done when the browser says that it is
    kept.
    """

    def __init__(
        self, keyboard: Keyboard, scene: Scene, keys: dict[str, str], tally: Tally
    ) -> None:
        self.keyboard = keyboard
        self.scene = scene
        self.keys = keys
        self.tally = tally
        self.next_number = 1
        self.is_cut = False
        self.unsent = 0
        self.last_runner: dict[str, str] = {}
        self.has_snapped = False

    def play(self, number: int, steps: Play) -> None:
        """Types a play.

        What cannot be typed is noted with its reason and left out, and the game goes on.
        """
        begun = self.keyboard.pressed
        left = list(steps)
        self.scene.standing = {}
        while left:
            try:
                task = self._next(left)
                made_numbers = task.made + [n for ask in task.asks.values() for n in ask.made]
            except CannotTypeError as error:
                self.tally.could_not(number, left[0][1], str(error))
                self._put_down()
                made_numbers = [left[0][0]]
            left = [step for step in left if step[0] not in made_numbers]
        self.tally.plays.append(self.keyboard.pressed - begun)

    def _next(self, left: Play) -> Task:
        """The snap, with the movement that follows it if that opens the play; else one entry."""
        snap = left[0][1]
        if not isinstance(snap, ev.Snap):
            return self._enter(left)
        if len(left) == 1 or not opens_play(left[1][1]):
            return self._snap(left[0])
        # the first snap of a game has a key of its own
        words = snap_before(self.keyboard, snap, self.scene) if self.has_snapped else None
        if words is None:
            return self._snap(left[0])
        self.keyboard.write(words)
        self.tally.prompts += 1
        return self._enter(left[1:], opened_by=left[0])

    def _snap(self, step: Step) -> Task:
        number, body = step
        assert isinstance(body, ev.Snap)
        for what in type_snap(self.keyboard, self.keys["snap"], body, self.scene):
            self.tally.overrule(f"Snap: {what}")
        self.tally.prompts += 1
        self.has_snapped = True
        task = Task("snap", [number])
        self._recorded([number], {number: body})
        return task

    def _enter(self, left: list[Step], opened_by: Step | None = None) -> Task:
        """One entry; gives it with only what was asked. `opened_by`: the snap in it, if any."""
        task = next_task(left, self.scene)
        self.keyboard.press(self.keys[task.action])
        if opened_by is not None:
            task.made.insert(0, opened_by[0])
        elif self.keyboard.screen().opens.startswith("Opens"):
            # the script has a snap for each play: this is more of the same one
            self.keyboard.press(JOINS)
        asked: dict[str, None] = {}
        for _ in range(MOST_QUESTIONS):
            screen = self.keyboard.screen()
            if screen.is_complete or screen.is_ready:
                break
            if screen.tone == "fault" and screen.said:
                raise CannotTypeError(f"the console says: {screen}")
            for stem in type_through(self.keyboard, task, screen, self.last_runner):
                asked[stem] = None
            if screen.stem not in asked:
                self._answer(task, screen)
                asked[screen.stem] = None
        else:
            raise CannotTypeError(f"more than {MOST_QUESTIONS} questions: {screen}")
        if missing := task.needed - asked.keys():
            raise CannotTypeError(f"the console did not ask {sorted(missing)}: {screen}")
        task.asks = {stem: ask for stem, ask in task.asks.items() if stem in asked}
        made_numbers = task.made + [
            n for stem in asked if stem in task.asks for n in task.asks[stem].made
        ]
        if not screen.is_ready:  # the Enter that ended the tacklers has recorded it
            self.keyboard.press("Enter")
        self._recorded(made_numbers, dict([opened_by, *left] if opened_by else left))
        self._runs(left[0][1])
        return task

    def _runs(self, body: ev.Body) -> None:
        """Remembers who ran last, whom the console proposes for the next run."""
        if isinstance(body, ev.Run) and body.kind == "rush" and body.player:
            self.last_runner[body.team] = self.scene.who(body.player).label

    def _answer(self, task: Task, screen: Screen) -> None:
        ask = task.asks.get(screen.stem)
        if ask is None:
            self.tally.unknown(f"{screen.title}: {screen.stem}")
        was_overruled = (Proposed() if ask is None else ask.answer).give(self.keyboard, screen)
        if was_overruled is not None:
            self.tally.prompts += 1
        if was_overruled:
            self.tally.overrule(f"{screen.title}: {screen.stem}")

    def _recorded(self, made_numbers: list[int], bodies: dict[int, ev.Body]) -> None:
        """Waits until the entry is recorded, and learns under which numbers."""
        if self.is_cut:
            self.unsent += 1
            self.keyboard.answered(self.unsent)
        else:
            screen = self.keyboard.answered(None)
            match = re.match(r"Recorded as #(\d+)(?: to #(\d+))?, ", screen.said)
            if match is None:
                raise CannotTypeError(f"the entry was not recorded: {screen}")
            first, last = int(match[1]), int(match[2] or match[1])
            if (first, last) != (self.next_number, self.next_number + len(made_numbers) - 1):
                self.tally.faults.append(
                    f"expected {len(made_numbers)} events from #{self.next_number}: {screen.said}"
                )
                self.next_number = first
                made_numbers = (made_numbers + [EXTRA] * (last - first + 1))[: last - first + 1]
        for offset, number in enumerate(made_numbers):
            if number != EXTRA:
                self.scene.numbers[number] = self.next_number + offset
                self._stands(number, bodies[number])
        self.next_number += len(made_numbers)

    def _stands(self, number: int, body: ev.Body) -> None:
        standing = self.scene.standing
        if isinstance(body, ev.Nullify):
            for event in body.events:
                standing.pop(event, None)
        elif isinstance(body, ev.Overturn | ev.StatCorrection):
            standing[body.event] = body.ruling
        elif not isinstance(body, ev.Challenge | ev.Timeout | ev.Period | ev.GameStarted):
            standing[number] = body

    def _put_down(self) -> None:
        """Back to where nothing is being entered."""
        for _ in range(MOST_QUESTIONS):
            if self.keyboard.screen().title in ("Ready", "Watching"):
                return
            self.keyboard.press("Escape")

    def all_sent(self) -> None:
        """Once the line is back: waits until everything that was kept has been recorded."""
        self.keyboard.all_sent()
        self.is_cut, self.unsent = False, 0


def opens_play(body: ev.Body) -> bool:
    """Whether what happened opens its play with the snap before it, in one entry."""
    if isinstance(body, ev.Run):
        return body.kind in ("rush", "scramble", "kneel")
    return isinstance(body, ev.Pass | ev.Sack | ev.Kick)


def plain_drives(plays: Sequence[Play]) -> list[range]:
    """Places of the plays of each whole drive without flag or review, longest first.

    Ties stay in order.
    """
    groups: list[list[int]] = []
    last = None
    for place, play in enumerate(plays):
        snap = next((body for _, body in play if isinstance(body, ev.Snap)), None)
        club = snap.possession if snap is not None and snap.situation == "scrimmage" else None
        if club is not None and club == last:
            groups[-1].append(place)
        elif club is not None:
            groups.append([place])
        last = club
    plain = [
        range(drive[0], drive[-1] + 1)
        for drive in groups
        if all(_is_plain(plays[place]) for place in drive)
    ]
    return sorted(plain, key=lambda drive: -len(drive))


def _is_plain(play: Play) -> bool:
    """Whether it can be entered without the numbers of what is not sent yet."""
    beside = ev.Correction | ev.Challenge | ev.Penalty | ev.Period | ev.GameEnded | ev.Final
    return not any(isinstance(body, beside) for _, body in play)


OnPlay = Callable[[int], None]


def type_game(scorer: Scorer, bodies: Sequence[ev.Body], before: OnPlay | None = None) -> None:
    """Types the whole game; `before` is called with the place of each play before its first key."""
    for place, play in enumerate(plays_of(bodies)):
        if before is not None:
            before(place)
        scorer.play(place + 1, play)

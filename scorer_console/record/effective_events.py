"""Computes which accepted events of a game count, so that the console does not need Kafka. Pure.

It applies corrections one by one, and finds the bodies that take events back. The same rule for
rows is in app/record/ingest.py: the highest revision of an event wins.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter

import msgspec

from app.record import events as ev
from app.record.rules.order import Key, event_key, play_key, play_places
from app.record.rules.slips import BY_SCORER, TAKES_BACK


@dataclass(frozen=True, slots=True)
class EffectiveEvent:
    """An event that counts, by its last ruling."""

    event_number: int
    play_number: int
    body: ev.Body


# The number of the correction, and its ruling: None if it nullified the event.
Ruling = tuple[int, ev.Body | None]


@dataclass(frozen=True)
class Fold:
    """A game's events and those of them that count. Immutable: `with_events` returns a new one.

    `entered` are all events, ordered by number. `effective` are those that count, ordered by number
    and without corrections. `corrections` are the corrections, ordered by number. `rulings` are the
    rulings on each event that is not a correction, by its number.
    """

    entered: list[ev.GameEvent] = field(default_factory=list)
    effective: list[EffectiveEvent] = field(default_factory=list)
    corrections: list[ev.GameEvent] = field(default_factory=list)
    rulings: dict[int, tuple[Ruling, ...]] = field(default_factory=dict)

    def with_events(self, events: Iterable[ev.GameEvent]) -> Fold:
        """Return the fold with later events, which are in order of number.

        Worked example: 7 run, 8 overturn of 7, 9 nullify of 7: nothing counts; 10 overturn of 7:
        its ruling counts.
        """
        later = Fold(
            list(self.entered), list(self.effective), list(self.corrections), dict(self.rulings)
        )
        for event in events:
            later._add(event)
        return later

    def _add(self, event: ev.GameEvent) -> None:
        number, body = event.event_number, event.body
        self.entered.append(event)
        if not isinstance(body, ev.Correction):
            self.rulings[number] = ((number, body),)
            self.effective.append(EffectiveEvent(number, event.play_number, body))
            return
        self.corrections.append(event)
        for target in body.targets:
            if target in self.rulings:
                self._rule(target, number, None if isinstance(body, ev.Nullify) else body.ruling)

    def _rule(self, target: int, by: int, body: ev.Body | None) -> None:
        self.rulings[target] += ((by, body),)
        place = self.place(target)
        counted = place < len(self.effective) and self.effective[place].event_number == target
        new = [] if body is None else [EffectiveEvent(target, self.event(target).play_number, body)]
        self.effective[place : place + counted] = new

    @cached_property
    def play_places(self) -> dict[int, float]:
        """Places of moved plays by play number. A play that was struck out keeps its last place."""
        snaps = [event for event in self.entered if isinstance(event.body, ev.Snap)]
        standing_last = sorted(snaps, key=lambda event: self.body(event.event_number) is not None)
        return play_places(
            (event.event_number, event.play_number, self.last_body(event))
            for event in standing_last
        )

    @cached_property
    def in_order(self) -> list[EffectiveEvent]:
        """The events that count, in the order of the game (app/record/rules/order.py)."""
        return sorted(self.effective, key=self._key)

    def before(self, number: int) -> list[EffectiveEvent]:
        """Return the events that count before this one in the order of the game.

        The event itself need not count.
        """
        event = self.event(number)
        here = self._key(EffectiveEvent(number, event.play_number, self.last_body(event)))
        return self.in_order[: bisect_left(self.in_order, here, key=self._key)]

    def current_play(self, last: int) -> int:
        """The current play: the last one in the order of the game.

        `last` is the highest play number so far.
        """
        if not self.play_places:
            return last
        plays = {
            0,
            last,
            *(event.play_number for event in self.entered if isinstance(event.body, ev.Snap)),
        }
        return max(plays, key=lambda play: play_key(play, self.play_places))

    def _key(self, event: EffectiveEvent) -> Key:
        return event_key((event.event_number, event.play_number, event.body), self.play_places)

    def last_body(self, event: ev.GameEvent) -> ev.Body:
        """Return the body of the last ruling on the event that did not nullify it."""
        bodies = [body for _, body in self.rulings.get(event.event_number, ()) if body is not None]
        return bodies[-1] if bodies else event.body

    def place(self, number: int) -> int:
        """Return how many effective events have a lower number."""
        return bisect_left(self.effective, number, key=attrgetter("event_number"))

    def event(self, number: int) -> ev.GameEvent:
        """Return the event as it was entered. Raises LookupError if there is none."""
        place = bisect_left(self.entered, number, key=attrgetter("event_number"))
        if place == len(self.entered) or self.entered[place].event_number != number:
            raise LookupError(f"there is no event {number}")
        return self.entered[place]

    def body(self, number: int, before: int | None = None) -> ev.Body | None:
        """Return the body that counts of an event, now or before event `before` was entered."""
        bodies = [
            body for by, body in self.rulings.get(number, ()) if before is None or by < before
        ]
        return bodies[-1] if bodies else None


def fold(events: Iterable[ev.GameEvent]) -> Fold:
    """Return the fold of these events, which may be in any order."""
    return Fold().with_events(sorted(events, key=attrgetter("event_number")))


def effective_events(events: Iterable[ev.GameEvent]) -> list[EffectiveEvent]:
    """Return the events that count, by number, without corrections."""
    return fold(events).effective


def inverse(game: Fold, numbers: Iterable[int]) -> list[ev.Body]:
    """Return the bodies that take these events back as new facts; empty if none of them counts.

    A play, pass or any other fact is nullified. A correction is answered by an overturn to what
    counted before it (`valid` never returns, so bringing back is a new ruling), or by a nullify if
    nothing had counted. What a correction had moved goes back to its place. A challenge cannot be
    ruled on: one that was struck out is entered again.
    """
    facts: set[int] = set()
    back: dict[int, ev.Body] = {}
    for number in sorted(set(numbers)):
        if game.body(number) is not None:
            facts.add(number)
        for target in ev.targets(game.event(number).body):
            was, now = game.body(target, before=number), game.body(target)
            if was == now:
                continue
            if was is None:
                facts.add(target)
            elif isinstance(was, ev.Fact):
                event = game.event(target)
                ruling = _back_in_place(was, event, game.last_body(event))
                back[target] = ev.Overturn(
                    event=target, ruling=ruling, reason=f"{_TAKES_BACK} {number}", by_scorer=True
                )
            else:
                back[target] = was
    bodies: list[ev.Body] = [back[target] for target in sorted(back)]
    if facts:
        bodies.append(ev.Nullify(events=tuple(sorted(facts)), reason=_TAKEN_BACK))
    return bodies


_TAKEN_BACK, _TAKES_BACK = f"taken back{BY_SCORER}", TAKES_BACK


def takes_back(bodies: Iterable[ev.Body]) -> bool:
    """Whether an entry only takes back another one, with the bodies of `inverse`."""
    return all(
        isinstance(body, ev.Correction) and body.reason.startswith((_TAKEN_BACK, _TAKES_BACK))
        for body in bodies
    )


def placed_like(ruling: ev.Fact, earlier: ev.Body) -> ev.Fact:
    """Return the ruling with the place of the earlier one, unless it has its own place."""
    if isinstance(ruling, ev.Snap) and isinstance(earlier, ev.Snap) and ruling.play_place is None:
        ruling = msgspec.structs.replace(ruling, play_place=earlier.play_place)
    return (
        ruling if ruling.place is not None else msgspec.structs.replace(ruling, place=earlier.place)
    )


def _back_in_place(was: ev.Fact, event: ev.GameEvent, latest: ev.Body) -> ev.Fact:
    """Return the earlier body with explicit places if the latest ruling has other ones.

    Otherwise it would take over the places of the latest ruling.
    """
    if (
        isinstance(was, ev.Snap)
        and isinstance(latest, ev.Snap)
        and was.play_place is None
        and latest.play_place is not None
    ):
        was = msgspec.structs.replace(was, play_place=float(event.play_number))
    if was.place is None and latest.place is not None:
        was = msgspec.structs.replace(was, place=float(event.event_number))
    return was

"""Computes which accepted events of a game count, so that the console does not need Kafka. Pure.

It applies corrections one by one, and finds the bodies that take events back. The same rule for
rows is in app/record/ingest.py: the highest revision of an event wins.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
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


_BY_NUMBERS = attrgetter("play_number", "event_number")  # the order of the game without places
# Kinds of events that are looked up by kind. Two kinds of snaps are among them.
KICKOFF_OF_GAME, OVERTIME = "kickoff of the game", "snap in overtime"
_INDEXED = (ev.Period, ev.CoinToss, ev.Challenge, ev.RosterFact)


def _kinds_of(body: ev.Body) -> Iterator[object]:
    if isinstance(body, _INDEXED):
        yield type(body)
    elif isinstance(body, ev.Snap):
        if body.situation == "kickoff" and body.period == 1:
            yield KICKOFF_OF_GAME
        if body.period > ev.QUARTERS:
            yield OVERTIME


@dataclass(frozen=True)
class Fold:
    """A game's events and those of them that count. Immutable: `with_events` returns a new one.

    `entered` are all events, ordered by number, and `first_final` the number of the first that
    declares a final score. `effective` are those that count, ordered by number and without
    corrections. `corrections` are the corrections, ordered by number. `rulings` are the rulings on
    each event that is not a correction, by its number.

    What an entry needs does not take longer late in a game: `plays` has the numbers of the entered
    events by play, and `kinds` those that are, or were by some ruling, of a kind (_kinds_of).
    `is_placed` says whether some event names its place, or that of its play.
    """

    entered: list[ev.GameEvent] = field(default_factory=list)
    effective: list[EffectiveEvent] = field(default_factory=list)
    corrections: list[ev.GameEvent] = field(default_factory=list)
    rulings: dict[int, tuple[Ruling, ...]] = field(default_factory=dict)
    plays: dict[int, tuple[int, ...]] = field(default_factory=dict)
    kinds: dict[object, tuple[int, ...]] = field(default_factory=dict)
    first_final: int | None = None
    is_placed: bool = False

    def with_events(self, events: Iterable[ev.GameEvent]) -> Fold:
        """Return the fold with later events, which are in order of number.

        Worked example: 7 run, 8 overturn of 7, 9 nullify of 7: nothing counts; 10 overturn of 7:
        its ruling counts.
        """
        events = list(events)
        facts = [(event.event_number, _fact_of(event.body)) for event in events]
        later = Fold(
            list(self.entered),
            list(self.effective),
            list(self.corrections),
            dict(self.rulings),
            dict(self.plays),
            dict(self.kinds),
            self.first_final or next((n for n, fact in facts if isinstance(fact, ev.Final)), None),
            self.is_placed or any(_names_a_place(fact) for _, fact in facts),
        )
        for event in events:
            later._add(event)
        return later

    def _add(self, event: ev.GameEvent) -> None:
        number, body = event.event_number, event.body
        self.entered.append(event)
        self.plays[event.play_number] = (*self.plays.get(event.play_number, ()), number)
        if not isinstance(body, ev.Correction):
            self.rulings[number] = ((number, body),)
            self.effective.append(EffectiveEvent(number, event.play_number, body))
            self._index(number, body)
            return
        self.corrections.append(event)
        for target in body.targets:
            if target in self.rulings:
                self._rule(target, number, _fact_of(body))

    def _index(self, number: int, body: ev.Body) -> None:
        for kind in _kinds_of(body):
            if number not in self.kinds.get(kind, ()):
                self.kinds[kind] = (*self.kinds.get(kind, ()), number)

    def _rule(self, target: int, by: int, body: ev.Body | None) -> None:
        self.rulings[target] += ((by, body),)
        if body is not None:
            self._index(target, body)
        place = self.place(target)
        counted = place < len(self.effective) and self.effective[place].event_number == target
        new = [] if body is None else [EffectiveEvent(target, self.event(target).play_number, body)]
        self.effective[place : place + counted] = new

    @cached_property
    def play_places(self) -> dict[int, float]:
        """Places of moved plays by play number. A play that was struck out keeps its last place."""
        if not self.is_placed:
            return {}
        snaps = [event for event in self.entered if isinstance(event.body, ev.Snap)]
        standing_last = sorted(snaps, key=lambda event: self.body(event.event_number) is not None)
        return play_places(
            (event.event_number, event.play_number, self.last_body(event))
            for event in standing_last
        )

    @cached_property
    def in_order(self) -> list[EffectiveEvent]:
        """The events that count, in the order of the game (app/record/rules/order.py)."""
        key = self._key if self.is_placed else attrgetter("play_number")
        return sorted(self.effective, key=key)

    def in_play(self, play: int) -> list[EffectiveEvent]:
        """Return the events of a play that count, in order."""
        events = list(self._standing(self.plays.get(play, ())))
        return sorted(events, key=self._key) if self.is_placed else events

    def of_kind(self, *kinds: object) -> list[EffectiveEvent]:
        """Return the events of these kinds (_kinds_of) that count, by number."""
        numbers = {number for kind in kinds for number in self.kinds.get(kind, ())}
        return [
            event
            for event in self._standing(sorted(numbers))
            if any(kind in kinds for kind in _kinds_of(event.body))
        ]

    @property
    def roster_facts(self) -> list[tuple[int, int, ev.RosterFact]]:
        """Number, play number and body of the roster facts that count, by number."""
        return [
            (event.event_number, event.play_number, event.body)
            for event in self.of_kind(ev.RosterFact)
            if isinstance(event.body, ev.RosterFact)
        ]

    def _standing(self, numbers: Iterable[int]) -> Iterator[EffectiveEvent]:
        for number in numbers:
            body = self.body(number)
            if body is not None:
                yield EffectiveEvent(number, self.event(number).play_number, body)

    def before(self, number: int) -> list[EffectiveEvent]:
        """Return the events that count before this one in the order of the game.

        The event itself need not count.
        """
        event = self.event(number)
        if not self.is_placed:
            here = (event.play_number, number)
            return self.in_order[: bisect_left(self.in_order, here, key=_BY_NUMBERS)]
        moved_here = self._key(EffectiveEvent(number, event.play_number, self.last_body(event)))
        return self.in_order[: bisect_left(self.in_order, moved_here, key=self._key)]

    def current_play(self, last: int) -> int:
        """The current play: the last one in the order of the game.

        `last` is the highest play number so far.
        """
        if not self.play_places:
            return last
        snapped = (event.play_number for event in self.entered if isinstance(event.body, ev.Snap))
        plays = {0, last, *snapped}
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


def _fact_of(body: ev.Body) -> ev.Body | None:
    """Return what the event says happened; None if it only strikes out."""
    if not isinstance(body, ev.Correction):
        return body
    return None if isinstance(body, ev.Nullify) else body.ruling


def _names_a_place(fact: ev.Body | None) -> bool:
    if fact is None:
        return False
    return fact.place is not None or (isinstance(fact, ev.Snap) and fact.play_place is not None)


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

"""What stands of a game, straight from what was accepted: the console must be right when Kafka is away.

Lives here: applying corrections, and finding the entry that takes one back. Pure.
Not here: the same rule on rows (app/record/ingest.py). The highest revision of an event wins.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.record import events as ev


@dataclass(frozen=True)
class Standing:
    """An event that counts, in its last ruling."""

    event_number: int
    play_number: int
    body: ev.Body


def standing(events: Iterable[ev.GameEvent]) -> list[Standing]:
    """The events that count, by number, corrections themselves left out.

    Worked example: 7 run, 8 overturn of 7, 9 nullify of 7: nothing stands; 10 overturn of 7: its ruling stands.
    """
    plays: dict[int, int] = {}
    bodies: dict[int, ev.Body | None] = {}
    for event in sorted(events, key=lambda event: event.event_number):
        body = event.body
        if isinstance(body, ev.Nullify):
            for number in body.events:
                bodies[number] = None
        elif isinstance(body, ev.Overturn | ev.StatCorrection):
            bodies[body.event] = body.ruling
        else:
            plays[event.event_number] = event.play_number
            bodies[event.event_number] = body
    return [
        Standing(number, plays[number], body)
        for number, body in sorted(bodies.items())
        if body is not None and number in plays
    ]


def inverse(events: Sequence[ev.GameEvent], numbers: Iterable[int]) -> list[ev.Body]:
    """The bodies that take these events back, as new facts; empty when nothing of them stands.

    A play, pass or any other fact is nullified. A correction is answered by an overturn to what stood before it
    (`valid` never returns, so bringing back is a new ruling), or by a nullify where nothing had stood.
    """
    wanted = set(numbers)
    now = {event.event_number: event.body for event in standing(events)}
    facts: list[int] = []
    back: dict[int, ev.Body] = {}
    for event in events:
        if event.event_number not in wanted:
            continue
        if event.event_number in now:
            facts.append(event.event_number)
        if not ev.targets(event.body):
            continue
        before = {
            one.event_number: one.body for one in standing(e for e in events if e.event_number < event.event_number)
        }
        for target in ev.targets(event.body):
            was, is_now = before.get(target), now.get(target)
            if was == is_now:
                continue
            if was is None:
                facts.append(target)
            elif isinstance(was, ev.Fact):
                back[target] = ev.Overturn(event=target, ruling=was, reason=f"takes back {event.event_number}")
    found: list[ev.Body] = [back[target] for target in sorted(back)]
    if facts:
        found.append(ev.Nullify(events=tuple(sorted(set(facts))), reason="taken back by the scorer"))
    return found

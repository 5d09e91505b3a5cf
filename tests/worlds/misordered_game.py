"""A game entered in another order than it was played in.

Forgotten plays, moved plays, forgotten events of a play.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from random import Random
from typing import Any

import msgspec

from app.record import events as ev
from app.record.rules.order import Numbered


@dataclass(eq=False)
class _Play:
    """A play as it was played.

    `place`: among those that were entered so far. `forgotten`: which of its bodies is.
    """

    bodies: list[ev.Body]
    number: int = 0
    place: float = 0
    forgotten: int | None = None
    numbers: list[int] = field(default_factory=list)


class _Entering:
    """Events as they are entered so far."""

    def __init__(self, plays: Sequence[_Play], game_id: str) -> None:
        self.plays, self.game_id = plays, game_id
        self.found: list[ev.GameEvent] = []
        self.given = 0  # the last play's number
        self.entered: list[_Play] = []

    def say(self, body: ev.Body, play: int) -> int:
        number = len(self.found) + 1
        at = 1_789_000_000_000 + len(self.found)
        event = {
            "event_number": number,
            "play_number": play,
            "epoch": 1,
            "recorded_at": at,
            "body": body,
        }
        self.found.append(ev.GameEvent(game_id=self.game_id, **event))
        return number

    def enter(self, play: _Play, place: float | None) -> None:
        """`place` None: it is the next play, where its number puts it."""
        if play is not self.plays[0]:
            self.given += 1
        play.number, play.place = self.given, self.given if place is None else place
        for index, body in enumerate(play.bodies):
            if isinstance(body, ev.Snap) and place is not None:
                body = msgspec.structs.replace(body, play_place=place)
            play.numbers.append(0 if play.forgotten == index else self.say(body, play.number))
        self.entered.append(play)

    def gap(self, play: _Play) -> float:
        """A place between those plays that were played before and after it and are entered."""
        here = next(index for index, other in enumerate(self.plays) if other is play)
        before = max(
            (play.place for play in self.plays[:here] if play in self.entered), default=0.0
        )
        after = min(
            (play.place for play in self.plays[here + 1 :] if play in self.entered),
            default=self.given + 1.0,
        )
        return (before + after) / 2

    def move(self, play: _Play) -> None:
        """To where it belongs."""
        self.entered.remove(play)
        play.place = self.gap(play)
        self.entered.append(play)
        snap = _snap(play)
        assert snap is not None
        moved = msgspec.structs.replace(snap, play_place=play.place)
        number = play.numbers[play.bodies.index(snap)]
        self.say(ev.Overturn(event=number, ruling=moved, reason="moved"), play.number)

    def remember(self, play: _Play, forgotten: int) -> None:
        later = [number for number in play.numbers[forgotten + 1 :] if number]
        before = max(play.numbers[:forgotten])
        place = (before + later[0]) / 2 if later else before + 0.5
        self.say(msgspec.structs.replace(play.bodies[forgotten], place=place), play.number)


def entered_out_of_order(
    standing: Sequence[Numbered], random: Random, game_id: str
) -> list[ev.GameEvent]:
    """Events that amount to the standing ones.

    About one play in four comes late or at a wrong place, and is inserted or moved; of about one in
    four an event comes last of all, and is put where it belongs.
    """
    plays = [
        _Play([body for *_, body in group])
        for _, group in groupby(standing, key=lambda pair: pair[1])
    ]
    late = [play for play in plays[1:] if _snap(play) and random.random() < 0.25]
    for play in plays[1:]:
        if len(play.bodies) > 1 and random.random() < 0.25:
            play.forgotten = random.randrange(1, len(play.bodies))
    entering = _Entering(plays, game_id)
    for play in plays:
        if play not in late:
            entering.enter(play, None)
    for play in random.sample(late, len(late)):
        if random.random() < 0.5:
            entering.enter(play, random.uniform(0.5, entering.given + 0.9))
            entering.move(play)
        else:
            entering.enter(play, entering.gap(play))
    for play in plays:
        if play.forgotten is not None:
            entering.remember(play, play.forgotten)
    return entering.found


def told(standing: Sequence[Any]) -> list[ev.Body]:
    """The bodies of a game in order, without their places."""
    return [_unplaced(body) for *_, body in standing if not isinstance(body, ev.Correction)]


def _unplaced(body: ev.Body) -> ev.Body:
    if isinstance(body, ev.Snap):
        body = msgspec.structs.replace(body, play_place=None)
    return msgspec.structs.replace(body, place=None)


def _snap(play: _Play) -> ev.Snap | None:
    return next((body for body in play.bodies if isinstance(body, ev.Snap)), None)

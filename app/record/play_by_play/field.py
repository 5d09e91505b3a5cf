"""Follows the ball while a play's official credits are turned into movements.

This module has the spots and the events of movements; chain.py decides which credit moves the ball
how. Official yards take precedence over spots: if both do not fit on the field, the start of the
movement is adjusted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.record import events as ev

Carry = Literal[
    "rush", "scramble", "kneel", "after_catch", "after_lateral", "return", "after_recovery"
]


def flip(yard: int) -> int:
    """The same spot seen from the other goal line."""
    return 100 - yard


END_ZONE = 10  # yards behind the goal line from where a kick may be returned


def within(yard: int) -> int:
    """The yard line, or the nearest one that is on the field."""
    return max(0, min(100, yard))


def span(start: int, yards: int, *, scored: bool = False) -> tuple[int, int]:
    """Start and end of a movement of so many yards, both on the field; a scoring one ends at 100.

    >>> span(30, 5), span(97, 5), span(30, 60, scored=True), span(-4, 104)
    ((30, 35), (95, 100), (40, 100), (-4, 100))
    """
    deep = max(0, -start)
    yards = max(-100, min(100 + deep, yards))
    end = (
        100
        if scored and yards >= 0
        else max(max(0, yards - deep), min(start + yards, 100 + min(0, yards)))
    )
    return end - yards, end


@dataclass(frozen=True, slots=True)
class Mover:
    """A player who had the ball, and the last spot of it, from their club's goal line."""

    team: str
    player: str | None
    yard: int


class Field:
    """The events of one play so far; `team` has the ball at `yard` from its own goal line."""

    def __init__(self, team: str, other: str, spot: int) -> None:
        self.clubs = (team, other)
        self.team = team
        self.yard = within(spot)
        self.bodies: list[ev.Body] = []
        self.movers: list[Mover] = []

    def other(self, team: str) -> str:
        """The other club."""
        return self.clubs[1] if team == self.clubs[0] else self.clubs[0]

    def seen_from(self, team: str) -> int:
        """The ball's spot from the goal line of `team`."""
        return self.yard if team == self.team else flip(self.yard)

    def put(self, team: str, yard: int) -> None:
        """Give the ball to `team` at `yard` from its own goal line."""
        self.team, self.yard = team, within(yard)

    def land(self, team: str, yard: int) -> None:
        """Let a kick come down with `team`, perhaps behind its goal line."""
        self.team, self.yard = team, max(-END_ZONE, min(100, yard))

    def had(self, player: str | None) -> None:
        """Note that the player has the ball here."""
        self.movers.append(Mover(self.team, player, self.yard))

    def add(self, body: ev.Body) -> None:
        """Append an event."""
        self.bodies.append(body)

    def carry(
        self, kind: Carry, team: str, player: str | None, yards: int, *, scored: bool = False
    ) -> None:
        """Append a run of so many yards and move the ball."""
        start, end = span(self.seen_from(team), yards, scored=scored)
        self.put(team, end)
        self.had(player)
        self.add(
            ev.Run(
                team=team,
                player=player,
                kind=kind,
                start_yard=start,
                end_yard=end,
                is_touchdown=scored,
            )
        )

    def opponent_of(self, team: str) -> Mover | None:
        """The last player of the other club who had the ball, whom `team` tackled."""
        return next((mover for mover in reversed(self.movers) if mover.team != team), None)


def recover(field: Field, team: str, player: str | None, yards: int, *, scored: bool) -> None:
    """Append the recovery of a loose ball where it lies, and the run with it."""
    at = flip(min(100, yards)) if scored and yards >= 0 else field.seen_from(team)
    field.put(team, at)
    field.had(player)
    field.add(
        ev.Recovery(team=team, player=player, yard=field.yard, is_touchdown=scored and not yards)
    )
    if yards:
        field.carry("after_recovery", team, player, yards, scored=scored)

"""A suggested snap and the events that it follows from, as values. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from app.record import events as ev

Act = Literal["accept", "decline", "one", "two", "try", "kickoff"]


class Standing(Protocol):
    """A valid event in its last ruling."""

    @property
    def play_number(self) -> int:
        """The number of its play."""

    @property
    def body(self) -> ev.Body:
        """What happened."""


@dataclass(frozen=True)
class Choice:
    """One of the answers that a club may give, and the snap that follows from it.

    `act`: accept or decline a foul; one or two points to try for; walk a touchdown's foul off on
    the try or the kickoff. `wipes`: the play no longer counts, so its events are to be taken back
    (an incomplete pass before a foul of pass interference is no attempt).
    """

    by: str
    act: Act
    possession: str
    spot: int
    situation: ev.Situation
    down: int | None
    distance: int | None
    why: str
    wipes: bool = False


@dataclass(frozen=True)
class Suggestion:
    """A suggested snap. Yards from `possession`'s own goal line; `why`: a sentence for the scorer.

    `check`: look before accepting, because something cannot be computed from the record, or a club
    may choose. `by_toss`: the toss decides whose kick it is. `over`: the game is over by the rules;
    this would come if it were not. `choices`: the answers to a question that the last play left
    open, the suggested one among them.
    """

    possession: str
    spot: int
    period: int
    clock: int
    situation: ev.Situation = "scrimmage"
    down: int | None = None
    distance: int | None = None
    why: str = ""
    check: bool = False
    by_toss: bool = False
    over: bool = False
    choices: tuple[Choice, ...] = ()

    def as_choice(self, by: str, act: Act, *, wipes: bool = False) -> Choice:
        """The suggestion as a club's choice."""
        return Choice(
            by,
            act,
            self.possession,
            self.spot,
            self.situation,
            self.down,
            self.distance,
            self.why,
            wipes,
        )

    def as_snap(self) -> ev.Snap:
        """The snap as it would be entered."""
        return ev.Snap(
            possession=self.possession,
            spot=self.spot,
            period=self.period,
            clock=self.clock,
            situation=self.situation,
            down=self.down,
            distance=self.distance,
        )

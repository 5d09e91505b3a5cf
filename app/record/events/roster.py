"""The event type of roster facts: who plays, with which number, who starts or is out."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta
from typing_extensions import override

from app.record.events.declaration import EventBody
from app.record.events.fields import ClubId, PlayerId
from app.record.words import Who

Jersey = Annotated[int, Meta(ge=0, le=99)]
PlayerName = Annotated[str, Meta(min_length=1, max_length=80, pattern=r"\S")]
Position = Annotated[str, Meta(max_length=8)]
RosterStatus = Literal["dressed", "starter", "in", "out", "injured", "inactive", "ejected"]

_STATUS = {
    "dressed": "is dressed",
    "starter": "starts",
    "in": "comes in",
    "out": "goes out",
    "injured": "is injured",
    "inactive": "is inactive",
    "ejected": "is ejected",
}


class RosterFact(EventBody, tag="roster", frozen=True, kw_only=True):
    """What is true of a footballer in this game from this play on; the later of two facts counts.

    With a `name` it puts somebody on the roster of `team` who may be new to the installation;
    without one it is about a known footballer. `number`: the jersey worn from now on in this game.
    """

    part = "aside"

    team: ClubId
    player: PlayerId
    name: PlayerName | None = None
    position: Position | None = None
    number: Jersey | None = None
    status: RosterStatus | None = None

    @override
    def words(self, who: Who) -> str:
        facts = [_STATUS[self.status]] if self.status else []
        if self.name is None and self.number is not None:
            facts.insert(0, f"wears {self.number}")
        if self.name is None:
            return f"{who(self.player)} of {self.team} {' and '.join(facts) or 'is on the roster'}"
        number = f"number {self.number}, " if self.number is not None else ""
        position = f" ({self.position})" if self.position else ""
        joined = " and ".join(["joins the roster", *facts])
        return f"{self.team}: {number}{self.name}{position} {joined}"

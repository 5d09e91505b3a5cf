"""Event types of credits besides moving the ball: tackles, credits, penalties."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta
from typing_extensions import override

from app.record.events.declaration import EventBody, PlayTable
from app.record.events.fields import ClubId, Note, OpponentId, PlayerId, Yard
from app.record.words import Who, distance

_CREDITS = {
    "pass_defended": "breaks up the pass",
    "qb_hit": "hits the passer",
    "tackle_for_loss": "stops it for a loss",
}


class Tackle(EventBody, tag="tackle", frozen=True, kw_only=True):
    """One credit: solo for a tackler without help, primary for one with help, assist for the help.

    `yard` from the own goal line of the tackled player's team.
    """

    part = "credit"
    table = PlayTable("tackles", player="tackler_id", renamed={"field_position": "yard"})

    team: ClubId
    tackler: PlayerId | None = None
    tackled: OpponentId | None = None
    kind: Literal["solo", "primary", "assist"]
    yard: Yard | None = None

    @override
    def words(self, who: Who) -> str:
        return (
            f"{'tackle assisted by' if self.kind == 'assist' else 'tackle by'} {who(self.tackler)}"
        )


class Credit(EventBody, tag="credit", frozen=True, kw_only=True):
    """A credit of the defence."""

    part = "credit"
    table = PlayTable("credits", player="player_id")

    team: ClubId
    player: PlayerId | None = None
    kind: Literal["pass_defended", "qb_hit", "tackle_for_loss"]

    @override
    def words(self, who: Who) -> str:
        return f"{who(self.player)} {_CREDITS[self.kind]}"


class Penalty(EventBody, tag="penalty", frozen=True, kw_only=True):
    """A foul of `team`.

    `outcome` in the usual terms (PRODUCT A12). It invalidates nothing by itself; the nullify that
    follows does.
    """

    part = "aside"
    table = PlayTable("penalties", player="player_id")

    team: ClubId
    player: PlayerId | None = None
    foul: Note = ""
    yards: Annotated[int, Meta(ge=0, le=100)] = 0
    status: Literal["accepted", "declined", "offsetting"] = "accepted"
    outcome: (
        Literal[
            "nullify",
            "downfield",
            "decline",
            "change_down",
            "repeat_down",
            "first_down",
            "offsetting",
        ]
        | None
    ) = None
    enforcement_yard: Yard | None = None

    @override
    def words(self, who: Who) -> str:
        by = f" ({who(self.player)})" if self.player else ""
        outcome = self.status if self.status != "accepted" else distance(self.yards)
        return f"flag on {self.team}{by}: {self.foul or 'a foul'}, {outcome}"

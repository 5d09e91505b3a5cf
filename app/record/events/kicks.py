"""Event types of kicks, tries and safeties."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta
from typing_extensions import override

from app.record.events.declaration import SCRIMMAGE, EventBody, PlayTable, Situation
from app.record.events.fields import ClubId, OpponentId, PlayerId, Yard
from app.record.words import Who, yards

KICK_WORDS = {
    "kickoff": "kicks off",
    "onside": "kicks onside",
    "free_kick": "takes the free kick",
    "punt": "punts",
    "field_goal": "tries a field goal",
    "extra_point": "tries the extra point",
}
_RESULTS = {
    "good": "good",
    "missed": "no good",
    "blocked": "blocked",
    "aborted": "not kicked",
    "returned": "returned",
    "touchback": "touchback",
    "fair_catch": "fair catch",
    "out_of_bounds": "out of bounds",
    "downed": "downed",
    "recovered": "loose ball recovered",
}
LANDED_WORDS = {
    "short": "short of the landing zone",
    "landing_zone": "touchback from the landing zone",
}


class Kick(EventBody, tag="kick", frozen=True, kw_only=True):
    """A kick. `distance`: official length in yards (for a field goal including the end zone).

    `landed`: where a kickoff came down first, which decides its placement (NFL since 2024); None:
    not recorded.
    """

    part = "action"
    situations: ClassVar[dict[str, tuple[Situation, ...]]] = {
        "kickoff": ("kickoff",),
        "onside": ("kickoff", "free_kick"),
        "free_kick": ("free_kick",),
        "punt": SCRIMMAGE,
        "field_goal": ("scrimmage", "free_kick"),  # a fair-catch kick is free
        "extra_point": ("try",),
    }
    table = PlayTable("kicks", player="kicker_id", without=("blocked_by_team", "landed"))

    team: ClubId
    kicker: PlayerId | None = None
    kind: Literal["kickoff", "onside", "free_kick", "punt", "field_goal", "extra_point"]
    result: Literal[
        "good",
        "missed",
        "blocked",
        "aborted",
        "returned",
        "touchback",
        "fair_catch",
        "out_of_bounds",
        "downed",
        "recovered",
    ]
    start_yard: Yard | None = None
    distance: Annotated[int, Meta(ge=-20, le=110)] | None = None
    blocked_by: OpponentId | None = None
    blocked_by_team: ClubId | None = None
    landed: Literal["end_zone", "landing_zone", "short"] | None = None

    def __post_init__(self) -> None:
        if self.result in ("good", "missed") and self.kind not in ("field_goal", "extra_point"):
            raise ValueError(
                f"result cannot be {self.result} for a {self.kind}: only field goals and extra "
                "points are"
            )

    @override
    def words(self, who: Who) -> str:
        length = (
            f" from {self.distance} yards" if self.kind == "field_goal" and self.distance else ""
        )
        if self.kind not in ("field_goal", "extra_point") and self.distance:
            length = f" {yards(self.distance)}"
        by = f" by {who(self.blocked_by)}" if self.blocked_by else ""
        result = LANDED_WORDS.get(self.landed or "", _RESULTS[self.result])
        return f"{who(self.kicker)} {KICK_WORDS[self.kind]}{length}: {result}{by}"


class Conversion(EventBody, tag="conversion", frozen=True, kw_only=True):
    """A try for two points; side `defence` is the defence bringing the ball back for two."""

    part = "action"
    situations = ("try",)
    table = PlayTable("conversions", player="player_id")

    team: ClubId
    side: Literal["offence", "defence"] = "offence"
    kind: Literal["pass", "rush", "return"]
    good: bool
    passer: PlayerId | None = None
    player: PlayerId | None = None

    @override
    def words(self, who: Who) -> str:
        if self.side == "defence":
            return (
                f"{who(self.player)} returns the try for {self.team}: "
                f"{'two points' if self.good else 'no good'}"
            )
        act = f"passes to {who(self.player)}" if self.kind == "pass" else "runs"
        actor = self.passer if self.kind == "pass" else self.player
        return f"{who(actor)} {act} on the two-point try: {'good' if self.good else 'no good'}"


class Safety(EventBody, tag="safety", frozen=True, kw_only=True):
    """`team` is the side that scores; one point only on a try."""

    part = "credit"
    table = PlayTable("safeties", player="player_id")

    team: ClubId
    player: PlayerId | None = None
    points: Literal[1, 2] = 2

    @override
    def words(self, who: Who) -> str:
        by = f" by {who(self.player)}" if self.player else ""
        return f"safety{by}, {self.points} point{'' if self.points == 1 else 's'} for {self.team}"

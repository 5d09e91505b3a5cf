"""Event types that move the ball: pass, run, sack, fumble, recovery, interception."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta
from typing_extensions import override

from app.record.events.declaration import (
    OPEN_FIELD,
    SCRIMMAGE,
    EventBody,
    PlayTable,
    Situation,
)
from app.record.events.fields import ClubId, DeepYard, Direction, OpponentId, PlayerId, Yard
from app.record.words import Who, yards

_TURNOVERS = PlayTable(
    "turnovers",
    player="player_id",
    computed={"kind": str},
    without=("forced_by_team", "out_yard"),
)


class Pass(EventBody, tag="pass", frozen=True, kw_only=True):
    """A pass.

    `reception_yard` is the catch of a completed pass, else the point aimed at (or None).
    `is_touchdown` if the catch itself scored; after a run the run has the flag. `length`,
    `location` (as the passer sees the field) and `incompletion` are recorded only if the scorer had
    the time.
    """

    part = "action"
    situations = SCRIMMAGE
    table = PlayTable("passes", player="passer_id", without=("length", "location", "incompletion"))

    team: ClubId
    passer: PlayerId | None = None
    receiver: PlayerId | None = None
    result: Literal["complete", "incomplete", "spike", "intercepted"]
    throw_yard: Yard
    reception_yard: Yard | None = None
    is_touchdown: bool = False
    length: Literal["short", "deep"] | None = None
    location: Direction | None = None
    incompletion: Literal["dropped", "thrown_away"] | None = None

    def __post_init__(self) -> None:
        if self.result == "complete" and self.reception_yard is None:
            raise ValueError(
                "reception_yard is missing: a complete pass needs the yard of the catch"
            )
        if self.incompletion is not None and self.result != "incomplete":
            raise ValueError(f"incompletion is said of a pass that was {self.result}: leave it out")

    @override
    def words(self, who: Who) -> str:
        where = "".join(f" {word}" for word in (self.length, self.location) if word)
        if self.result == "complete":
            gain = yards((self.reception_yard or 0) - self.throw_yard)
            return f"{who(self.passer)} passes{where} to {who(self.receiver)} for {gain}"
        if self.result == "spike":
            return f"{who(self.passer)} spikes the ball"
        aimed = f" for {who(self.receiver)}" if self.receiver else ""
        fell = f" ({self.incompletion.replace('_', ' ')})" if self.incompletion else ""
        return f"{who(self.passer)} passes{where}{aimed}: {self.result}{fell}"


_RUNS = {
    "rush": "runs",
    "scramble": "scrambles",
    "after_catch": "runs after the catch",
    "after_lateral": "takes the lateral",
    "return": "returns it",
    "after_recovery": "runs with it",
}


class Run(EventBody, tag="run", frozen=True, kw_only=True):
    """A carried ball. rush, scramble and kneel are carries; other kinds only move the ball on.

    `location` and `gap`, as the runner sees the field, are recorded only if the scorer had the
    time; the middle has no gap.
    """

    part = "action"
    situations: ClassVar[dict[str, tuple[Situation, ...]]] = {
        "rush": SCRIMMAGE,
        "scramble": SCRIMMAGE,
        "kneel": SCRIMMAGE,
        "after_catch": SCRIMMAGE,
        "after_lateral": OPEN_FIELD,
        "return": OPEN_FIELD,
        "after_recovery": OPEN_FIELD,
    }
    table = PlayTable(
        "runs", player="player_id", computed={"is_rush": bool}, without=("location", "gap")
    )

    team: ClubId
    player: PlayerId | None = None
    kind: Literal[
        "rush", "scramble", "kneel", "after_catch", "after_lateral", "return", "after_recovery"
    ]
    start_yard: DeepYard
    end_yard: Yard
    is_touchdown: bool = False
    location: Direction | None = None
    gap: Literal["end", "tackle", "guard"] | None = None

    @property
    def is_rush(self) -> bool:
        """Whether it counts as a carry."""
        return self.kind in ("rush", "scramble", "kneel")

    @override
    def words(self, who: Who) -> str:
        if self.kind == "kneel":
            return f"{who(self.player)} kneels"
        where = "".join(f" {word}" for word in (self.location, self.gap) if word)
        return (
            f"{who(self.player)} {_RUNS[self.kind]}{where} for "
            f"{yards(self.end_yard - self.start_yard)}"
        )


class Sack(EventBody, tag="sack", frozen=True, kw_only=True):
    """A sack. `team` and `player` are the passer's.

    `by` has one sacker, or two who share it half and half.
    """

    part = "action"
    situations = SCRIMMAGE
    table = PlayTable(
        "sacks",
        player="player_id",
        without=("by",),
        computed={"is_shared": bool, "half_1_id": str | None, "half_2_id": str | None},
    )

    team: ClubId
    player: PlayerId | None = None
    start_yard: Yard
    end_yard: Yard
    by_team: ClubId | None = None
    by: Annotated[tuple[OpponentId | None, ...], Meta(max_length=2)] = ()

    @property
    def is_shared(self) -> bool:
        """Whether two players share it."""
        return len(self.by) > 1

    @property
    def half_1_id(self) -> str | None:
        """The sacker, or the first of two."""
        return self.by[0] if self.by else None

    @property
    def half_2_id(self) -> str | None:
        """The second of two sackers."""
        return self.by[1] if self.is_shared else None

    @override
    def words(self, who: Who) -> str:
        by = " and ".join(who(player) for player in self.by)
        loss = yards(self.end_yard - self.start_yard)
        return f"{who(self.player)} is sacked{f' by {by}' if by else ''} for {loss}"


class Fumble(EventBody, tag="fumble", frozen=True, kw_only=True):
    """A fumble.

    `yard` is where it was lost. `out_yard`, only of one that went out of bounds, is where it did;
    None if that was not noted.
    """

    part = "action"
    situations = OPEN_FIELD
    table = _TURNOVERS

    team: ClubId
    player: PlayerId | None = None
    yard: Yard | None = None
    forced_by: OpponentId | None = None
    forced_by_team: ClubId | None = None
    out_of_bounds: bool = False
    out_yard: Yard | None = None
    kind: ClassVar[str] = "fumble"

    def __post_init__(self) -> None:
        if self.out_yard is not None and not self.out_of_bounds:
            raise ValueError("out_yard is said of a fumble that stayed in bounds: leave it out")

    @override
    def words(self, who: Who) -> str:
        forced = (
            f", forced by {who(self.forced_by)}"
            if self.forced_by
            else ", forced"
            if self.forced_by_team
            else ""
        )
        return (
            f"{who(self.player)} fumbles{forced}{', out of bounds' if self.out_of_bounds else ''}"
        )


class Recovery(EventBody, tag="recovery", frozen=True, kw_only=True):
    """A loose ball secured by `team`: after a fumble, a muff, a blocked kick or a kick of its own.

    `yard` may be in its end zone. Later yards are a run of kind after_recovery. `is_touchdown` if
    recovered in the end zone.
    """

    part = "action"
    situations = OPEN_FIELD
    table = _TURNOVERS

    team: ClubId
    player: PlayerId | None = None
    yard: DeepYard | None = None
    is_touchdown: bool = False
    kind: ClassVar[str] = "recovery"

    @override
    def words(self, who: Who) -> str:
        return f"{who(self.player)} recovers for {self.team}"


class Interception(EventBody, tag="interception", frozen=True, kw_only=True):
    """An interception. The return is a run of that kind.

    `yard` from the intercepting team's own goal line, below 0 in its end zone.
    """

    part = "action"
    situations = SCRIMMAGE
    table = _TURNOVERS

    team: ClubId
    player: PlayerId | None = None
    yard: DeepYard | None = None
    is_touchdown: bool = False
    kind: ClassVar[str] = "interception"

    @override
    def words(self, who: Who) -> str:
        return f"{who(self.player)} intercepts for {self.team}"

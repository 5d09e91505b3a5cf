"""The wire schema of the official record: what one message on `game-events.v1` says.

Lives here: the envelope, the body types, decoding with errors that name the field.
Not here: numbering (scorer_console), tables (models), meaning for statistics (statlines).

Yards: every spot is counted 0 to 100 from the own goal line of the `team` named in the same body
(100 is the opponents' goal line), so yards gained are always `end_yard - start_yard`.
A player may be None everywhere: the official record credits a team when nobody can be named.
Unknown fields are ignored; a new meaning needs a new `v`.  Source: DESIGN section 4, 'The taxonomy'.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from app.core.errors import UserError

GameId = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]
ClubId = Annotated[str, Meta(min_length=1, max_length=16)]
PlayerId = Annotated[str, Meta(min_length=1, max_length=64)]
Yard = Annotated[int, Meta(ge=0, le=100)]
Clock = Annotated[int, Meta(ge=0, le=900, description="seconds left in the period")]
EventNumber = Annotated[int, Meta(ge=1, le=1_000_000)]
PlayNumber = Annotated[int, Meta(ge=0, le=100_000, description="0 before the first snap")]
Note = Annotated[str, Meta(max_length=500)]


class _Body(msgspec.Struct, frozen=True, tag_field="type", omit_defaults=True):
    """What was seen. The tag `type` names the kind of event."""


class GameStarted(_Body, tag="game_started", frozen=True, kw_only=True):
    home: ClubId
    away: ClubId


class Period(_Body, tag="period", frozen=True, kw_only=True):
    period: Annotated[int, Meta(ge=1, le=10, description="1 to 4, overtime from 5")]
    phase: Literal["start", "end"]


class Snap(_Body, tag="snap", frozen=True, kw_only=True):
    """The start of a play, kicks included: the play number rises here and nowhere else."""

    possession: ClubId
    spot: Yard
    period: Annotated[int, Meta(ge=1, le=10)]
    clock: Clock
    situation: Literal["scrimmage", "kickoff", "free_kick", "try"] = "scrimmage"
    down: Annotated[int, Meta(ge=1, le=4)] | None = None
    distance: Annotated[int, Meta(ge=0, le=100)] | None = None


class Pass(_Body, tag="pass", frozen=True, kw_only=True):
    """`reception_yard` is the catch of a completed pass, else the point aimed at (or None).

    `is_touchdown` when the catch itself scored; after a run the run carries the flag.
    """

    team: ClubId
    passer: PlayerId | None = None
    receiver: PlayerId | None = None
    result: Literal["complete", "incomplete", "spike", "intercepted"]
    throw_yard: Yard
    reception_yard: Yard | None = None
    is_touchdown: bool = False

    def __post_init__(self) -> None:
        if self.result == "complete" and self.reception_yard is None:
            raise ValueError("reception_yard is missing: a complete pass needs the yard of the catch")


class Run(_Body, tag="run", frozen=True, kw_only=True):
    """A carried ball. rush, scramble and kneel are carries; the other kinds only move the ball on."""

    team: ClubId
    player: PlayerId | None = None
    kind: Literal["rush", "scramble", "kneel", "after_catch", "after_lateral", "return", "after_recovery"]
    start_yard: Yard
    end_yard: Yard
    is_touchdown: bool = False

    @property
    def is_rush(self) -> bool:
        return self.kind in ("rush", "scramble", "kneel")


class Sack(_Body, tag="sack", frozen=True, kw_only=True):
    """`team` and `player` are the passer's; `by` holds one sacker, or two who share it half and half."""

    team: ClubId
    player: PlayerId | None = None
    start_yard: Yard
    end_yard: Yard
    by_team: ClubId | None = None
    by: Annotated[tuple[PlayerId | None, ...], Meta(max_length=2)] = ()


class Fumble(_Body, tag="fumble", frozen=True, kw_only=True):
    team: ClubId
    player: PlayerId | None = None
    yard: Yard | None = None
    forced_by: PlayerId | None = None
    forced_by_team: ClubId | None = None
    out_of_bounds: bool = False


class Recovery(_Body, tag="recovery", frozen=True, kw_only=True):
    """A loose ball secured by `team`: after a fumble, a muff, a blocked or an own kick.

    Yards after it are a run of kind after_recovery. `is_touchdown` when recovered in the end zone.
    """

    team: ClubId
    player: PlayerId | None = None
    yard: Yard | None = None
    is_touchdown: bool = False


class Interception(_Body, tag="interception", frozen=True, kw_only=True):
    """`yard` from the intercepting team's own goal line; the way back is a run of kind return."""

    team: ClubId
    player: PlayerId | None = None
    yard: Yard | None = None
    is_touchdown: bool = False


class Kick(_Body, tag="kick", frozen=True, kw_only=True):
    """`distance` is the official length of the kick in yards (for a field goal with the end zone)."""

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
    blocked_by: PlayerId | None = None
    blocked_by_team: ClubId | None = None

    def __post_init__(self) -> None:
        if self.result in ("good", "missed") and self.kind not in ("field_goal", "extra_point"):
            raise ValueError(f"result cannot be {self.result} for a {self.kind}: only field goals and extra points are")


class Conversion(_Body, tag="conversion", frozen=True, kw_only=True):
    """A try for two points; side `defence` is the defence bringing the ball back for two."""

    team: ClubId
    side: Literal["offence", "defence"] = "offence"
    kind: Literal["pass", "rush", "return"]
    good: bool
    passer: PlayerId | None = None
    player: PlayerId | None = None


class Safety(_Body, tag="safety", frozen=True, kw_only=True):
    """`team` is the side that scores; one point only on a try."""

    team: ClubId
    player: PlayerId | None = None
    points: Literal[1, 2] = 2


class Tackle(_Body, tag="tackle", frozen=True, kw_only=True):
    """One credit. solo: alone; primary: the tackler who had help; assist: the help.

    `yard` from the own goal line of the tackled player's team.
    """

    team: ClubId
    tackler: PlayerId | None = None
    tackled: PlayerId | None = None
    kind: Literal["solo", "primary", "assist"]
    yard: Yard | None = None


class Credit(_Body, tag="credit", frozen=True, kw_only=True):
    team: ClubId
    player: PlayerId | None = None
    kind: Literal["pass_defended", "qb_hit", "tackle_for_loss"]


class Penalty(_Body, tag="penalty", frozen=True, kw_only=True):
    """`team` fouled. `outcome` in the words of the trade (PRODUCT A12); it does not invalidate
    anything by itself: the nullify that follows does."""

    team: ClubId
    player: PlayerId | None = None
    foul: Note = ""
    yards: Annotated[int, Meta(ge=0, le=100)] = 0
    status: Literal["accepted", "declined", "offsetting"] = "accepted"
    outcome: (
        Literal["nullify", "downfield", "decline", "change_down", "repeat_down", "first_down", "offsetting"] | None
    ) = None
    enforcement_yard: Yard | None = None


class Timeout(_Body, tag="timeout", frozen=True, kw_only=True):
    """`team` None: called by the officials (two-minute warning, injury, television)."""

    team: ClubId | None = None
    reason: Note = ""


class Scoreboard(_Body, tag="scoreboard", frozen=True, kw_only=True):
    """The score that the stadium's own board shows at this point of the game, touchdowns before their try included.

    Where the plays up to then do not add up to it, the feed is unreliable until they do, or a later one agrees.
    """

    home_score: Annotated[int, Meta(ge=0, le=200)]
    away_score: Annotated[int, Meta(ge=0, le=200)]
    period: Annotated[int, Meta(ge=1, le=10)]
    clock: Clock


class GameEnded(_Body, tag="game_ended", frozen=True, kw_only=True):
    pass


class Final(_Body, tag="final", frozen=True, kw_only=True):
    """The stadium's own final score, declared official."""

    home_score: Annotated[int, Meta(ge=0, le=200)]
    away_score: Annotated[int, Meta(ge=0, le=200)]


Fact = (
    GameStarted
    | Period
    | Snap
    | Pass
    | Run
    | Sack
    | Fumble
    | Recovery
    | Interception
    | Kick
    | Conversion
    | Safety
    | Tackle
    | Credit
    | Penalty
    | Timeout
    | Scoreboard
    | GameEnded
    | Final
)


class Challenge(_Body, tag="challenge", frozen=True, kw_only=True):
    """A review of the play. `by` None: the booth. It changes no row by itself."""

    by: ClubId | None = None
    ruling: Literal["pending", "upheld", "stands", "overturned"]
    reason: Note = ""


class Nullify(_Body, tag="nullify", frozen=True, kw_only=True):
    """These events did not happen: their rows turn invalid, for good."""

    events: Annotated[tuple[EventNumber, ...], Meta(min_length=1, max_length=100)]
    reason: Note = ""


class Overturn(_Body, tag="overturn", frozen=True, kw_only=True):
    """`ruling` takes the place of event `event`, as the revision numbered like this event."""

    event: EventNumber
    ruling: Fact
    reason: Note = ""


class StatCorrection(_Body, tag="stat_correction", frozen=True, kw_only=True):
    """As an overturn, but after the game and about credit, not about the call."""

    event: EventNumber
    ruling: Fact
    reason: Note = ""


Correction = Nullify | Overturn | StatCorrection
Body = Fact | Challenge | Correction


class GameEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One message. Key of the topic: `game_id`; order promise: `event_number` within a game.

    `event_number` rises by one with every submitted event; `play_number` with every snap; a correction
    carries the play number of what it corrects. `epoch` is the scorer's fencing token.
    `recorded_at` is the server's clock at acceptance, in milliseconds since 1970 (UTC).
    """

    game_id: GameId
    event_number: EventNumber
    play_number: PlayNumber
    epoch: Annotated[int, Meta(ge=1)]
    recorded_at: Annotated[int, Meta(ge=0)]
    body: Body
    v: Literal[1] = 1


class ScriptedEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a stored game (imported or simulated), to be entered by `pressbox replay`.

    `at_ms`: when, in milliseconds after the first step, never falling. Steps are numbered from 1 in order,
    and that number is the event number they get; corrections name those numbers.
    `play_number` None: the current play.
    """

    at_ms: Annotated[int, Meta(ge=0)]
    body: Body
    play_number: PlayNumber | None = None


class InvalidEvent(UserError):
    """The message is refused; the text names the field and what it must be."""


_decoder = msgspec.json.Decoder(GameEvent)
_encoder = msgspec.json.Encoder()
_AT = re.compile(r"^(?P<what>.*?)(?: - at `\$(?P<path>[^`]*)`)?$", re.DOTALL)


def explain(error: msgspec.MsgspecError) -> str:
    """msgspec's error as a sentence that begins with the field.

    >>> try: msgspec.json.decode(b'{"type":"period","period":0,"phase":"start"}', type=Period)
    ... except msgspec.ValidationError as e: explain(e)
    'period: expected `int` >= 1'
    """
    match = _AT.match(str(error))
    assert match is not None  # every part of the pattern is optional
    what = match["what"].strip()
    path = (match["path"] or "").lstrip(".")
    what = what.removeprefix("Object ")
    if (missing := re.match(r"missing required field `(\w+)`$", what)) is not None:
        where = f"{path}." if path else ""
        return f"{where}{missing[1]}: this field is missing"
    what = what[:1].lower() + what[1:]
    return f"{path}: {what}" if path else what


def decode(message: bytes) -> GameEvent:
    """The message as an event. Raises InvalidEvent with a sentence that names the field."""
    try:
        return _decoder.decode(message)
    except msgspec.MsgspecError as error:
        raise InvalidEvent(explain(error)) from error


def encode(event: GameEvent) -> bytes:
    return _encoder.encode(event)


def body_from(data: Any) -> Body:
    """A body from plain values (a form, JSON already parsed, a database's jsonb), fully checked.

    Raises InvalidEvent with a sentence that names the field.
    """
    try:
        body: Body = msgspec.convert(data, Body)
    except msgspec.ValidationError as error:
        raise InvalidEvent(explain(error)) from error
    return body


def body_to(body: Body) -> dict[str, Any]:
    """The body as plain values; `body_from(body_to(x)) == x`."""
    plain = msgspec.to_builtins(body)
    assert isinstance(plain, dict)
    return plain


def check(body: Body) -> Body:
    """A body built in Python, checked like one from outside (constructors do not check ranges)."""
    return body_from(body_to(body))

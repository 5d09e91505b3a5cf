"""Fouls: which are called, whether the other club accepts them, and the spot of the next snap.

Lives here: the fouls and their enforcement. Not here: the plays they happen on (plays.py).
About thirteen accepted fouls a game, six of which wipe out live action.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.demo.field import Field, Result, Series, first_and_ten, flip
from app.demo.lineup import BLOCKERS, COVERAGE, DEEP, RUSHERS, TARGETS, Table
from app.record.events import Pass, Penalty

_QUARTERBACK: Table = (("QB", (1,)),)


@dataclass(frozen=True, slots=True)
class Foul:
    """`automatic`: a first down whatever the distance. `on`: the plays it can happen on."""

    name: str
    yards: int
    by: Literal["offence", "defence"]
    players: Table
    weight: int
    automatic: bool = False
    on: Literal["any", "pass", "incomplete"] = "any"


_BEFORE = (
    Foul("False Start", 5, "offence", BLOCKERS, 52),
    Foul("Delay of Game", 5, "offence", _QUARTERBACK, 12),
    Foul("Illegal Shift", 5, "offence", TARGETS, 4),
    Foul("Neutral Zone Infraction", 5, "defence", RUSHERS, 12),
    Foul("Encroachment", 5, "defence", RUSHERS, 8),
)
# The play is wiped out when one of these is taken.
_DURING = (
    Foul("Offensive Holding", 10, "offence", BLOCKERS, 42),
    Foul("Illegal Formation", 5, "offence", TARGETS, 5),
    Foul("Illegal Block Above the Waist", 10, "offence", TARGETS, 4),
    Foul("Offensive Pass Interference", 10, "offence", TARGETS, 7, on="pass"),
    Foul("Ineligible Downfield Pass", 5, "offence", BLOCKERS, 4, on="pass"),
    Foul("Defensive Offside", 5, "defence", RUSHERS, 10),
    Foul("Defensive Holding", 5, "defence", DEEP, 12, automatic=True, on="pass"),
    Foul("Illegal Contact", 5, "defence", DEEP, 5, automatic=True, on="pass"),
    Foul("Illegal Use of Hands", 5, "defence", RUSHERS, 4, automatic=True),
    Foul("Defensive Pass Interference", 0, "defence", DEEP, 26, automatic=True, on="incomplete"),
)
# The play counts, and the yards are walked off from where it ended.
_AFTER = (
    Foul("Face Mask", 15, "defence", RUSHERS, 12, automatic=True),
    Foul("Unnecessary Roughness", 15, "defence", DEEP, 24, automatic=True),
    Foul("Roughing the Passer", 15, "defence", RUSHERS, 24, automatic=True, on="pass"),
    Foul("Taunting", 15, "offence", TARGETS, 5),
    Foul("Intentional Grounding", 10, "offence", _QUARTERBACK, 8, on="incomplete"),
)
# By the side that returns the kick.
_KICK_FOULS = (
    Foul("Illegal Block Above the Waist", 10, "offence", COVERAGE, 5),
    Foul("Offensive Holding", 10, "offence", COVERAGE, 5),
)


def before_the_snap(field: Field) -> bool:
    """Sometimes a foul stops the play at the snap: the down is repeated; true when it did.

    The play is snapped in the record all the same, so that the foul has a play of its own.
    """
    if not field.chance(0.033):
        return False
    foul = _draw(field, _BEFORE)
    field.snap()
    after, yards = _from_previous_spot(field, foul)
    outcome: Literal["first_down", "repeat_down"] = (
        "first_down" if after.down < field.series.down else "repeat_down"
    )
    _flag(field, foul, yards, "accepted", outcome)
    field.series = after
    return True


def after_the_play(field: Field, result: Result, natural: Series) -> Series | None:
    """Fouls on a live play from scrimmage: the series they lead to, or None when the result stands
    as it is.

    A foul that is taken nullifies the action; `natural` is what comes without any foul.
    """
    drawn = field.rng.random()
    if drawn < 0.002:
        return _offsetting(field)
    if drawn < 0.057:
        return _during(field, _draw(field, _DURING), result, natural)
    clean = (
        result.club == field.possession == natural.club
        and not field.changed
        and result.scored is None
    )
    if drawn < 0.069 and clean:
        return _after(field, _draw(field, _AFTER), natural)
    return None


def on_the_return(field: Field, result: Result) -> Series:
    """Where the receivers of a kick begin: sometimes ten yards back, for a block in the back."""
    if (
        result.seconds == 0
        or result.spot < 12
        or result.club == field.possession
        or not field.chance(0.12)
    ):
        return first_and_ten(result.club, result.spot)
    foul = _draw(field, _KICK_FOULS)
    yards = min(foul.yards, result.spot // 2)
    field.tape.record(
        Penalty(
            team=result.club,
            player=field.side(result.club).pick(field.rng, foul.players),
            foul=foul.name,
            yards=yards,
            outcome="downfield",
            enforcement_yard=result.spot,
        )
    )
    return first_and_ten(result.club, result.spot - yards)


def _draw(field: Field, fouls: tuple[Foul, ...]) -> Foul:
    """One of the fouls that fit the play."""
    throws = [
        fact for _, fact in field.tape.action() if isinstance(fact, Pass) and fact.result != "spike"
    ]
    fits = {"any", "pass"} if throws else {"any"}
    if any(throw.result == "incomplete" for throw in throws):
        fits.add("incomplete")
    possible = [foul for foul in fouls if foul.on in fits]
    return field.rng.choices(possible, [foul.weight for foul in possible])[0]


def _flag(
    field: Field,
    foul: Foul,
    yards: int,
    status: Literal["accepted", "declined", "offsetting"],
    outcome: Literal[
        "nullify", "downfield", "decline", "change_down", "repeat_down", "first_down", "offsetting"
    ],
    spot: int | None = None,
) -> None:
    """Writes the penalty; `spot` of enforcement as the offence sees it, the previous spot when
    None.
    """
    side = field.offence if foul.by == "offence" else field.defence
    seen = field.spot if spot is None else spot
    field.tape.record(
        Penalty(
            team=side.club.id,
            player=side.pick(field.rng, foul.players),
            foul=foul.name,
            yards=yards,
            status=status,
            outcome=outcome,
            enforcement_yard=seen if foul.by == "offence" else flip(seen),
        )
    )


def _walk(foul: Foul, spot: int) -> int:
    """Yards of the walk-off from `spot`: never more than half the way to the goal line."""
    return min(foul.yards, (spot if foul.by == "offence" else flip(spot)) // 2)


def _from_previous_spot(field: Field, foul: Foul) -> tuple[Series, int]:
    """The down again after the walk-off, or a new series; and the yards."""
    now = field.series
    yards = _walk(foul, now.spot)
    if foul.on == "incomplete" and foul.by == "defence":  # interference: the spot of the foul
        aim = next(f.reception_yard for _, f in field.tape.action() if isinstance(f, Pass))
        yards = max(0, min(aim or 0, 99) - now.spot)
    if foul.by == "offence":
        return Series(now.club, now.spot - yards, now.down, now.distance + yards), yards
    if foul.automatic or yards >= now.distance:
        return first_and_ten(now.club, now.spot + yards), yards
    return Series(now.club, now.spot + yards, now.down, now.distance - yards), yards


def _worth(series: Series, club: str) -> float:
    """A rough order of positions for `club`: nearer the goal, an earlier down, less to go."""
    if series.club != club:
        return -100.0 - series.spot
    return series.spot - (0, 5, 12, 40)[series.down - 1] - series.distance


def _is_taken(field: Field, foul: Foul, result: Result, natural: Series, instead: Series) -> bool:
    """Whether the offended side prefers `instead` to what happened."""
    club = field.possession
    gain = _worth(instead, club) - _worth(natural, club)
    if result.scored is not None:
        gain = -200.0 if result.club == club else 200.0
    return gain < 0 if foul.by == "offence" else gain > 0


def _during(field: Field, foul: Foul, result: Result, natural: Series) -> Series | None:
    instead, yards = _from_previous_spot(field, foul)
    if not _is_taken(field, foul, result, natural, instead):
        _flag(field, foul, 0, "declined", "decline")
        return None
    action = [number for number, _ in field.tape.action()]
    outcome: Literal["first_down", "nullify"] = "first_down" if foul.automatic else "nullify"
    _flag(field, foul, yards, "accepted", outcome)
    if field.chance(0.12):
        second = [
            other
            for other in _DURING
            if other.by == foul.by and other.on == "any" and other != foul
        ]
        _flag(field, field.rng.choice(second), 0, "declined", "decline")
    field.tape.nullify(action, foul.name)
    return instead


def _offsetting(field: Field) -> Series:
    action = [number for number, _ in field.tape.action()]
    for by in ("offence", "defence"):
        foul = _draw(field, tuple(foul for foul in _DURING if foul.by == by and foul.on == "any"))
        _flag(field, foul, 0, "offsetting", "offsetting")
    field.tape.nullify(action, "offsetting fouls")
    return field.series


def _after(field: Field, foul: Foul, natural: Series) -> Series:
    yards = _walk(foul, natural.spot)
    if foul.by == "offence":
        outcome: Literal["change_down", "downfield"] = (
            "change_down" if foul.name == "Intentional Grounding" else "downfield"
        )
        _flag(field, foul, yards, "accepted", outcome, natural.spot)
        return Series(natural.club, natural.spot - yards, natural.down, natural.distance + yards)
    _flag(field, foul, yards, "accepted", "first_down", natural.spot)
    return first_and_ten(natural.club, natural.spot + yards)

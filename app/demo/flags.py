"""Fouls: which are called, whether the other club accepts them, and the spot of the next snap.

A game has about thirteen accepted fouls, six of which nullify live action. The plays on which they
happen are in plays.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.demo.field import Field, Result, Series, first_and_ten, flip
from app.demo.lineup import BLOCKERS, COVERAGE, DEEP, RUSHERS, TARGETS, Table
from app.record.events import Pass, Penalty

_QUARTERBACK: Table = (("QB", (1,)),)
# Cumulative probabilities of a foul on a live play.
_OFFSETTING = 0.002
_DURING_THE_PLAY = 0.057
_AFTER_THE_PLAY = 0.069
_NO_RETURN_FOULS_BEFORE = 12  # yards from the receivers' goal line

Outcome = Literal[
    "nullify", "downfield", "decline", "change_down", "repeat_down", "first_down", "offsetting"
]


@dataclass(frozen=True, slots=True)
class Foul:
    """A kind of foul.

    Attributes:
        name: As the rule book calls it.
        yards: Of the walk-off.
        by: The side that commits it.
        players: Who may commit it.
        weight: How often it is called, relative to the others of its group.
        automatic: Whether it gives a first down whatever the distance.
        on: The plays on which it can happen.
    """

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
# If one of these is accepted, the play is nullified.
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
# The play counts, and the yards are walked off from the spot where it ended.
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
    """Sometimes stop the play at the snap by a foul, after which the down is repeated.

    The record has a snap all the same, so that the foul has a play of its own.

    Returns:
        Whether there was a foul.
    """
    if not field.chance(0.033):
        return False
    foul = _draw(field, _BEFORE)
    field.snap()
    after, yards = _from_previous_spot(field, foul)
    _flag(field, foul, yards, "first_down" if after.down < field.series.down else "repeat_down")
    field.series = after
    return True


def after_the_play(field: Field, result: Result, natural: Series) -> Series | None:
    """Sometimes call fouls on a live play from scrimmage.

    An accepted foul that happened during the play nullifies the action.

    Args:
        field: The game.
        result: How the play ended.
        natural: The series that follows without a foul.

    Returns:
        The series that the fouls lead to, or None if the result stands.
    """
    drawn = field.rng.random()
    if drawn < _OFFSETTING:
        return _offsetting(field)
    if drawn < _DURING_THE_PLAY:
        return _during(field, _draw(field, _DURING), result, natural)
    clean = (
        result.club == field.possession == natural.club
        and not field.changed
        and result.scored is None
    )
    if drawn < _AFTER_THE_PLAY and clean:
        return _after(field, _draw(field, _AFTER), natural)
    return None


def on_the_return(field: Field, result: Result) -> Series:
    """Return where the receivers of a kick begin: sometimes ten yards back, because of a foul."""
    if (
        result.seconds == 0
        or result.spot < _NO_RETURN_FOULS_BEFORE
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
    """Draw one of the fouls that can happen on this play."""
    throws = [
        fact for _, fact in field.tape.action() if isinstance(fact, Pass) and fact.result != "spike"
    ]
    fits = {"any", "pass"} if throws else {"any"}
    if any(throw.result == "incomplete" for throw in throws):
        fits.add("incomplete")
    possible = [foul for foul in fouls if foul.on in fits]
    return field.rng.choices(possible, [foul.weight for foul in possible])[0]


def _flag(field: Field, foul: Foul, yards: int, outcome: Outcome, spot: int | None = None) -> None:
    """Record the penalty.

    Args:
        field: The game.
        foul: What was called.
        yards: Of the walk-off.
        outcome: What follows; the penalty's status follows from it.
        spot: Where it is enforced, as the offence counts it; None: at the previous spot.
    """
    status: Literal["accepted", "declined", "offsetting"] = "accepted"
    if outcome == "decline":
        status = "declined"
    elif outcome == "offsetting":
        status = "offsetting"
    side = field.offence if foul.by == "offence" else field.defence
    enforcement_spot = field.spot if spot is None else spot
    field.tape.record(
        Penalty(
            team=side.club.id,
            player=side.pick(field.rng, foul.players),
            foul=foul.name,
            yards=yards,
            status=status,
            outcome=outcome,
            enforcement_yard=enforcement_spot if foul.by == "offence" else flip(enforcement_spot),
        )
    )


def _walk(foul: Foul, spot: int) -> int:
    """Return the yards of the walk-off from `spot`: at most half the distance to the goal line."""
    return min(foul.yards, (spot if foul.by == "offence" else flip(spot)) // 2)


def _from_previous_spot(field: Field, foul: Foul) -> tuple[Series, int]:
    """Return the down again after the walk-off, or a new series; and the yards walked off."""
    now = field.series
    yards = _walk(foul, now.spot)
    if foul.on == "incomplete" and foul.by == "defence":  # interference: the spot of the foul
        aim = next(fact.reception_yard for _, fact in field.tape.action() if isinstance(fact, Pass))
        yards = max(0, min(aim or 0, 99) - now.spot)
    if foul.by == "offence":
        return Series(now.club, now.spot - yards, now.down, now.distance + yards), yards
    if foul.automatic or yards >= now.distance:
        return first_and_ten(now.club, now.spot + yards), yards
    return Series(now.club, now.spot + yards, now.down, now.distance - yards), yards


def _worth(series: Series, club: str) -> float:
    """Rate a position for `club`: nearer the goal, an earlier down and less to go are better."""
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
        _flag(field, foul, 0, "decline")
        return None
    action = [number for number, _ in field.tape.action()]
    _flag(field, foul, yards, "first_down" if foul.automatic else "nullify")
    if field.chance(0.12):
        second = [
            other
            for other in _DURING
            if other.by == foul.by and other.on == "any" and other != foul
        ]
        _flag(field, field.rng.choice(second), 0, "decline")
    field.tape.nullify(action, foul.name)
    return instead


def _offsetting(field: Field) -> Series:
    action = [number for number, _ in field.tape.action()]
    for by in ("offence", "defence"):
        foul = _draw(field, tuple(foul for foul in _DURING if foul.by == by and foul.on == "any"))
        _flag(field, foul, 0, "offsetting")
    field.tape.nullify(action, "offsetting fouls")
    return field.series


def _after(field: Field, foul: Foul, natural: Series) -> Series:
    yards = _walk(foul, natural.spot)
    if foul.by == "offence":
        is_grounding = foul.name == "Intentional Grounding"
        _flag(field, foul, yards, "change_down" if is_grounding else "downfield", natural.spot)
        return Series(natural.club, natural.spot - yards, natural.down, natural.distance + yards)
    _flag(field, foul, yards, "first_down", natural.spot)
    return first_and_ten(natural.club, natural.spot + yards)

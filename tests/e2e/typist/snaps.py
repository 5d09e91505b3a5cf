"""The snap: what the console proposes, and the words that turn it into what really happened."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.record import events as ev
from tests.e2e.typist.scene import Scene
from tests.e2e.typist.screen import CannotTypeError, Keyboard, Screen

_SCRIMMAGE = re.compile(
    r"(?P<club>\S+) ball, (?P<down>\d)\w\w & (?P<distance>goal|\d+) at (?P<at>.+), "
    r"(?P<clock>[\d:]+) (?P<period>\S+?)\."
)
_KICK = re.compile(
    r"(?P<kind>Kickoff|Free kick|Try) by (?P<club>\S+) from (?P<at>.+), (?P<clock>[\d:]+) "
    r"(?P<period>\S+?)\."
)
_KINDS = {"Kickoff": "kickoff", "Free kick": "free_kick", "Try": "try"}
MINUTE = 60
_TYPED = {"kickoff": "k", "free_kick": "fk", "try": "try", "scrimmage": "scr"}


@dataclass(frozen=True)
class Read:
    """A snap as the sentence has it. `distance` to the goal line: what is left to it."""

    situation: str
    club: str
    spot: int
    down: int | None
    distance: int | None
    clock: int
    period: int


def read(sentence: str, scene: Scene) -> Read:
    match = _SCRIMMAGE.match(sentence) or _KICK.match(sentence)
    if match is None:
        raise CannotTypeError(f"no snap can be read in ‘{sentence}’")
    parts = match.groupdict()
    club = parts["club"]
    spot = _yard(parts["at"], club, scene)
    minutes, seconds = parts["clock"].split(":")
    period = parts["period"]
    goal = parts.get("distance") == "goal"
    return Read(
        situation=_KINDS.get(parts.get("kind", ""), "scrimmage"),
        club=club,
        spot=spot,
        down=int(parts["down"]) if "down" in parts else None,
        distance=None
        if "distance" not in parts
        else 100 - spot
        if goal
        else int(parts["distance"]),
        clock=int(minutes) * 60 + int(seconds),
        period=int(period[1:])
        if period.startswith("Q")
        else 4 + int(period.removesuffix("OT") or 1),
    )


def _yard(place: str, club: str, scene: Scene) -> int:
    if place == "the 50":
        return 50
    if place.endswith("goal line"):
        return 0 if place.startswith(f"{club}’") else 100
    side, yard = place.rsplit(" ", 1)
    return int(yard) if side == club else 100 - int(yard)


def wanted(snap: ev.Snap) -> Read:
    down = snap.down if snap.situation == "scrimmage" else None
    distance = (
        None if down is None or snap.distance is None else min(snap.distance, 100 - snap.spot)
    )
    return Read(snap.situation, snap.possession, snap.spot, down, distance, snap.clock, snap.period)


def type_snap(keyboard: Keyboard, key: str, snap: ev.Snap, scene: Scene) -> list[str]:
    """Types what differs from the proposal, and Enter. A digit begins the snap without its key.

    Gives what had to be overruled, the clock apart.
    """
    after, screen = wanted(snap), keyboard.screen()
    if not _begins_with_digit(screen, after, scene):
        keyboard.press(key)
        screen = keyboard.screen()
    before = read(screen.sentence, scene)
    words, wrong = _words(before, after, scene)
    keyboard.write(" ".join(words))
    page = keyboard.screen()
    proposal = read(page.sentence, scene)
    if after.situation == "scrimmage" and after.down is None:
        proposal = Read(**(vars(proposal) | {"down": None, "distance": None}))
    if proposal != after:
        raise CannotTypeError(f"‘{page.typed}’ does not give {after}: {page}")
    keyboard.press("Enter")
    return wrong


def snap_before(keyboard: Keyboard, snap: ev.Snap, scene: Scene) -> str | None:
    """The words of the snap in front of a movement's key; None if they cannot stand there.

    They begin and end with a digit: what begins otherwise is a key, and the key of a movement is
    known by the digit before it.
    """
    idle = keyboard.screen()
    if not idle.label.startswith("Likely next"):
        return None
    after = wanted(snap)
    words, wrong = _words(read(idle.sentence, scene), after, scene)
    if wrong or (after.situation == "scrimmage" and after.down is None):
        return None
    text = " ".join(words)
    return text if not text or (text[0] in ":0123456789" and text[-1].isdigit()) else None


def _begins_with_digit(idle: Screen, after: Read, scene: Scene) -> bool:
    if not idle.label.startswith("Likely next"):
        return False
    words, _ = _words(read(idle.sentence, scene), after, scene)
    return bool(words) and (words[0][0].isdigit() or words[0][0] == ":")


def _clock(before: Read, after: Read) -> str:
    """The seconds alone where the clock shows them for the first time since."""
    if before.period == after.period and 0 < before.clock - after.clock < MINUTE:
        return f"{after.clock % MINUTE:02d}"
    if after.clock < MINUTE:
        return f":{after.clock:02d}"
    return f"{after.clock // MINUTE}{after.clock % MINUTE:02d}"


def _words(before: Read, after: Read, scene: Scene) -> tuple[list[str], list[str]]:
    """In the order in which they are read.

    Kind, club and spot first, for the others count from there.
    """
    words, wrong = [], []
    spot = before.spot
    if before.situation != after.situation:
        words.append(_TYPED[after.situation])
        wrong.append("situation")
        spot = -1
    if before.club != after.club:
        words.append(after.club.lower())
        wrong.append("possession")
        spot = 100 - spot if after.situation == "scrimmage" and spot >= 0 else spot
    if spot != after.spot:
        words.append(f"o{after.spot}" if after.spot <= 50 else f"d{100 - after.spot}")
        wrong += [] if spot == -1 else ["spot"]
    if after.down is not None and (before.down, before.distance) != (after.down, after.distance):
        words.append(f"{after.down}&{after.distance}")
        wrong.append("down and distance")
    if before.clock != after.clock:
        words.insert(0, _clock(before, after))
    if before.period != after.period:
        words.append(f"q{after.period}")
        wrong.append("period")
    return words, wrong

"""Plain football words for spots, clocks, downs and gains, and the sentence of an event. Pure.

For play lists, the console's log and notices. What an event type says stands with its declaration (app/record/events).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

Who = Callable[[str | None], str]

UNNAMED = "an unnamed player"
ORDINALS = {1: "1st", 2: "2nd", 3: "3rd", 4: "4th"}


def yards(count: int) -> str:
    """A gain as people say it.

    >>> [yards(count) for count in (7, 1, 0, -3)]
    ['7 yards', '1 yard', 'no gain', 'a loss of 3']
    """
    if count == 0:
        return "no gain"
    return f"a loss of {-count}" if count < 0 else f"{count} yard{'' if count == 1 else 's'}"


def spot(team: str, yard: int, other: str) -> str:
    """A spot by the side of the field it is on: SF's 72 against ATL is `ATL 28`; midfield is `the 50`.

    >>> spot("SF", 72, "ATL"), spot("SF", 24, "ATL"), spot("SF", 50, "ATL")
    ('ATL 28', 'SF 24', 'the 50')
    """
    if yard == 50:
        return "the 50"
    return f"{team} {yard}" if yard < 50 else f"{other} {100 - yard}"


def clock_words(seconds: int) -> str:
    """Seconds left as the stadium shows them.

    >>> clock_words(725), clock_words(9)
    ('12:05', '0:09')
    """
    return f"{seconds // 60}:{seconds % 60:02d}"


def period_words(period: int) -> str:
    """Q1 to Q4, then OT, 2OT, ..."""
    return f"Q{period}" if period <= 4 else "OT" if period == 5 else f"{period - 4}OT"


class SnapLike(Protocol):
    """A snap, or one to be: see events.Snap."""

    @property
    def situation(self) -> str: ...
    @property
    def spot(self) -> int: ...
    @property
    def down(self) -> int | None: ...
    @property
    def distance(self) -> int | None: ...


def down_and_distance(snap: SnapLike) -> str:
    """`2nd & 7`, `1st & goal`, or the kind of kick or try."""
    if snap.situation != "scrimmage" or snap.down is None:
        return {"kickoff": "Kickoff", "free_kick": "Free kick", "try": "Try"}.get(snap.situation, "Snap")
    if snap.distance is None:
        return ORDINALS[snap.down]
    goal = snap.spot + snap.distance >= 100
    return f"{ORDINALS[snap.down]} & {'goal' if goal else snap.distance}"


class Worded(Protocol):
    """An event's body: each type has words of its own (app/record/events)."""

    def words(self, who: Who) -> str: ...


def sentence(body: Worded, names: Mapping[str, str]) -> str:
    """One sentence with a full stop, and `Touchdown!` after it where the movement scored.

    `names` gives the name to show for a player id; an id without a name is shown itself.
    """

    def who(player: str | None) -> str:
        return UNNAMED if player is None else names.get(player, player)

    words = body.words(who)
    scored = " Touchdown!" if getattr(body, "is_touchdown", False) else ""
    return f"{words[:1].upper()}{words[1:]}.{scored}"

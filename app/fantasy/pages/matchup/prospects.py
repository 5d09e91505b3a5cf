"""What a side of a matchup needs to win, in a plain sentence. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from app.core.bidi import isolated
from app.fantasy.amounts import decimal_points
from app.fantasy.projections.words import projected_words

NAMED = 3  # players named in a sentence; the others are counted
Points = int | Fraction


@dataclass(frozen=True)
class ToPlay:
    """A player with something to come. `rest`: expected, as often as they count, thousandths."""

    name: str
    rest: int


@dataclass(frozen=True)
class SideNow:
    """A side of a matchup now.

    Attributes:
        name: The team's name.
        points: Its points so far, in thousandths.
        rest: What it is expected to gain still.
        to_play: Its players with something to come, those with the most first; none of an average.
        is_average: Whether it is the average of the league.
    """

    name: str
    points: Points
    rest: Points
    to_play: Sequence[ToPlay]
    is_average: bool = False

    @property
    def is_done(self) -> bool:
        """Whether nothing is to come."""
        return not self.to_play and not (self.is_average and self.rest)


def prospects(first: SideNow, second: SideNow, *, has_begun: bool) -> str:
    """What each side needs; empty if nothing is to come.

    >>> hill = ToPlay("T. Hill", 8_900)
    >>> ann = SideNow("Ann FC", 90_000, 0, [])
    >>> bob = SideNow("Bob FC", 75_800, 18_900, [ToPlay("J. Reyes", 10_000), hill])
    >>> prospects(ann, bob, has_begun=True)
    'Bob FC needs 14.20 from J. Reyes and T. Hill to catch up (projected 18.9).'
    >>> cat = SideNow("Cat FC", 60_000, 8_900, [hill])
    >>> prospects(cat, bob, has_begun=True)[:65]
    'Cat FC needs to outscore Bob FC by 15.80: T. Hill (projected 8.9)'
    >>> prospects(SideNow("Dan FC", 75_800, 0, []), ann, has_begun=True)
    ''
    >>> prospects(cat, bob, has_begun=False)
    'Projected: Cat FC 68.9, Bob FC 94.7.'
    """
    if first.is_done and second.is_done:
        return ""
    if not has_begun:
        return (
            f"Projected: {isolated(first.name)} "
            f"{projected_words(first.points + first.rest)}, {isolated(second.name)} "
            f"{projected_words(second.points + second.rest)}."
        )
    if first.points == second.points:
        return _level(first, second)
    behind, ahead = (first, second) if first.points < second.points else (second, first)
    lead = decimal_points(ahead.points - behind.points)
    name, other = isolated(behind.name), isolated(ahead.name)
    if behind.is_done:
        return (
            f"{name} has no players left. Only negative points for {_who(ahead)} or a stat "
            "correction can change the result."
        )
    if ahead.is_done:
        return f"{name} needs {lead} from {_who(behind)} to catch up ({_projected(behind)})."
    return (
        f"{name} needs to outscore {other} by {lead}: {_who(behind)} ({_projected(behind)}) "
        f"vs {_who(ahead)} ({_projected(ahead)})."
    )


def _level(first: SideNow, second: SideNow) -> str:
    if first.is_done or second.is_done:
        playing, done = (second, first) if first.is_done else (first, second)
        return (
            f"Tied. {isolated(done.name)} has no players left. {_who(playing)} "
            f"({_projected(playing)}) can decide it."
        )
    return f"Tied: {_who(first)} ({_projected(first)}) vs {_who(second)} ({_projected(second)})."


def _who(side: SideNow) -> str:
    """The names of up to NAMED players with something to come."""
    if side.is_average:
        return "the other teams"
    names = [isolated(player.name) for player in side.to_play]
    if len(names) > NAMED:
        names = [*names[: NAMED - 1], f"{len(names) - NAMED + 1} others"]
    *all_but_last, last = names
    return f"{', '.join(all_but_last)} and {last}" if all_but_last else last


def _projected(side: SideNow) -> str:
    return f"projected {projected_words(side.rest)}"

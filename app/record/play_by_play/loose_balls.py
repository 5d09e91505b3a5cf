"""In which order a play's fumbles and recoveries happened, and who lost one.

Lives here: fitting two lists of official credits into one story. Pure; called by chain.py. The
league's credits say who fumbled, who recovered, and who is charged with a lost fumble (stat id
106), but not always in order. The story that contradicts them least is taken; should it still not
give the charges, a recovery by nobody in particular is added, so that the official charge stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations

_MAX_SHUFFLED = 6


@dataclass(frozen=True, slots=True)
class Loose:
    """A fumble. `lost`: charged as lost. `place`: its rank in the official list."""

    team: str
    player: str | None
    lost: bool
    place: int
    out_of_bounds: bool = False
    forced_by: str | None = None
    forced_by_team: str | None = None


@dataclass(frozen=True, slots=True)
class Taken:
    """A recovery. `own`: officially of the own club's fumble. None of them for one added here."""

    team: str
    player: str | None
    own: bool
    yards: int
    scores: bool
    place: int


Step = Loose | Taken


def story(
    fumbles: Sequence[Loose], recoveries: Sequence[Taken], holder: str, clubs: tuple[str, str]
) -> list[Step]:
    """Fumbles and recoveries in the order of the game; `holder` has the ball before them.

    Worked example: A fumbles (lost), B fumbles (lost), recovered by B, recovered by A: A's fumble,
    B's recovery, B's fumble, A's recovery.
    """
    steps: list[Step] = sorted([*fumbles, *recoveries], key=lambda step: step.place)
    if not fumbles and recoveries:  # somebody must have dropped what was recovered
        first = recoveries[0]
        dropper = first.team if first.own else _other(first.team, clubs)
        steps.insert(0, Loose(dropper, None, not first.own, first.place))
    if len(steps) <= _MAX_SHUFFLED:
        steps = list(
            min(permutations(steps), key=lambda order: _contradictions(tuple(order), holder))
        )
    return _as_charged(steps, clubs)


def _other(team: str, clubs: tuple[str, str]) -> str:
    return clubs[1] if team == clubs[0] else clubs[0]


def _next_taker(steps: Sequence[Step]) -> str | None:
    return next((step.team for step in steps if isinstance(step, Taken)), None)


def _contradictions(steps: Sequence[Step], holder: str) -> tuple[int, int]:
    """How badly an order fits: against the credits, then against the official list's own order."""
    wrong = inverted = 0
    loose: Loose | None = None
    for place, step in enumerate(steps):
        inverted += sum(1 for later in steps[place + 1 :] if later.place < step.place)
        if isinstance(step, Loose):
            wrong += 2 * (step.team != holder and loose is None)
            taker = _next_taker(steps[place + 1 :])
            wrong += step.lost if taker is None else 8 * (step.lost == (taker == step.team))
            loose = step
        else:
            wrong += 6 if loose is None else 4 * (step.own != (loose.team == step.team))
            holder, loose = step.team, None
    return wrong, inverted


def _as_charged(steps: Sequence[Step], clubs: tuple[str, str]) -> list[Step]:
    """The steps, with a team's recovery added after each fumble whose charge they would not
    give."""
    found: list[Step] = []
    for step in reversed(steps):
        if isinstance(step, Loose):
            taker = _next_taker(found)
            if step.lost and taker in (None, step.team):
                found.insert(0, Taken(_other(step.team, clubs), None, False, 0, False, step.place))
            elif not step.lost and taker not in (None, step.team):
                found.insert(0, Taken(step.team, None, True, 0, False, step.place))
        found.insert(0, step)
    return found


def merged(fumbles: Sequence[Loose]) -> list[Loose]:
    """One fumble where the list has two lines for it: how it came about, and that it went out of
    bounds.
    """
    found: list[Loose] = []
    for fumble in fumbles:
        if fumble.out_of_bounds:
            same = next(
                (f for f in found if f.player == fumble.player and f.team == fumble.team), None
            )
            if same is not None and not same.out_of_bounds:
                found[found.index(same)] = replace(same, out_of_bounds=True)
                continue
        found.append(fumble)
    return found


def charged(fumbles: Sequence[Loose], losers: Sequence[tuple[str, str | None]]) -> list[Loose]:
    """The fumbles with each loser's last one marked as lost.

    A charge without a fumble makes one.
    """
    found = list(fumbles)
    for team, player in losers:
        own = [
            n for n, f in enumerate(found) if (f.team, f.player) == (team, player) and not f.lost
        ]
        if own:
            found[own[-1]] = replace(found[own[-1]], lost=True)
        else:
            found.append(Loose(team, player, True, len(found)))
    return found

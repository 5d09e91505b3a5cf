"""Finds the order of a play's fumbles and recoveries, and who lost a fumble. Pure.

The league's credits say who fumbled, who recovered, and who is charged with a lost fumble (stat id
106), but not always in order. The order that contradicts them least is chosen. If it still does not
lead to the official charges, a recovery by nobody in particular is added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations

_MAX_SHUFFLED = 6


@dataclass(frozen=True, slots=True)
class Loose:
    """A fumble. `lost`: it is charged as lost. `place`: its position in the official list.

    `is_forced`: the list says so.
    """

    team: str
    player: str | None
    lost: bool
    place: int
    out_of_bounds: bool = False
    forced_by: str | None = None
    forced_by_team: str | None = None
    is_forced: bool = False


@dataclass(frozen=True, slots=True)
class Taken:
    """A recovery. `is_own`: officially, it is of a fumble by the same club."""

    team: str
    player: str | None
    is_own: bool
    yards: int
    scores: bool
    place: int


Step = Loose | Taken


def story(
    fumbles: Sequence[Loose], recoveries: Sequence[Taken], holder: str, clubs: tuple[str, str]
) -> list[Step]:
    """Fumbles and recoveries in the order of the game; `holder` has the ball before the first.

    Worked example: A fumbles (lost), B fumbles (lost), recovered by B, recovered by A: A's fumble,
    B's recovery, B's fumble, A's recovery.
    """
    steps: list[Step] = sorted([*fumbles, *recoveries], key=lambda step: step.place)
    if not fumbles and recoveries:  # somebody must have fumbled the ball that was recovered
        first = recoveries[0]
        dropper = first.team if first.is_own else _other(first.team, clubs)
        steps.insert(0, Loose(dropper, None, not first.is_own, first.place))
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
    """How badly an order fits the credits, then how badly it fits the official list."""
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
            wrong += 6 if loose is None else 4 * (step.is_own != (loose.team == step.team))
            holder, loose = step.team, None
    return wrong, inverted


def _as_charged(steps: Sequence[Step], clubs: tuple[str, str]) -> list[Step]:
    """The steps with a recovery added after each fumble that would be charged wrongly."""
    charged_steps: list[Step] = []
    for step in reversed(steps):
        if isinstance(step, Loose):
            taker = _next_taker(charged_steps)
            if step.lost and taker in (None, step.team):
                charged_steps.insert(
                    0, Taken(_other(step.team, clubs), None, False, 0, False, step.place)
                )
            elif not step.lost and taker not in (None, step.team):
                charged_steps.insert(0, Taken(step.team, None, True, 0, False, step.place))
        charged_steps.insert(0, step)
    return charged_steps


def merged(fumbles: Sequence[Loose]) -> list[Loose]:
    """The fumbles without duplicates.

    The official list has two rows for a fumble out of bounds: how it came about, and where it went.
    """
    fumbles_once: list[Loose] = []
    for fumble in fumbles:
        if fumble.out_of_bounds:
            same = next(
                (
                    earlier
                    for earlier in fumbles_once
                    if earlier.player == fumble.player and earlier.team == fumble.team
                ),
                None,
            )
            if same is not None and not same.out_of_bounds:
                fumbles_once[fumbles_once.index(same)] = replace(same, out_of_bounds=True)
                continue
        fumbles_once.append(fumble)
    return fumbles_once


def charged(fumbles: Sequence[Loose], losers: Sequence[tuple[str, str | None]]) -> list[Loose]:
    """The fumbles with each loser's last one marked as lost.

    A fumble is added for a charge without one.
    """
    marked = list(fumbles)
    for team, player in losers:
        places = [
            place
            for place, fumble in enumerate(marked)
            if (fumble.team, fumble.player) == (team, player) and not fumble.lost
        ]
        if places:
            marked[places[-1]] = replace(marked[places[-1]], lost=True)
        else:
            marked.append(Loose(team, player, True, len(marked)))
    return marked

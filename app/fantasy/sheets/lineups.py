"""How often each place of many team sheets counts, with captains and automatic substitutes. Pure.

The rule works on whole arrays: ownership (one row per sheet, one column per place) times a vector
of points. It follows Fantasy Premier League (PRODUCT B7):
- A starter is out if all their games of the gameweek are over (or there are none) and they did not
  play. In the order of the substitutes, each one who played comes on for the first starter, in the
  order of the places, who is out and for whom the formation stays legal. A substitute whose game is
  still to come is passed over; once all games are over this is final.
- The captain counts double. If they are out the vice-captain does, and if both are out nobody does.
- A starter who is replaced counts nothing, and neither does a substitute who stays on the bench.

Line-ups of draft leagues have no captains. Their substitutes come on only if the league says so,
each for the first starter who is out and whose place takes them. In best ball the starters are
those who would have had the most points together, whatever their places.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from app.fantasy.market.formats import Format

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Lineups:
    """n sheets of one format.

    Attributes:
        owned: The index of the footballer in each place, `[n, places]`.
        captain: The place of each sheet's captain, from 0.
        vice_captain: The place of each sheet's vice-captain, from 0.
    """

    owned: NDArray[np.int32]
    captain: NDArray[np.int8]
    vice_captain: NDArray[np.int8]


@dataclass(frozen=True)
class Footballers:
    """m footballers in one gameweek.

    Attributes:
        points: The points of all games of the gameweek together, in thousandths.
        held_points: Those of them from plays under review.
        group: The index of the position's group in the format.
        played: Whether there is a stat line.
        is_over: Whether all games have ended.
    """

    points: Numbers
    held_points: Numbers
    group: NDArray[np.int8]
    played: Flags
    is_over: Flags


def counted(team_format: Format, lineups: Lineups, footballers: Footballers) -> NDArray[np.int8]:
    """How often each place counts, `[n, places]`: 2 if doubled, 1 if it counts, else 0."""
    if team_format.is_best_ball:
        return _best(team_format, lineups, footballers)
    size = len(team_format.starters)
    out = (footballers.is_over & ~footballers.played)[lineups.owned]
    played = footballers.played[lineups.owned]
    multipliers = np.zeros(lineups.owned.shape, np.int8)
    multipliers[:, :size] = 1

    # Only sheets with a starter to replace and a substitute who played need substitutions.
    changed = np.flatnonzero(out[:, :size].any(axis=1) & played[:, size:].any(axis=1))
    if changed.size and team_format.substitutes_come_on:
        substituted = _substituted_by_place if team_format.is_draft else _substituted
        multipliers[changed] = substituted(
            team_format, footballers.group[lineups.owned[changed]], out[changed], played[changed]
        )
    if team_format.is_draft:
        return multipliers

    rows = np.arange(len(lineups.owned))
    captain_out = out[rows, lineups.captain]
    doubled = np.where(captain_out, lineups.vice_captain, lineups.captain)
    none = captain_out & out[rows, lineups.vice_captain]
    multipliers[rows[~none], doubled[~none]] *= 2
    return multipliers


def totals(
    lineups: Lineups, multipliers: NDArray[np.int8], footballers: Footballers
) -> tuple[Numbers, Numbers]:
    """Points and held points of each sheet, in thousandths, `[n]` each."""
    points = (footballers.points[lineups.owned] * multipliers).sum(axis=1)
    held_points = (footballers.held_points[lineups.owned] * multipliers).sum(axis=1)
    return points, held_points


def _substituted(
    team_format: Format, group: NDArray[np.int8], out: Flags, played: Flags
) -> NDArray[np.int8]:
    size = len(team_format.starters)
    legal, weight = _formations(team_format)
    multipliers = np.zeros(group.shape, np.int8)
    multipliers[:, :size] = 1
    formation = weight[group[:, :size]].sum(axis=1)
    waiting = out.copy()
    for bench in range(size, group.shape[1]):
        free = played[:, bench].copy()
        for place in range(size):
            after = formation - weight[group[:, place]] + weight[group[:, bench]]
            goes = free & waiting[:, place]
            goes &= legal[np.where(goes, after, 0)]
            multipliers[goes, place], multipliers[goes, bench] = 0, 1
            formation = np.where(goes, after, formation)
            waiting[goes, place] = False
            free &= ~goes
    return multipliers


def _substituted_by_place(
    team_format: Format, group: NDArray[np.int8], out: Flags, played: Flags
) -> NDArray[np.int8]:
    """As `_substituted`, but everybody stays in the place where they are or that they come into."""
    size = len(team_format.starters)
    takes = np.array(
        [
            [not positions.isdisjoint(slot.accepts) for positions in team_format.groups]
            for slot in team_format.starters
        ]
    )
    multipliers = np.zeros(group.shape, np.int8)
    multipliers[:, :size] = 1
    waiting = out.copy()
    for bench in range(size, group.shape[1]):
        free = played[:, bench].copy()
        for place in range(size):
            goes = free & waiting[:, place] & takes[place, group[:, bench]]
            multipliers[goes, place], multipliers[goes, bench] = 0, 1
            waiting[goes, place] = False
            free &= ~goes
    return multipliers


def _best(team_format: Format, lineups: Lineups, footballers: Footballers) -> NDArray[np.int8]:
    """The best starters of each sheet, `[n, places]`: 1 if they count, else 0.

    Footballers who can start together are the independent sets of a transversal matroid, so it is
    exact to take them one by one, the most points first, wherever they still find a place
    (Edmonds 1971). As many start as can. Ties: the earlier place on the sheet.
    """
    rooms = team_format.rooms
    chosen = np.array(
        [[group in groups for group in range(len(team_format.groups))] for groups, _ in rooms],
        np.int64,
    )
    room = np.array([number for _, number in rooms], np.int64)
    points = footballers.points[lineups.owned]
    group = footballers.group[lineups.owned]
    rows = np.arange(len(lineups.owned))
    multipliers = np.zeros(lineups.owned.shape, np.int8)
    counts = np.zeros((len(rows), len(team_format.groups)), np.int64)
    for place in np.argsort(-points, axis=1, kind="stable").T:
        after = counts.copy()
        after[rows, group[rows, place]] += 1
        starts = (after @ chosen.T <= room).all(axis=1) & (lineups.owned[rows, place] > 0)
        multipliers[rows[starts], place[starts]] = 1
        counts[starts] = after[starts]
    return multipliers


@cache
def _formations(team_format: Format) -> tuple[Flags, Numbers]:
    """Which formations are legal, by their number, and what each group adds to that number.

    A formation's number has the count of each group as a digit, in base (starters + 1).
    """
    size, groups = len(team_format.starters), len(team_format.groups)
    weight = np.array([(size + 1) ** group for group in range(groups)], np.int64)
    legal = np.zeros((size + 1) ** groups, np.bool_)
    for counts in _counts(size, groups):
        if team_format.fills(counts):
            legal[int(np.dot(counts, weight))] = True
    return legal, weight


def _counts(total: int, groups: int) -> list[tuple[int, ...]]:
    """Every way to divide `total` footballers among the groups."""
    if groups == 1:
        return [(total,)]
    return [
        (first, *others)
        for first in range(total + 1)
        for others in _counts(total - first, groups - 1)
    ]

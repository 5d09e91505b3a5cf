"""Team sheets as arrays: which footballer stands in which place of each, and what the sheets have.

The same arithmetic serves one sheet and a million. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from app.fantasy.market.formats import Format
from app.fantasy.sheets.lineups import Footballers, Lineups, Numbers, counted, totals

Rows = NDArray[np.intp]


class Counted(NamedTuple):
    """What a footballer counts at a moment.

    `position`: by which they have a place on a team sheet. `points`, `held_points`: thousandths.
    `is_over`: all games of the footballer's club have ended.
    """

    footballer_id: str
    position: str
    points: int
    held_points: int
    has_played: bool
    is_over: bool


# An empty place, or a footballer of whom nothing is known: out, and worth nothing.
_NOBODY = Counted("", "", 0, 0, has_played=False, is_over=True)


@dataclass(frozen=True)
class Totals:
    """Points and held points of each sheet in thousandths, before the cost of transfers.

    `multipliers`: how often each place counts, see sheets/lineups.py.
    """

    points: Numbers
    held_points: Numbers
    multipliers: NDArray[np.int8]


@dataclass(frozen=True)
class Ownership:
    """Team sheets of one format.

    `footballers`: ids of everybody on a sheet. `lineups.owned` numbers them from 1; 0 is an empty
    place.
    """

    format: Format
    footballers: Sequence[str]
    lineups: Lineups

    @classmethod
    def of(cls, team_format: Format, sheets: Sequence[Any]) -> Self:
        """The ownership of `sheets`: each has `picks`, `captain`, `vice_captain` (from 1)."""
        footballers = sorted({pick for sheet in sheets for pick in sheet.picks if pick})
        index = {"": 0} | {pick: number for number, pick in enumerate(footballers, start=1)}
        owned = [[index[pick] for pick in sheet.picks] for sheet in sheets]
        lineups = Lineups(
            # No sheets are no rows, but as many columns.
            owned=np.array(owned, np.int32).reshape(len(sheets), len(team_format.places)),
            captain=np.array([sheet.captain - 1 for sheet in sheets], np.int8),
            vice_captain=np.array([sheet.vice_captain - 1 for sheet in sheets], np.int8),
        )
        return cls(team_format, footballers, lineups)

    def __len__(self) -> int:
        return len(self.lineups.owned)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """The number of each footballer in `lineups.owned`, by id."""
        return {footballer: number for number, footballer in enumerate(self.footballers, start=1)}

    def rows_with(self, footballers: Collection[str]) -> Rows:
        """The sheets that have one of these footballers."""
        return self.rows_with_numbers(
            [self.index[footballer] for footballer in footballers if footballer in self.index]
        )

    def rows_with_numbers(self, numbers: Collection[int]) -> Rows:
        """As `rows_with`, of footballers by their number in `lineups.owned`."""
        is_named = np.zeros(len(self.footballers) + 1, np.bool_)
        is_named[list(numbers)] = True
        return np.flatnonzero(is_named[self.lineups.owned].any(axis=1))

    def select(self, rows: Rows) -> Ownership:
        """These sheets alone, with the same footballers."""
        lineups = self.lineups
        selected = Lineups(lineups.owned[rows], lineups.captain[rows], lineups.vice_captain[rows])
        return Ownership(self.format, self.footballers, selected)

    def arrays(self, by_id: Mapping[str, Counted]) -> Footballers:
        """What the footballers of these sheets count, by their numbers in `lineups.owned`."""
        rows = [_NOBODY, *(by_id.get(footballer, _NOBODY) for footballer in self.footballers)]
        # A sheet is saved with positions that have a place; an empty place is never filled.
        groups = [self.format.group_of(row.position) or 0 for row in rows]
        return Footballers(
            points=np.array([row.points for row in rows], np.int64),
            held_points=np.array([row.held_points for row in rows], np.int64),
            group=np.array(groups, np.int8),
            played=np.array([row.has_played for row in rows], np.bool_),
            is_over=np.array([row.is_over for row in rows], np.bool_),
        )

    def totals(self, footballers: Footballers) -> Totals:
        """The totals of all sheets with footballers that count so, see `arrays`."""
        multipliers = counted(self.format, self.lineups, footballers)
        points, held_points = totals(self.lineups, multipliers, footballers)
        return Totals(points, held_points, multipliers)


def rise_of(picks: Sequence[str], multipliers: Sequence[int], gains: Mapping[str, int]) -> int:
    """What a sheet's total gains if these footballers gain points, thousandths.

    `multipliers`: how often each place counts; they stay as they are.
    """
    return sum(
        gains.get(footballer, 0) * multiplier
        for footballer, multiplier in zip(picks, multipliers, strict=True)
    )

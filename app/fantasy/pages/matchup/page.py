"""Two team sheets side by side, as values. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from app.core.bidi import isolated
from app.fantasy.amounts import decimal_points
from app.fantasy.market.formats import Format, Slot
from app.fantasy.pages.league.page import PickRow, TeamPage


@dataclass(frozen=True)
class Pair:
    """A place with who stands in it on either side; None where it is empty."""

    slot: str
    rows: tuple[PickRow | None, PickRow | None]


@dataclass(frozen=True)
class MatchupPage:
    """`sides`: one or two, the asked member's first.

    `average`: the points of the league's average, '' where somebody else is met. `ahead`: in words,
    by how much who leads or won, '' for one side.
    """

    sides: tuple[TeamPage, ...]
    average: str
    starters: tuple[Pair, ...]
    substitutes: tuple[Pair, ...]
    ahead: str


def matchup_page(
    sides: Sequence[TeamPage], team_format: Format, average: Fraction | None, *, over: bool
) -> MatchupPage:
    """`average`: in thousandths, where the only side meets that.

    `over`: no game is still to be played.
    """
    first, second = sides[0], sides[1] if len(sides) > 1 else None
    totals = [Fraction(one.total) * 1000 for one in sides] + (
        [average] if average is not None else []
    )
    names = [one.team_name for one in sides] + (["The average"] if average is not None else [])
    return MatchupPage(
        tuple(sides),
        decimal_points(average) if average is not None else "",
        _paired(team_format.starters, first.starters, second.starters if second else ()),
        _paired(team_format.substitutes, first.substitutes, second.substitutes if second else ()),
        _ahead(names, totals, over=over) if len(totals) == 2 else "",
    )


def _paired(
    slots: Sequence[Slot], first: Sequence[PickRow], second: Sequence[PickRow]
) -> tuple[Pair, ...]:
    """Each place with the next footballer of either side in a place of its name."""
    waiting = (list(first), list(second))

    def take(rows: list[PickRow], slot: str) -> PickRow | None:
        found = next((row for row in rows if row.pick.slot == slot), None)
        if found is not None:
            rows.remove(found)
        return found

    return tuple(
        Pair(slot.name, (take(waiting[0], slot.name), take(waiting[1], slot.name)))
        for slot in slots
    )


def _ahead(names: Sequence[str], totals: Sequence[Fraction], *, over: bool) -> str:
    """Who leads or won, and by how much; `totals` in thousandths, exact, as the result is decided.

    >>> level, apart = [Fraction(3), Fraction(3)], [Fraction(10_500), Fraction(12_000)]
    >>> _ahead(["A", "B"], apart, over=False), _ahead(["A", "B"], level, over=False)
    ('B is ahead by 1.50', 'All square')
    >>> _ahead(["A", "B"], apart, over=True), _ahead(["A", "B"], level, over=True)
    ('B won by 1.50', 'A draw')
    >>> _ahead(["A", "The average"], [Fraction(5), Fraction(16, 3)], over=False)
    'The average is ahead by less than 0.001'
    """
    first, second = totals
    if first == second:
        return "A draw" if over else "All square"
    lead = abs(first - second)
    words = decimal_points(lead) if lead >= 1 else "less than 0.001"
    return (
        f"{isolated(names[0] if first > second else names[1])} {'won' if over else 'is ahead'} by "
        f"{words}"
    )

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
    """A place with the footballer of each side; None for an empty place."""

    slot: str
    rows: tuple[PickRow | None, PickRow | None]


@dataclass(frozen=True)
class MatchupPage:
    """Two teams place by place, or one that plays against the league's average.

    Attributes:
        sides: One or two teams, that of the requested member first.
        average: The points of the average; empty if the opponent is a member.
        ahead: Who leads or won, and by how much, in words; empty for one side.
    """

    sides: tuple[TeamPage, ...]
    average: str
    starters: tuple[Pair, ...]
    substitutes: tuple[Pair, ...]
    ahead: str


def matchup_page(
    sides: Sequence[TeamPage], team_format: Format, average: Fraction | None, *, is_over: bool
) -> MatchupPage:
    """Pair the places of both sides.

    Args:
        sides: One or two teams.
        team_format: The format that both play by.
        average: The points of the league's average in thousandths, if the only side plays it.
        is_over: Whether no game is still to be played.
    """
    first, second = sides[0], sides[1] if len(sides) > 1 else None
    totals = [Fraction(side.total) * 1000 for side in sides]
    names = [side.team_name for side in sides]
    if average is not None:
        totals.append(average)
        names.append("The average")
    return MatchupPage(
        tuple(sides),
        decimal_points(average) if average is not None else "",
        _paired(team_format.starters, first.starters, second.starters if second else ()),
        _paired(team_format.substitutes, first.substitutes, second.substitutes if second else ()),
        _ahead(names, totals, is_over=is_over) if len(totals) > 1 else "",
    )


def _paired(
    slots: Sequence[Slot], first: Sequence[PickRow], second: Sequence[PickRow]
) -> tuple[Pair, ...]:
    """Each place with the next footballer of each side in a place of this name."""
    waiting = (list(first), list(second))

    def take(rows: list[PickRow], slot: str) -> PickRow | None:
        next_row = next((row for row in rows if row.pick.slot == slot), None)
        if next_row is not None:
            rows.remove(next_row)
        return next_row

    return tuple(
        Pair(slot.name, (take(waiting[0], slot.name), take(waiting[1], slot.name)))
        for slot in slots
    )


def _ahead(names: Sequence[str], totals: Sequence[Fraction], *, is_over: bool) -> str:
    """Who leads or won, and by how much; `totals` in thousandths, exact, as the result is decided.

    >>> level, apart = [Fraction(3), Fraction(3)], [Fraction(10_500), Fraction(12_000)]
    >>> _ahead(["A", "B"], apart, is_over=False), _ahead(["A", "B"], level, is_over=False)
    ('B is ahead by 1.50', 'All square')
    >>> _ahead(["A", "B"], apart, is_over=True), _ahead(["A", "B"], level, is_over=True)
    ('B won by 1.50', 'A draw')
    >>> _ahead(["A", "The average"], [Fraction(5), Fraction(16, 3)], is_over=False)
    'The average is ahead by less than 0.001'
    """
    first, second = totals
    if first == second:
        return "A draw" if is_over else "All square"
    lead = abs(first - second)
    words = decimal_points(lead) if lead >= 1 else "less than 0.001"
    leader = names[0] if first > second else names[1]
    return f"{isolated(leader)} {'won' if is_over else 'is ahead'} by {words}"

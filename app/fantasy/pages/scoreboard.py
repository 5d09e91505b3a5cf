"""The sides of a scoreboard (templates/leagues/_scoreboard.html), as values. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.fantasy.projections.teams import Outlook
from app.fantasy.projections.words import percent_words, percentages, projected_words


@dataclass(frozen=True, kw_only=True)
class ScoreboardSide:
    """A side of a matchup at a glance.

    Attributes:
        total: Its points; empty before the week.
        expected: What the side is expected to have in the end; empty if that is not known or
            nothing is to come.
        percent: The chance of winning, `63%`; empty likewise.
        share: The same as a whole number for the bar.
        to_play: How many of its starters' games have not begun.
        playing: How many are being played.
        awaited: How many games of its starters have begun without data.
        is_awaited: Whether its total means nothing, because nothing is known of any of its games.
    """

    name: str
    total: str
    expected: str = ""
    percent: str = ""
    share: int = 0
    to_play: int = 0
    playing: int = 0
    awaited: int = 0
    is_awaited: bool = False


Sides = tuple[ScoreboardSide, ScoreboardSide]


def with_outlook(sides: Sides, outlook: Outlook) -> Sides:
    """These sides with what is expected of them."""
    words, shares = percent_words(outlook.chance), percentages(outlook.chance)
    first, second = (
        replace(side, expected=projected_words(points), percent=percent, share=share)
        for side, points, percent, share in zip(
            sides, (outlook.first, outlook.second), words, shares, strict=True
        )
    )
    return first, second

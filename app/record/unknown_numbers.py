"""Footballers of whom a scorer knows only the jersey: their ids and their words. Pure.

No footballer has such an id. It stands in events like any other, until a correction of each names
the footballer (decision 48).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_UNKNOWN = re.compile(r"\?(?P<club>.{1,16})-(?P<number>\d{1,2})")


@dataclass(frozen=True)
class UnknownNumber:
    """A jersey of a club whose wearer is unknown."""

    club: str
    number: int

    @property
    def words(self) -> str:
        """The jersey as people say it."""
        return f"unknown number {self.number} of {self.club}"


def unknown_number(player: str) -> UnknownNumber | None:
    """Whom the id stands for; None for the id of a footballer.

    >>> unknown_number("?SUM-84"), unknown_number("00-0033873")
    (UnknownNumber(club='SUM', number=84), None)
    """
    match = _UNKNOWN.fullmatch(player)
    return UnknownNumber(match["club"], int(match["number"])) if match else None


def unknown_names(players: Iterable[str]) -> dict[str, str]:
    """Words by id, of those that are unknown numbers."""
    names = {}
    for player in players:
        if (unknown := unknown_number(player)) is not None:
            names[player] = unknown.words
    return names

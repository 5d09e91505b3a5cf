"""Rankings of games whose leagues are not ranked by ranking.py.

Draft leagues are ranked by the records of their regular season. They stand above this package and
register how: every page, notice and preview then has the same places.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

# From points by (gameweek id, member id) to what each member ranks by, the most important first;
# more is better.
StandingsOf = Callable[[Mapping[tuple[int, int], int]], Mapping[int, tuple[int, ...]]]


@dataclass(frozen=True)
class OwnRanking:
    """How the leagues of a game are ranked.

    Attributes:
        write: Writes standings and ranks of a league; only its caller commits.
        standings_of: Loads a league, and returns the standings that any points would give.
        playoff_changes: What these points, by (gameweek id, member id), would change in the
            league's play-offs, in sentences. Reads only.
    """

    write: Callable[[int], None]
    standings_of: Callable[[int], StandingsOf]
    playoff_changes: Callable[[int, Mapping[tuple[int, int], int]], Sequence[str]]


OWN_RANKINGS: dict[str, OwnRanking] = {}  # by the game of the league, registered at the start

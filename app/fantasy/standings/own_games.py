"""What a game of leagues does in its own way: fixtures, rankings and stories.

Draft leagues are ranked by the records of their regular season. They stand above this package and
register how: every page, notice and preview then has the same places.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

# From points by (gameweek id, member id) to what each member ranks by, the most important first;
# more is better.
StandingsOf = Callable[[Mapping[tuple[int, int], int]], Mapping[int, tuple[int, ...]]]


@dataclass(frozen=True, kw_only=True)
class OwnGame:
    """How the leagues of a game are played. Only the callers of what writes commit.

    Attributes:
        write_fixtures: Writes the fixtures that a season's leagues lack since it has more
            gameweeks.
        write_standings: Writes standings and ranks of a league.
        standings_of: Loads a league, and returns the standings that any points would give.
        playoff_changes: What these points, by (gameweek id, member id), would change in the
            league's play-offs, in sentences. Reads only.
        playoff_story: What a gameweek of a league, by its number, decided in the play-offs, in
            sentences, the most important first. Reads only.
    """

    write_fixtures: Callable[[int], None]
    write_standings: Callable[[int], None]
    standings_of: Callable[[int], StandingsOf]
    playoff_changes: Callable[[int, Mapping[tuple[int, int], int]], Sequence[str]]
    playoff_story: Callable[[int, int], Sequence[str]]


OWN_GAMES: dict[str, OwnGame] = {}  # by the game of the league, registered at the start

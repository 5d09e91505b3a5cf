"""Matches the fixtures of a schedule with stored games. Pure.

Sources change more than the kickoff if a game is moved: nflverse's ids hold the week. So a fixture
is matched by its ids, then by its clubs and gameweek, then by its clubs in the season, and last by
its clubs in the gameweek with either at home.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.fantasy.season_setup.schedule import Fixture

AWAITED = ("scheduled", "postponed")


@dataclass(frozen=True)
class StoredGame:
    """A stored game. `is_late`: whether it counts as moved if it leaves its gameweek now."""

    id: str
    competition: str
    season: int
    season_type: str
    week: int
    home_id: str
    away_id: str
    planned_week: int | None
    planned_kickoff: datetime | None
    status: str
    is_late: bool

    @property
    def file_week(self) -> int:
        """The gameweek in the schedule, even if an operator moved the game."""
        return self.planned_week or self.week


def match_games(
    fixtures: Sequence[Fixture],
    clubs: Mapping[str, str],
    stored: Sequence[StoredGame],
    *,
    meet_once: bool,
) -> dict[str, StoredGame]:
    """Return the stored game of each fixture by the fixture's id, each game at most once.

    Args:
        fixtures: The fixtures of the file.
        clubs: Ids of clubs by their name in the file.
        stored: All games of the fixtures' competition and seasons, and those that have one of their
            ids.
        meet_once: Whether no two clubs meet twice in a gameweek, or at the same home in a season.
            If they may, a fixture is the same game in another gameweek only if the file covers the
            gameweek of the stored one.
    """
    matching = _Matching(fixtures, clubs, stored)
    matching.match_by_ids()
    matching.match_by_week(lambda game: game.week)
    matching.match_by_week(lambda game: game.file_week)
    awaited = matching.awaited_games(meet_once=meet_once)
    matching.match_by_clubs(awaited)
    if meet_once:
        matching.match_turned(awaited)
    return matching.matches


_Pair = tuple[int, str, str, str]  # season, its type, home and away


class _Matching:
    """Fixtures and stored games, of which those that match are taken out."""

    def __init__(
        self,
        fixtures: Sequence[Fixture],
        clubs: Mapping[str, str],
        stored: Sequence[StoredGame],
    ) -> None:
        self.matches: dict[str, StoredGame] = {}
        self._fixtures, self._clubs, self._stored = fixtures, clubs, stored
        self._taken: set[str] = set()

    def match_by_ids(self) -> None:
        by_id = {game.id: game for game in self._stored}
        for fixture in self._fixtures:
            self._match(fixture, by_id.get(fixture.id))
        for fixture in self._fixtures:
            self._match(fixture, by_id.get(fixture.other_id or ""))

    def match_by_week(self, week_of: Callable[[StoredGame], int]) -> None:
        by_week = {(*_pair(game), week_of(game)): game for game in self._left()}
        for fixture in self._fixtures:
            self._match(fixture, by_week.get((*self._pair(fixture), fixture.week)))

    def awaited_games(self, *, meet_once: bool) -> list[StoredGame]:
        """The games still to be played that may have moved to another gameweek."""
        covered = {
            (fixture.season, fixture.season_type, fixture.week) for fixture in self._fixtures
        }
        return [
            game
            for game in self._left()
            if game.status in AWAITED
            and (meet_once or (game.season, game.season_type, game.file_week) in covered)
        ]

    def match_by_clubs(self, awaited: Sequence[StoredGame]) -> None:
        """Match pairs of clubs that are left once on either side."""
        games = Counter(_pair(game) for game in awaited)
        unmatched = Counter(
            self._pair(fixture) for fixture in self._fixtures if fixture.id not in self.matches
        )
        by_pair = {_pair(game): game for game in awaited if games[_pair(game)] == 1}
        for fixture in self._fixtures:
            if unmatched[self._pair(fixture)] == 1:
                self._match(fixture, by_pair.get(self._pair(fixture)))

    def match_turned(self, awaited: Sequence[StoredGame]) -> None:
        """Match games of the gameweek whose home and away clubs changed places."""
        turned = {
            (game.season, game.season_type, game.away_id, game.home_id, game.file_week): game
            for game in awaited
        }
        for fixture in self._fixtures:
            self._match(fixture, turned.get((*self._pair(fixture), fixture.week)))

    def _match(self, fixture: Fixture, game: StoredGame | None) -> None:
        if game is not None and fixture.id not in self.matches and game.id not in self._taken:
            self.matches[fixture.id] = game
            self._taken.add(game.id)

    def _left(self) -> list[StoredGame]:
        return [game for game in self._stored if game.id not in self._taken]

    def _pair(self, fixture: Fixture) -> _Pair:
        home, away = self._clubs[fixture.home], self._clubs[fixture.away]
        return fixture.season, fixture.season_type, home, away


def _pair(game: StoredGame) -> _Pair:
    return game.season, game.season_type, game.home_id, game.away_id

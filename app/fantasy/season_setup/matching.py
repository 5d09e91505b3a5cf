"""Which stored game each fixture of a schedule is. Pure.

Sources change more than the kickoff when a game is moved: nflverse's ids hold the week. So a
fixture is looked for by its ids, then by its clubs and gameweek, then by its clubs in the season,
and last by who meets whom in the gameweek, whoever is at home.
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
    """A game as it is stored. `is_late`: one that leaves its gameweek now counts as moved."""

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
        """The gameweek that the schedule had it in, wherever an operator moved it since."""
        return self.planned_week or self.week


def match_games(
    fixtures: Sequence[Fixture],
    clubs: Mapping[str, str],
    stored: Sequence[StoredGame],
    *,
    meet_once: bool,
) -> dict[str, StoredGame]:
    """The stored game of each fixture by the fixture's id; every stored game is taken once at most.

    Args:
        clubs: Ids of clubs by their name in the file.
        stored: All games of the fixtures' competition and seasons, and whatever has one of their
            ids.
        meet_once: No two clubs meet twice in a gameweek, or at the same home in a season. Where
            they may, a fixture is the same game in another gameweek only if the file covers the
            gameweek of the stored one.
    """
    found: dict[str, StoredGame] = {}
    taken: set[str] = set()

    def take(fixture: Fixture, game: StoredGame | None) -> None:
        if game is not None and fixture.id not in found and game.id not in taken:
            found[fixture.id] = game
            taken.add(game.id)

    by_id = {game.id: game for game in stored}
    for key in (lambda fixture: fixture.id, lambda fixture: fixture.other_id):
        for fixture in fixtures:
            take(fixture, by_id.get(key(fixture) or ""))

    def pair(fixture: Fixture) -> tuple[int, str, str, str]:
        return fixture.season, fixture.season_type, clubs[fixture.home], clubs[fixture.away]

    week_of_game: tuple[Callable[[StoredGame], int], ...] = (
        lambda game: game.week,
        lambda game: game.file_week,
    )
    for week in week_of_game:
        by_week = {(*_pair(game), week(game)): game for game in stored if game.id not in taken}
        for fixture in fixtures:
            take(fixture, by_week.get((*pair(fixture), fixture.week)))

    covered = {(fixture.season, fixture.season_type, fixture.week) for fixture in fixtures}
    awaited = [
        game
        for game in stored
        if game.id not in taken
        and game.status in AWAITED
        and (meet_once or (game.season, game.season_type, game.file_week) in covered)
    ]
    left = Counter(_pair(game) for game in awaited)
    came = Counter(pair(fixture) for fixture in fixtures if fixture.id not in found)
    by_pair = {_pair(game): game for game in awaited if left[_pair(game)] == 1}
    for fixture in fixtures:
        if came[pair(fixture)] == 1:
            take(fixture, by_pair.get(pair(fixture)))

    if meet_once:
        turned = {
            (game.season, game.season_type, game.away_id, game.home_id, game.file_week): game
            for game in awaited
        }
        for fixture in fixtures:
            take(fixture, turned.get((*pair(fixture), fixture.week)))
    return found


def _pair(game: StoredGame) -> tuple[int, str, str, str]:
    return game.season, game.season_type, game.home_id, game.away_id

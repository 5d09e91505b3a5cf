"""Play-offs as a function of seeds and points. Pure.

A bracket has the size of the next power of two; the best seeds have nobody to meet in the first
round. In a fixed bracket the winner of 1 against 8 meets the winner of 4 against 5; with reseeding
the best seed left meets the worst. A round of two gameweeks adds both up. A tie goes to the better
seed, as on Sleeper and ESPN. The losers of the semi-finals play for the third place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from app.draft_leagues.season.table import Place, Points
from app.draft_leagues.settings import SeasonSettings

Bracket = Literal["championship", "third", "lower"]
_SIDES = 2


@dataclass(frozen=True)
class Game:
    """A game of a bracket.

    Attributes:
        bracket: Which bracket it belongs to.
        round: From 1.
        weeks: The gameweeks that it is played over.
        high: The better seed; None while it is not known.
        low: The other; None while it is not known, and in a round without an opponent.
        points: What both have so far, in thousandths.
        winner: Who won; None until all its gameweeks are settled. Of a round without an opponent,
            `high`.
        is_bye: Whether there is no opponent.
    """

    bracket: Bracket
    round: int
    weeks: tuple[int, ...]
    high: int | None
    low: int | None
    points: tuple[int, int] = (0, 0)
    winner: int | None = None
    is_bye: bool = False

    @property
    def loser(self) -> int | None:
        """Who lost; None until it is decided, or without an opponent."""
        if self.winner is None or self.is_bye:
            return None
        return self.low if self.winner == self.high else self.high


@dataclass(frozen=True)
class Playoffs:
    """All games, by bracket and round.

    Attributes:
        seeds: The franchises of the championship, the first seed first.
        champion: None until the final is decided.
        last: Who lost the last game of a bracket for the last place.
    """

    seeds: tuple[int, ...]
    games: tuple[Game, ...]
    champion: int | None = None
    last: int | None = None

    def pairs(self, week: int) -> list[tuple[int, int]]:
        """Who meets whom in a gameweek, as far as it is known, in the order of the games."""
        return [
            (game.high, game.low)
            for game in self.games
            if week in game.weeks and game.high is not None and game.low is not None
        ]


@dataclass(frozen=True)
class Results:
    """What the gameweeks of the play-offs have brought.

    `points`: by gameweek. `settled`: the gameweeks that are over.
    """

    points: Mapping[int, Points]
    settled: frozenset[int]


def seeds(table: Sequence[Place], divisions: Mapping[int, int], teams: int) -> list[int]:
    """The franchises of the play-offs, the first seed first: division winners before the others."""
    order = [place.franchise for place in table]
    winners: dict[int, int] = {}
    for number in order:
        if division := divisions.get(number, 0):
            winners.setdefault(division, number)
    first = [number for number in order if number in winners.values()]
    return [*first, *(number for number in order if number not in first)][:teams]


def playoffs(
    settings: SeasonSettings,
    table: Sequence[Place],
    divisions: Mapping[int, int],
    first_week: int,
    results: Results,
) -> Playoffs:
    """The play-offs after a regular season with this table.

    `first_week`: the number of their first gameweek; the others follow it.
    """
    weeks, week = [], first_week
    for length in settings.weeks_per_round:
        weeks.append(tuple(range(week, week + length)))
        week += length
    chosen = seeds(table, divisions, settings.playoff_teams)
    others = [place.franchise for place in table if place.franchise not in chosen]
    ranks = {number: rank for rank, number in enumerate([*chosen, *others])}
    championship = _Bracket("championship", weeks, results, ranks, reseed=settings.reseed)
    games = championship.games(chosen)
    champion = games[-1].winner if games else None
    third = championship.third_place(games)
    lower = _lower_games(settings, others, chosen, _Bracket("lower", weeks, results, ranks))
    last = lower[-1].loser if lower and settings.lower_bracket == "last_place" else None
    return Playoffs(tuple(chosen), (*games, *third, *lower), champion, last)


def _lower_games(
    settings: SeasonSettings, left: Sequence[int], chosen: Sequence[int], bracket: _Bracket
) -> list[Game]:
    """The games of those who are left, the best first, in the last gameweeks of the play-offs."""
    if settings.lower_bracket == "none" or not chosen:
        return []
    others = [*left]
    rounds = min(len(bracket.weeks), max(0, (len(others) - 1).bit_length()))
    if settings.lower_bracket == "last_place":
        others.reverse()  # the worst has nobody to meet first, and whoever loses moves on
    late = replace(
        bracket,
        weeks=bracket.weeks[len(bracket.weeks) - rounds :],
        losers_move_on=settings.lower_bracket == "last_place",
    )
    return late.games(others[: 2**rounds])


@dataclass(frozen=True)
class _Bracket:
    """How a bracket is played.

    Attributes:
        weeks: The gameweeks of each round.
        ranks: The seed of each franchise, or its place behind them, the best the lowest. It decides
            ties.
        losers_move_on: Whether the loser of each game is in the next round.
    """

    name: Bracket
    weeks: Sequence[tuple[int, ...]]
    results: Results
    ranks: Mapping[int, int]
    reseed: bool = False
    losers_move_on: bool = False

    def games(self, chosen: Sequence[int]) -> list[Game]:
        """The games, round by round. `chosen`: the first seed first."""
        if len(chosen) < _SIDES:
            return []
        size = 2 ** (len(chosen) - 1).bit_length()
        places: list[int | None] = [
            chosen[seed] if seed < len(chosen) else None for seed in _bracket_order(size)
        ]
        games: list[Game] = []
        for number, during in enumerate(self.weeks[: size.bit_length() - 1], start=1):
            if self.reseed and number > 1:
                places = self._reseeded(places)
            played = [
                self.game(number, during, sides)
                for sides in zip(places[::2], places[1::2], strict=True)
            ]
            games += played
            places = [
                game.loser if self.losers_move_on and not game.is_bye else game.winner
                for game in played
            ]
        return games

    def _reseeded(self, places: Sequence[int | None]) -> list[int | None]:
        """The best against the worst, and so on; nobody is known before all are."""
        if None in places:
            return [None] * len(places)
        left = sorted((each for each in places if each is not None), key=self.ranks.__getitem__)
        return [left[seed] for seed in _bracket_order(len(left))]

    def game(self, number: int, during: tuple[int, ...], both: Sequence[int | None]) -> Game:
        """A game between these two; only the first round has nobody to meet for good."""
        sides = sorted((each for each in both if each is not None), key=self.ranks.__getitem__)
        high = sides[0] if sides else None
        if high is None or len(sides) < _SIDES:
            is_bye = number == 1 and high is not None
            return Game(
                self.name,
                number,
                during,
                high,
                None,
                winner=high if is_bye else None,
                is_bye=is_bye,
            )
        low = sides[1]
        points = self._points(high, during), self._points(low, during)
        winner = None
        if self.results.settled.issuperset(during):
            winner = high if points[0] >= points[1] else low
        return Game(self.name, number, during, high, low, points, winner)

    def third_place(self, championship: Sequence[Game]) -> list[Game]:
        """The game of the losers of the semi-finals, in the gameweeks of the final."""
        semi_finals = [game for game in championship if game.round == len(self.weeks) - 1]
        if len(semi_finals) != _SIDES or any(game.is_bye for game in semi_finals):
            return []
        losers = [game.loser for game in semi_finals]
        game = self.game(len(self.weeks), self.weeks[-1], losers)
        return [replace(game, bracket="third")]

    def _points(self, franchise: int, during: Sequence[int]) -> int:
        return sum(self.results.points.get(week, {}).get(franchise, 0) for week in during)


def _bracket_order(size: int) -> list[int]:
    """The seeds, from 0, in the order of a bracket's places.

    >>> [seed + 1 for seed in _bracket_order(8)]
    [1, 8, 4, 5, 2, 7, 3, 6]
    """
    order = [0]
    while len(order) < size:
        order = [seed for each in order for seed in (each, 2 * len(order) - 1 - each)]
    return order

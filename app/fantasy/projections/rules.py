"""What a player is expected to score in a game, before it and while it is played. Pure.

Before a game: the mean of the player's own games so far, where recent games weigh more, shrunk
towards the mean of their position. During a game: the points so far, and of the expectation the
share that is left of the game. Points are in thousandths, variances in thousandths squared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from app.fantasy.market.statuses import UNFIT
from app.record.rules.state import NOT_AWAITED

# How much a game weighs beside the game after it, and how many games of an average player of the
# position each player has beside their own. Chosen with `benchmarks.projections --fit`.
DECAY = 0.92
PRIOR_GAMES = 2.0
# The projection before the season counts as this many games of a player, and ages like games.
PRESEASON_GAMES = 8.0
# A break between seasons counts as this many games.
BREAK_GAMES = 4
# A player is at least this share as changeable as their position, however even their games were.
LEAST_VARIANCE = 0.5
# A season has its own figures of a position from this many games on.
ENOUGH_GAMES = 30

PERIOD_SECONDS, PERIODS = 900, 4
GAME_SECONDS = PERIODS * PERIOD_SECONDS
# A game that goes on is never without a rest: one more play, or overtime.
LEAST_SECONDS = 30
# Of a live game whose clock nobody tells.
UNKNOWN_SHARE = 0.5

# Rosters have many names for the places of a defence.
_FAMILIES: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(("DE", "DT", "NT"), "DL")
    | dict.fromkeys(("ILB", "OLB", "MLB"), "LB")
    | dict.fromkeys(("CB", "S", "SS", "FS", "SAF"), "DB")
)


def family_of(position: str) -> str:
    """The positions that are averaged together: those of a defence by line, linebacker and back.

    >>> [family_of(position) for position in ("WR", "NT", "FS")]
    ['WR', 'DL', 'DB']
    """
    return _FAMILIES.get(position, position)


@dataclass(frozen=True)
class Figures:
    """Points of many games: how many games, their sum, and the sum of their squares."""

    games: int
    points: float
    squares: float

    @property
    def mean(self) -> float:
        """The mean of a game; 0 without games."""
        return self.points / self.games if self.games else 0.0

    @property
    def variance(self) -> float:
        """The variance of a game around the mean."""
        return max(0.0, self.squares / self.games - self.mean**2) if self.games else 0.0

    def __add__(self, other: Figures) -> Figures:
        return Figures(
            self.games + other.games, self.points + other.points, self.squares + other.squares
        )


@dataclass(frozen=True)
class Expectation:
    """What a player is expected to score in one whole game, and its variance."""

    points: float
    variance: float


NOTHING = Expectation(0.0, 0.0)


def by_family(figures: Iterable[tuple[str, Figures]]) -> dict[str, Figures]:
    """Add up the figures of positions that are averaged together."""
    families: dict[str, Figures] = {}
    for position, part in figures:
        family = family_of(position)
        families[family] = families.get(family, Figures(0, 0, 0)) + part
    return families


def history(
    points_by_week: Mapping[int, int], club_weeks: Iterable[int], *, before: int
) -> list[int]:
    """A player's gameweeks before another one, latest first.

    A gameweek that the club played without them counts 0, because they may miss the next one too.

    Args:
        points_by_week: The player's points in each gameweek with a stat line.
        club_weeks: The gameweeks that the player's club has played.
        before: The gameweek that is projected.

    >>> history({1: 9000, 3: 12000, 4: 5000}, [1, 2, 3], before=4)
    [12000, 0, 9000]
    """
    weeks = {week for week in (*points_by_week, *club_weeks) if week < before}
    return [points_by_week.get(week, 0) for week in sorted(weeks, reverse=True)]


def expectation(
    games: Sequence[int], position: Figures, last_season: Sequence[int] = ()
) -> Expectation:
    """What a player is expected to score in their next game.

    The mean and the variance of their own games, in which a game weighs DECAY times as much as the
    next one, together with PRIOR_GAMES games of the position's mean and variance. A player without
    games has those of the position.

    Args:
        games: Points in the games of this season, latest first.
        position: The figures of everybody in the position.
        last_season: The same of the season before.

    >>> average = Figures(games=100, points=800_000, squares=7_300_000_000)
    >>> expectation([], average)
    Expectation(points=8000.0, variance=9000000.0)
    >>> round(expectation([14_000], average).points)  # (14 + 2 x 8) / 3
    10000
    """
    weighted = [(points, DECAY**age) for age, points in enumerate(games)]
    older = len(games) + BREAK_GAMES
    weighted += [(points, DECAY**age) for age, points in enumerate(last_season, start=older)]
    weight = sum(share for _, share in weighted) + PRIOR_GAMES
    total = sum(points * share for points, share in weighted)
    mean = (total + PRIOR_GAMES * position.mean) / weight
    around = sum(share * (points - mean) ** 2 for points, share in weighted)
    variance = (around + PRIOR_GAMES * position.variance) / weight
    return Expectation(mean, max(variance, LEAST_VARIANCE * position.variance))


def expectation_since(games: Sequence[int], preseason: Expectation) -> Expectation:
    """What a player is expected to score in their next game, by this season and what came before.

    Args:
        games: Points in the games of this season, latest first.
        preseason: What they were expected to score in a game before the season (preseason.py).

    >>> expectation_since([], Expectation(9_000, 4_000_000))
    Expectation(points=9000.0, variance=4000000.0)
    >>> round(expectation_since([18_000], Expectation(9_000, 4_000_000)).points)  # (18+7.36x9)/8.36
    10077
    """
    prior = max(PRIOR_GAMES, PRESEASON_GAMES * DECAY ** len(games))
    weighted = [(points, DECAY**age) for age, points in enumerate(games)]
    weight = sum(share for _, share in weighted) + prior
    mean = (sum(points * share for points, share in weighted) + prior * preseason.points) / weight
    around = sum(share * (points - mean) ** 2 for points, share in weighted)
    variance = (around + prior * preseason.variance) / weight
    return Expectation(mean, max(variance, LEAST_VARIANCE * preseason.variance))


@dataclass(frozen=True)
class GameNow:
    """A game of the gameweek and what the player has in it.

    Attributes:
        status: As in record.rules.state.
        period: That of the last snap; None if nobody tells, as in soccer.
        clock: Seconds left in the period.
        points: The player's points so far.
        open_points: The part of `points` that the rest of the game may take away again, such as
            those of a defence for the few points that it has allowed so far.
    """

    status: str = "scheduled"
    period: int | None = None
    clock: int | None = None
    points: int = 0
    open_points: int = 0


def share_left(game: GameNow) -> float:
    """How much of the game is still to be played, from 1 before it to 0 after it.

    Overtime is what its clock shows, as a share of a game of four quarters.

    >>> share_left(GameNow()), share_left(GameNow("final", 4, 0)), share_left(GameNow("postponed"))
    (1.0, 0.0, 0.0)
    >>> share_left(GameNow("live", 2, 900)), share_left(GameNow("live", 3, 450))
    (0.75, 0.375)
    >>> share_left(GameNow("live", 4, 0))  # overtime may follow
    0.008333333333333333
    """
    if game.status in NOT_AWAITED:
        return 0.0
    if game.period is None or game.clock is None:
        return 1.0 if game.status == "scheduled" else UNKNOWN_SHARE
    if game.status == "scheduled":
        return 1.0
    seconds = max(0, PERIODS - game.period) * PERIOD_SECONDS + game.clock
    return min(max(seconds, LEAST_SECONDS), GAME_SECONDS) / GAME_SECONDS


@dataclass(frozen=True)
class Projection:
    """What a player is expected to have at the end of a gameweek.

    Attributes:
        points: Expected in the end: the points so far and the rest.
        scored: The points so far.
        variance: Of what is still to come; 0 once the player can score no more.
        games_left: How many games' worth the player has still to play: 1 before a game, 0.25 at the
            beginning of its last quarter, 0 after it, in a bye week, or if they are injured.
        takes_part: Whether they have played, or are expected to. If not, a substitute comes on.
    """

    points: int
    scored: int
    variance: float
    games_left: float
    takes_part: bool

    @property
    def rest(self) -> int:
        """The points that are expected to come; negative if a defence is expected to lose some."""
        return self.points - self.scored


def project(
    expected: Expectation, games: Sequence[GameNow], status: str, *, has_played: bool
) -> Projection:
    """What a player is expected to have after these games of a gameweek.

    Args:
        expected: What they are expected to score in a whole game.
        games: Their games of the gameweek; none in a bye week.
        status: Whether they are fit (market.statuses). Nothing more is expected of somebody who is
            sure not to play.
        has_played: Whether they have a stat line in one of the games.

    >>> bye = project(Expectation(9000, 4_000_000), [], "available", has_played=False)
    >>> bye.points, bye.takes_part
    (0, False)
    >>> third_quarter = GameNow("live", 3, 900, points=6_300)
    >>> half = project(Expectation(9000, 4_000_000), [third_quarter], "available", has_played=True)
    >>> half.points, half.rest, half.variance
    (10800, 4500, 2000000.0)
    """
    scored = sum(game.points for game in games)
    if status in UNFIT:
        return Projection(scored, scored, 0.0, 0.0, has_played)
    left = [share_left(game) for game in games]
    games_left = sum(left)
    # What may be taken away again counts by the share of the game that is over.
    at_risk = sum(game.open_points * share for game, share in zip(games, left, strict=True))
    to_come = expected.points * games_left - at_risk
    return Projection(
        round(scored + to_come),
        scored,
        expected.variance * games_left,
        games_left,
        has_played or games_left > 0,
    )


@dataclass(frozen=True)
class ProjectedWeek:
    """A player's gameweek, from which the projection follows.

    Attributes:
        position: By which the player has a place on a sheet.
        expected: What the player is expected to score in a whole game.
        games: The player's games of the gameweek, by id.
        status: Whether the player is fit (market.statuses).
        has_played: Whether the player has a stat line in one of the games.
    """

    position: str
    expected: Expectation
    games: Mapping[str, GameNow]
    status: str
    has_played: bool

    def projection(self, games: Iterable[GameNow] | None = None) -> Projection:
        """What the player is expected to have after these games, or after those of now."""
        played = list(self.games.values() if games is None else games)
        return project(self.expected, played, self.status, has_played=self.has_played)

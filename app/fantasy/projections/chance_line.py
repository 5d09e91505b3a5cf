"""The chance of winning a matchup over all plays. Pure.

The chance after a play follows from the projection of that moment, as in `chances`: what each
player had by then, and of their expectation the share that was left of their game. Players count as
often as they count now. What no play earned by itself, such as a defence's points for the few
points it allowed, comes with the share of the game that is over.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from app.fantasy.projections.chances import EVEN, Side, win_chance
from app.fantasy.projections.rules import GameNow, Projection
from app.fantasy.projections.teams import Outlook


@dataclass(frozen=True, kw_only=True)
class GameStep:
    """What a player earned or lost by an event, or what a game's clock showed.

    Attributes:
        event_number: The event that earned or took away the points.
        correction: The number of the correction that did; 0 if none did.
        points: In thousandths.
        period: That of the game; None if the step is of a player.
        clock: Seconds left in the period; None likewise.
        player_id: None if the step is of a clock.
    """

    game_id: str
    play_number: int
    event_number: int
    correction: int = 0
    points: int = 0
    period: int | None = None
    clock: int | None = None
    player_id: str | None = None


@dataclass(frozen=True)
class PlayChance:
    """The first side's chance after a play in which somebody of the matchup gained or lost."""

    chance: float
    game_id: str
    play_number: int
    event_number: int


@dataclass(frozen=True)
class ChanceLine:
    """The first side's chance: `start` before the first play, after each play, and `now`."""

    start: float
    plays: tuple[PlayChance, ...]
    now: float

    @property
    def chances(self) -> list[float]:
        """All chances, oldest first."""
        return [self.start, *(play.chance for play in self.plays), self.now]

    @property
    def decided(self) -> PlayChance | None:
        """The play that put the winner's chance above even for good.

        None if it was above from the start, if no play did it, or if there is no winner.
        """
        if self.now == EVEN:
            return None
        sign = 1 if self.now > EVEN else -1
        chances = [self.start, *(play.chance for play in self.plays)]
        behind = [number for number, chance in enumerate(chances) if (chance - EVEN) * sign <= 0]
        if not behind or behind[-1] == len(self.plays):
            return None
        return self.plays[behind[-1]]


def chance_line(
    outlook: Outlook, members: tuple[int, int], steps: Iterable[GameStep]
) -> ChanceLine | None:
    """Draw the chance of the first of two members over all plays; None without a play.

    Args:
        outlook: How the matchup of these members is expected to end.
        members: Both sides, in the order of the outlook.
        steps: Of the games of both teams' players, in the order in which they were recorded.
    """
    ordered = list(steps)
    if not any(step.player_id for step in ordered):
        return None
    matchup = _Matchup(outlook, members, ordered)
    start = matchup.chance()
    plays = []
    for (game_id, play_number, _), group in groupby(
        ordered, key=lambda step: (step.game_id, step.play_number, step.correction)
    ):
        play_steps = list(group)
        for step in play_steps:
            matchup.take(step)
        if any(step.player_id for step in play_steps):
            plays.append(
                PlayChance(matchup.chance(), game_id, play_number, play_steps[-1].event_number)
            )
    return ChanceLine(start, tuple(plays), outlook.chance)


class _Matchup:
    """Both sides at a moment; a game is as it is now once its last step is taken.

    The points of `sides` are those that no player of them has.
    """

    def __init__(
        self, outlook: Outlook, members: tuple[int, int], steps: Sequence[GameStep]
    ) -> None:
        sheets = outlook.sheets
        self.weeks = sheets.weeks
        self.sides = []
        for member in members:
            side = sheets.side(member)
            counts = {player: n for player, n in side.counts.items() if player in sheets.weeks}
            projected = sum(n * sheets.projections[player].points for player, n in counts.items())
            self.sides.append(Side(side.points - projected, counts))
        self.players = {player for side in self.sides for player in side.counts}
        self.left: dict[str, int] = {}  # steps to come, by game
        self.unearned = {
            (player, game_id): game.points
            for player in self.players
            for game_id, game in self.weeks[player].games.items()
        }
        for step in steps:
            self.left[step.game_id] = self.left.get(step.game_id, 0) + 1
            key = (step.player_id or "", step.game_id)
            if key in self.unearned:
                self.unearned[key] -= step.points
        self.earned: dict[tuple[str, str], int] = {}
        self.clocks: dict[str, tuple[int, int]] = {}
        self.projections: dict[str, Projection] = {}
        for player in self.players:
            self._project(player)

    def take(self, step: GameStep) -> None:
        """Take a step."""
        self.left[step.game_id] -= 1
        if step.player_id is not None:
            key = (step.player_id, step.game_id)
            self.earned[key] = self.earned.get(key, 0) + step.points
        if step.period is not None and step.clock is not None:
            self.clocks[step.game_id] = (step.period, step.clock)
        for player in self.players:
            if step.game_id in self.weeks[player].games:
                self._project(player)

    def chance(self) -> float:
        """The first side's chance of winning."""
        first, second = (
            Side(
                side.points
                + sum(n * self.projections[player].points for player, n in side.counts.items()),
                side.counts,
            )
            for side in self.sides
        )
        variances = {player: now.variance for player, now in self.projections.items()}
        return win_chance(first, second, variances)

    def _project(self, player: str) -> None:
        week = self.weeks[player]
        games = [self._game(player, game_id, game) for game_id, game in week.games.items()]
        self.projections[player] = week.projection(games)

    def _game(self, player: str, game_id: str, now: GameNow) -> GameNow:
        if not self.left.get(game_id):
            return now
        if game_id not in self.clocks:
            return GameNow()
        period, clock = self.clocks[game_id]
        unearned = self.unearned[player, game_id]
        points = unearned + self.earned.get((player, game_id), 0)
        return GameNow("live", period, clock, points, unearned)

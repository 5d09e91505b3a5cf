"""The brackets of the play-offs as they are drawn: who meets whom, or who may. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.draft_leagues.season.playoffs import Game, Playoffs
from app.draft_leagues.season.table import Place
from app.draft_leagues.settings import SeasonSettings

_TITLES = ("Final", "Semifinals", "Quarterfinals")  # from the last round of the championship back
_LOWER_TITLES = {"consolation": "Consolation", "last_place": "Last place"}


@dataclass(frozen=True)
class BracketSide:
    """One side of a game.

    Attributes:
        franchise: None while it is not known.
        seed: Its seed, or its place behind the seeds; 0 while it is not known.
        text: Where it comes from while it is not known: "Winner of 4 vs 5".
        points: So far, in thousandths; None before the game has any.
        is_winner: Whether it won the game.
    """

    franchise: int | None
    seed: int = 0
    text: str = ""
    points: int | None = None
    is_winner: bool = False


@dataclass(frozen=True)
class BracketGame:
    """A game of a bracket. `sides`: one of them is a bye. `name`: such as "Semifinal"."""

    name: str
    weeks: tuple[int, ...]
    sides: tuple[BracketSide, ...]

    def has(self, franchise: int) -> bool:
        """Whether the franchise is known to play in it."""
        return any(side.franchise == franchise for side in self.sides)


@dataclass(frozen=True)
class BracketRound:
    """A round of a bracket. `weeks`: in words."""

    title: str
    weeks: str
    games: Sequence[BracketGame]


@dataclass(frozen=True)
class BracketPart:
    """One of the brackets.

    Attributes:
        title: Such as "Championship".
        rounds: In order.
        has_lines: Whether each game follows from the two beside it in the round before.
    """

    title: str
    rounds: Sequence[BracketRound]
    has_lines: bool


def bracket_parts(
    season: SeasonSettings,
    playoffs: Playoffs,
    table: Sequence[Place],
    week_names: Mapping[int, str],
    *,
    has_points: bool,
) -> list[BracketPart]:
    """The brackets of a season: the championship first; none without play-offs.

    Args:
        season: The settings by which it is played.
        playoffs: Its games.
        table: The table of the regular season, which numbers who is behind the seeds.
        week_names: The names of the gameweeks that are known.
        has_points: Whether the games are played already, not a preview.
    """
    games = playoffs.games
    unseeded = [place.franchise for place in table if place.franchise not in playoffs.seeds]
    seeds = {number: seed for seed, number in enumerate([*playoffs.seeds, *unseeded], start=1)}
    drawn = _Drawn(seeds, week_names, has_points=has_points)
    championship = _rounds([game for game in games if game.bracket == "championship"])
    third = [game for game in games if game.bracket == "third"]
    lower = _rounds([game for game in games if game.bracket == "lower"])
    parts = []
    if championship:
        titles = _championship_titles(len(championship))
        rounds = drawn.rounds(championship, titles, "Winner", is_reseeded=season.reseed)
        parts.append(BracketPart("Championship", rounds, has_lines=not season.reseed))
    if third:
        losers = drawn.comes_from(championship[-2], "Semifinal", "Loser")
        game = drawn.game(third[0], "Third place", losers)
        only = BracketRound("Third place", drawn.weeks(third[0]), [game])
        parts.append(BracketPart("Third place", [only], has_lines=False))
    if lower:
        title = _LOWER_TITLES.get(season.lower_bracket, "")
        titles = [f"Round {number}" for number in range(1, len(lower))] + [title]
        outcome = "Loser" if season.lower_bracket == "last_place" else "Winner"
        rounds = drawn.rounds(lower, titles, outcome, name=title)
        parts.append(BracketPart(title, rounds, has_lines=True))
    return parts


def _rounds(games: Sequence[Game]) -> list[list[Game]]:
    """The games by round."""
    last = max((game.round for game in games), default=0)
    return [[game for game in games if game.round == number] for number in range(1, last + 1)]


def _championship_titles(count: int) -> list[str]:
    """The titles of so many rounds.

    >>> _championship_titles(4)
    ['Round 1', 'Quarterfinals', 'Semifinals', 'Final']
    """
    last_titles = [*_TITLES][:count][::-1]
    return [f"Round {number}" for number in range(1, count - len(last_titles) + 1)] + last_titles


def _singular(title: str) -> str:
    return title.removesuffix("s") if title in _TITLES else title


class _Drawn:
    """Turns games into drawn ones, with the seeds and the points of a season."""

    def __init__(
        self, seeds: Mapping[int, int], week_names: Mapping[int, str], *, has_points: bool
    ) -> None:
        self.seeds = seeds
        self.week_names = week_names
        self.has_points = has_points

    def weeks(self, game: Game) -> str:
        """The gameweeks of a game in words."""
        return " and ".join(self.week_names.get(week, f"Week {week}") for week in game.weeks)

    def rounds(
        self,
        rounds: Sequence[Sequence[Game]],
        titles: Sequence[str],
        outcome: str,
        *,
        is_reseeded: bool = False,
        name: str = "",
    ) -> list[BracketRound]:
        """The rounds of a bracket.

        Args:
            rounds: The games of each round.
            titles: The title of each round.
            outcome: Whether winners or losers move on.
            is_reseeded: Whether all must be known before the next round is drawn.
            name: Of each game, if it is not called after its round.
        """
        drawn = []
        for index, (games, title) in enumerate(zip(rounds, titles, strict=True)):
            feeds: Sequence[Sequence[BracketSide]] = [()] * len(games)
            if index and is_reseeded:
                later = BracketSide(None, text=f"Set after {titles[index - 1]}")
                feeds = [() if game.high else (later, later) for game in games]
            elif index:
                last_title = _singular(titles[index - 1])
                sides = self.comes_from(rounds[index - 1], last_title, outcome)
                feeds = [sides[place : place + 2] for place in range(0, len(sides), 2)]
            drawn.append(
                BracketRound(
                    title,
                    self.weeks(games[0]),
                    [
                        self.game(game, name or _singular(title), feed)
                        for game, feed in zip(games, feeds, strict=True)
                    ],
                )
            )
        return drawn

    def comes_from(self, games: Sequence[Game], name: str, outcome: str) -> list[BracketSide]:
        """Who moves on from each of these games, or a text while that is not known."""
        return [
            self._moving_on(game, f"{name}, game {number}", outcome)
            for number, game in enumerate(games, start=1)
        ]

    def _moving_on(self, game: Game, name: str, outcome: str) -> BracketSide:
        franchise = game.winner if outcome == "Winner" or game.is_bye else game.loser
        if franchise is not None:
            return self._side(franchise)
        if game.high is not None and game.low is not None:
            name = f"{self.seeds[game.high]} vs {self.seeds[game.low]}"
        return BracketSide(None, text=f"{outcome} of {name}")

    def game(self, game: Game, name: str, sides: Sequence[BracketSide]) -> BracketGame:
        """The game with its sides in the order of the games that they come from."""
        if not sides:
            franchises = [game.high, game.low]
            sides = [self._side(number) for number in franchises if number is not None]
        points = {game.high: game.points[0], game.low: game.points[1]}
        shows_points = self.has_points and game.low is not None and any(game.points)
        return BracketGame(
            name,
            game.weeks,
            tuple(
                BracketSide(
                    side.franchise,
                    side.seed,
                    side.text,
                    points[side.franchise] if shows_points else None,
                    side.franchise is not None
                    and side.franchise == game.winner
                    and not game.is_bye,
                )
                for side in sides
            ),
        )

    def _side(self, franchise: int) -> BracketSide:
        return BracketSide(franchise, self.seeds[franchise])

"""The games of a season: simulated ones, or a real schedule with real games as far as they exist.

Pure, apart from reading the files. The same seed gives the same games.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from random import Random

import msgspec

from app.core.errors import UserError
from app.demo.clubs import CLUBS, rosters
from app.demo.game import Fixture, simulate_game
from app.demo.market import market as demo_market
from app.demo.year.calendar import YEAR, calendar
from app.fantasy.season_setup.rosters import Roster, read_roster
from app.fantasy.season_setup.schedule import Week, read_schedule
from app.fantasy.season_setup.start import OnMarket
from app.record.play_by_play import read_games
from app.record.rules.team_defence import POSITION as DST
from app.record.rules.team_defence import defence_id
from app.record.script import Club, Footballer, GameScript

# The positions of the simulator by those of rosters.
_SIMULATED_POSITIONS: Mapping[str, str] = {
    **dict.fromkeys(("HB", "FB"), "RB"),
    **dict.fromkeys(("DE", "DT", "NT", "EDGE"), "DL"),
    **dict.fromkeys(("OLB", "ILB", "MLB"), "LB"),
    **dict.fromkeys(("FS", "SS", "SAF"), "S"),
    **dict.fromkeys(("DB",), "CB"),
    **dict.fromkeys(("OT", "OG", "G", "T", "C", "OFF"), "OL"),
}
_INJURED = 0.15  # of the positions of a club, one footballer in each
_LAST_GAME = timedelta(hours=5)  # from its kickoff


class NoRealGamesError(UserError):
    """The files have no season, or no game of it."""


@dataclass(frozen=True)
class PlannedGame:
    """A game before it is played. `script`: the real game; None for one to be simulated."""

    id: str
    week: int
    kickoff: datetime
    home: str
    away: str
    seed: int
    script: GameScript | None = None


@dataclass(frozen=True)
class PlannedWeek:
    """A gameweek with its games by kickoff; `injured` do not play in simulated games."""

    number: int
    games: tuple[PlannedGame, ...]
    injured: frozenset[str] = frozenset()

    @property
    def deadline(self) -> datetime:
        """The first kickoff."""
        return self.games[0].kickoff

    @property
    def ends(self) -> datetime:
        """When the last game is over."""
        return self.games[-1].kickoff + _LAST_GAME


@dataclass(frozen=True)
class SeasonGames:
    """Everything that is played in a season, and by whom.

    Attributes:
        depth: The footballers of each club, the best of each position first.
        on_market: Those who can be drafted.
        prices: Of those on the market, by id; the others follow from their position.
    """

    competition: str
    year: int
    name: str
    clubs: Mapping[str, Club]
    depth: Mapping[str, tuple[Footballer, ...]]
    on_market: tuple[OnMarket, ...]
    prices: Mapping[str, int]
    weeks: tuple[PlannedWeek, ...]

    @cached_property
    def real_games(self) -> int:
        """How many games are real."""
        return sum(game.script is not None for week in self.weeks for game in week.games)

    def script(self, week: PlannedWeek, game: PlannedGame) -> GameScript:
        """The whole game, with the id that it has here."""
        if game.script is not None:
            return replace(game.script, game_id=game.id, competition=self.competition)
        clubs = self.clubs[game.home], self.clubs[game.away]
        fixture = Fixture(game.id, *clubs, game.kickoff, self.year, game.week)
        healthy = {
            club.id: tuple(each for each in self.depth[club.id] if each.id not in week.injured)
            for club in clubs
        }
        return simulate_game(game.seed, fixture, healthy)


def simulated_games(seed: int, gameweeks: int) -> SeasonGames:
    """A season of the eight demo clubs."""
    prices = {player.id: player.price for player in demo_market()}
    weeks = tuple(
        PlannedWeek(
            week.number,
            tuple(
                PlannedGame(
                    f"draft-{game.id}", week.number, game.kickoff, game.home, game.away, game.seed
                )
                for game in week.games
            ),
            week.injured,
        )
        for week in calendar(seed, gameweeks)
    )
    return SeasonGames(
        competition=f"draft-{seed}",
        year=YEAR,
        name=f"Simulated draft league {seed}",
        clubs={club.id: club for club in CLUBS},
        depth=rosters(),
        on_market=tuple(OnMarket(player.id, player.position) for player in demo_market()),
        prices=prices,
        weeks=weeks,
    )


@dataclass(frozen=True)
class RealFiles:
    """The files of a real season: schedule and players as nflverse has them, and play-by-play."""

    schedule: Path
    players: Path
    plays: tuple[Path, ...]


def real_games(seed: int, files: RealFiles) -> SeasonGames:
    """The first regular season of a schedule, with those games that the play-by-play files have.

    The others are simulated, with the real clubs and footballers. Who made more plays in the real
    games comes first in the depth chart of a simulated one.

    Raises:
        FileError: A file cannot be read.
        NoRealGamesError: The files have no game of the schedule.
    """
    schedule = read_schedule(files.schedule)
    regular = next((each for each in schedule.seasons if each.season_type == "REG"), None)
    if regular is None:
        raise NoRealGamesError(f"{files.schedule} has no regular season: give another schedule.")
    year = regular.season
    roster = read_roster(files.players, year)
    scripts = {script.game_id: script for script in read_games(files.plays)}
    rng = Random(f"real games {seed}")  # noqa: S311 (a game, not a secret)
    clubs = {club.id: club for club in (*schedule.clubs, *roster.clubs)}
    depth = _depth(roster, clubs, _plays_made(scripts.values()))
    weeks = tuple(
        _with_injured(_planned(seed, week, scripts, rng), depth, rng) for week in regular.weeks
    )
    games = SeasonGames(
        competition=f"draft-{seed}",
        year=year,
        name=f"Draft league {year}, {seed}",
        clubs=clubs,
        depth=depth,
        on_market=(
            *(OnMarket(each.id, each.market) for each in roster.entries if each.market),
            *(OnMarket(defence_id(club), DST) for club in sorted(clubs)),
        ),
        prices={},
        weeks=weeks,
    )
    if not games.real_games:
        raise NoRealGamesError(
            f"{files.schedule} has none of the games in the play-by-play files: give files of the "
            f"season {year}."
        )
    return games


def _planned(seed: int, week: Week, scripts: Mapping[str, GameScript], rng: Random) -> PlannedWeek:
    games = [
        PlannedGame(
            f"draft{seed}-{fixture.id}",
            week.number,
            fixture.kickoff,
            fixture.home,
            fixture.away,
            rng.randrange(2**31),
            scripts.get(fixture.id) or scripts.get(fixture.other_id or ""),
        )
        for fixture in week.fixtures
    ]
    return PlannedWeek(week.number, tuple(games))


def _with_injured(
    week: PlannedWeek, depth: Mapping[str, tuple[Footballer, ...]], rng: Random
) -> PlannedWeek:
    """The week with injuries, unless some of its games are real.

    The only footballer of a position is never injured.
    """
    if any(game.script is not None for game in week.games):
        return week
    injured = set()
    for roster in depth.values():
        by_position = defaultdict(list)
        for footballer in roster:
            by_position[footballer.position].append(footballer.id)
        for footballer_ids in by_position.values():
            if len(footballer_ids) > 1 and rng.random() < _INJURED:
                injured.add(rng.choice(footballer_ids))
    return replace(week, injured=frozenset(injured))


def _plays_made(scripts: Iterable[GameScript]) -> Counter[str]:
    """How often each footballer is named in the events of these games."""
    count = Counter[str]()
    for script in scripts:
        known = {footballer.id for footballer in script.footballers}
        for event in script.events:
            named = msgspec.to_builtins(event.body).values()
            count.update(value for value in named if isinstance(value, str) and value in known)
    return count


def _depth(
    roster: Roster, clubs: Iterable[str], plays_made: Mapping[str, int]
) -> dict[str, tuple[Footballer, ...]]:
    by_club: dict[str, list[Footballer]] = defaultdict(list)
    for entry in roster.entries:
        if entry.club is not None:
            position = _SIMULATED_POSITIONS.get(entry.position.upper(), entry.position.upper())
            by_club[entry.club].append(
                Footballer(entry.id, entry.name, entry.club, position, entry.number)
            )
    return {club: _by_plays(by_club[club], plays_made) for club in clubs}


def _by_plays(
    footballers: Sequence[Footballer], plays_made: Mapping[str, int]
) -> tuple[Footballer, ...]:
    return tuple(sorted(footballers, key=lambda each: (-plays_made.get(each.id, 0), each.id)))

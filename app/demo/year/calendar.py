"""What is played when in a simulated season, and who is injured.

Pure: the same seed gives the same season.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from random import Random
from zoneinfo import ZoneInfo

from app.demo.clubs import CLUBS, rosters
from app.record.script import Footballer

YEAR = 2024  # in the past, so that all of it is over by the real clock
EASTERN = ZoneInfo("America/New_York")
_OPENING = date(2024, 9, 5)  # a Thursday; the clocks go back within the ninth gameweek
_SLOTS = ((0, time(20, 20)), (3, time(13)), (3, time(16, 25)), (4, time(20, 15)))
_BYES = range(6, 10)  # gameweeks in which two clubs rest
_INJURED = 0.06
_DEPTH_NEEDED = {"QB": 2, "RB": 3, "WR": 5, "TE": 3, "DL": 6, "LB": 5, "CB": 4, "S": 3}


@dataclass(frozen=True)
class SimulatedGame:
    """A game before it is played; `kickoff` is UTC."""

    id: str
    week: int
    kickoff: datetime
    home: str
    away: str
    seed: int


@dataclass(frozen=True)
class SimulatedWeek:
    """A gameweek with its games by kickoff, and the ids of the injured.

    At most one footballer per position and club is injured.
    """

    number: int
    games: tuple[SimulatedGame, ...]
    injured: frozenset[str]

    @property
    def deadline(self) -> datetime:
        """The first kickoff."""
        return self.games[0].kickoff

    @property
    def office_hours(self) -> datetime:
        """When commissioners act and the league office corrects statistics."""
        return self.deadline - timedelta(days=2)


def calendar(seed: int, gameweeks: int) -> tuple[SimulatedWeek, ...]:
    """Make round robins of the eight clubs, one after the other.

    A gameweek has four games, or three if two clubs rest.
    """
    rng = Random(f"calendar {seed}")  # noqa: S311  (a game, not a secret)
    clubs = rng.sample([club.id for club in CLUBS], len(CLUBS))
    return tuple(_week(seed, number, clubs, rng) for number in range(1, gameweeks + 1))


def _week(seed: int, number: int, clubs: list[str], rng: Random) -> SimulatedWeek:
    turn = (number - 1) % (len(clubs) - 1)
    seats = [clubs[0], *clubs[1 + turn :], *clubs[1 : 1 + turn]]
    half = len(seats) // 2
    pairs = list(zip(seats[:half], reversed(seats[half:]), strict=True))
    rng.shuffle(pairs)
    if number in _BYES:
        pairs.pop()
    thursday = _OPENING + timedelta(weeks=number - 1)
    games = []
    for (days, at), pair in zip(_SLOTS, pairs, strict=False):
        home, away = rng.sample(pair, 2)
        kickoff = datetime.combine(thursday + timedelta(days=days), at, EASTERN).astimezone(UTC)
        game_id = f"sim{seed}-{YEAR}-{number:02}-{away}-{home}"
        games.append(SimulatedGame(game_id, number, kickoff, home, away, rng.randrange(2**31)))
    return SimulatedWeek(number, tuple(games), _injured(rng))


def _injured(rng: Random) -> frozenset[str]:
    injured = set()
    for roster in rosters().values():
        places: set[str] = set()
        for player in roster:
            if (
                player.position in _DEPTH_NEEDED
                and player.position not in places
                and rng.random() < _INJURED
            ):
                injured.add(player.id)
                places.add(player.position)
    return frozenset(injured)


def fit(week: SimulatedWeek) -> Mapping[str, tuple[Footballer, ...]]:
    """Return the depth charts of the gameweek by club id, without the injured."""
    return {
        club: tuple(player for player in roster if player.id not in week.injured)
        for club, roster in rosters().items()
    }

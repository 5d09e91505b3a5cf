"""The demo season: what a visitor finds when Pressbox opens for the first time.

Gameweeks with their games, accounts, leagues and first team sheets, as data. seed.py puts them into
the database.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from random import Random
from types import MappingProxyType
from typing import Literal

from app.demo.clubs import CLUBS, rosters
from app.demo.game import Fixture, simulate_game
from app.demo.market import Squad, SquadLimits, draw_squad, market
from app.fantasy.market.choice import CLASSIC
from app.fantasy.market.formats import FORMATS
from app.record.script import Club, Footballer, GameScript

Phase = Literal["finished", "running", "scheduled"]
Role = Literal["scorer", "moderator", "operator"]

_SHEETS_SEED = 1869  # the year of the first game between two colleges


@dataclass(frozen=True, slots=True)
class DemoAccount:
    """Somebody who can sign in to the demo."""

    username: str
    display_name: str
    roles: tuple[Role, ...] = ()
    country: str | None = None


@dataclass(frozen=True, slots=True)
class DemoFixture:
    """A game and when its replay begins, in real time: the script's kickoff (UTC)."""

    script: GameScript
    start: datetime
    phase: Phase


@dataclass(frozen=True, slots=True)
class DemoWeek:
    """A gameweek with its games, by kickoff."""

    number: int
    fixtures: tuple[DemoFixture, ...]

    @property
    def deadline(self) -> datetime:
        """The first kickoff, at which team sheets lock."""
        return min(fixture.start for fixture in self.fixtures)


@dataclass(frozen=True, slots=True)
class DemoTeam:
    """A member with their team and its first sheet, of the format nfl-classic.

    `diligence` is explained in year/cast.py.
    """

    account: DemoAccount
    team_name: str
    squad: Squad
    diligence: float


@dataclass(frozen=True, slots=True)
class DemoLeague:
    """A league that all teams are in; `commissioner` is the username of who runs it."""

    slug: str
    name: str
    invite_code: str
    commissioner: str
    rules: str
    mode: Literal["total", "head_to_head"]
    is_public: bool = False


@dataclass(frozen=True, slots=True)
class DemoSeason:
    """The whole demo season.

    `weeks` are two that are over, the one that is played now, and one to pick a team for. `staff`
    is in no league.
    """

    season: int
    season_type: Literal["REG"]
    weeks: tuple[DemoWeek, ...]
    clubs: tuple[Club, ...]
    footballers: tuple[Footballer, ...]
    teams: tuple[DemoTeam, ...]
    leagues: tuple[DemoLeague, ...]
    staff: tuple[DemoAccount, ...]

    @property
    def current(self) -> DemoWeek:
        """The gameweek that is played now."""
        return self.weeks[CURRENT - 1]


COMPETITION = "demo"
CURRENT = 3


@dataclass(frozen=True, slots=True)
class _Planned:
    """A fixture to simulate; the kickoff counts from `now`."""

    home: str
    away: str
    phase: Phase
    kickoff: timedelta
    seed: int


# The seeds of the running games are chosen: close games in which a call is overturned soon after
# `now` (46: after four minutes; 267: after two and, a touchdown, after six).
_FIXTURES = (
    _Planned("LKW", "FJD", "finished", timedelta(hours=-4), 1871),
    _Planned("HRB", "QRY", "running", timedelta(minutes=-50), 46),
    _Planned("MES", "COP", "running", timedelta(minutes=-20), 267),
    _Planned("ASH", "PRX", "scheduled", timedelta(hours=2), 1870),
)
# Home and away in the gameweeks before and after it, at the same time of the week.
_OTHER_WEEKS: Mapping[int, tuple[tuple[str, str], ...]] = MappingProxyType(
    {
        1: (("QRY", "ASH"), ("COP", "HRB"), ("FJD", "MES"), ("PRX", "LKW")),
        2: (("HRB", "FJD"), ("ASH", "COP"), ("LKW", "MES"), ("QRY", "PRX")),
        4: (("COP", "LKW"), ("PRX", "HRB"), ("MES", "QRY"), ("FJD", "ASH")),
    }
)

# username, display name, team name, country
_MEMBERS = (
    ("member", "Morgan Pressley", "Deadline Dozen", "US"),
    ("inkwell", "Ines Kowal", "Inkwell Irregulars", "PL"),
    ("late_edition", "Lars Edvall", "The Late Edition", "SE"),
    ("offside_ollie", "Ollie Okpara", "Stop the Presses", "NG"),
    ("fourth_and_fay", "Fay Brandt", "Fourth and Fay", "DE"),
    ("gridiron_gita", "Gita Raman", "Hail Mary Poppins", "IN"),
    ("punt_pilgrim", "Piet Haverkamp", "Punt Intended", "NL"),
    ("tess_redzone", "Tess Amari", "Red Zone Readers", "GH"),
    ("coach_quill", "Quillan Hart", "Quill and Pigskin", "CA"),
    ("benny_blitz", "Benny Tanaka", "Blitz and Pieces", "JP"),
    ("sidelines_sue", "Susanna Vey", "Between the Lines", "GB"),
    ("margin_notes", "Mateus Notari", "Margin Notes", "PT"),
)

_STAFF = (
    DemoAccount("scorer", "Sal Whitcombe", ("scorer",)),
    DemoAccount("moderator", "Maud Ferreira", ("moderator",)),
    DemoAccount("operator", "Otis Lund", ("operator",)),
)

_LEAGUES = (
    DemoLeague("the-press-row", "The Press Row", "PRESSROW", "member", "half_ppr_idp", "total"),
    DemoLeague(
        "front-page-derby",
        "Front Page Derby",
        "FRONTPAGE",
        "inkwell",
        "ppr_idp",
        "head_to_head",
        is_public=True,
    ),
)
_DILIGENCE = (0.9, 0.6, 0.8, 0.3)


def demo_season(now: datetime, season: int | None = None) -> DemoSeason:
    """Make the whole demo season around `now`. Pure: equal arguments give an equal season.

    In the current gameweek one game is over and two are under way.

    Args:
        now: With a time zone.
        season: Its number; None: the year of `now`.

    Raises:
        ValueError: `now` has no time zone.
    """
    if now.tzinfo is None:
        raise ValueError("now must carry a time zone, for example datetime.now(UTC)")
    season = now.year if season is None else season
    return DemoSeason(
        season=season,
        season_type="REG",
        weeks=tuple(_week(now, season, number) for number in sorted({CURRENT, *_OTHER_WEEKS})),
        clubs=CLUBS,
        footballers=tuple(footballer for club in CLUBS for footballer in rosters()[club.id]),
        teams=_teams(Random(_SHEETS_SEED)),  # noqa: S311
        leagues=_LEAGUES,
        staff=_STAFF,
    )


def later_week(season: int, number: int, deadline: datetime) -> DemoWeek:
    """Make a gameweek after the current one, none of whose games has begun.

    Two games kick off at the deadline, two an hour later. Every club plays once, in a round robin.
    """
    pairs = _OTHER_WEEKS.get(number) or _pairs(number)
    planned = [
        _Planned(home, away, "scheduled", timedelta(hours=place // 2), 100 * number + place)
        for place, (home, away) in enumerate(pairs)
    ]
    return DemoWeek(
        number, tuple(_fixture(deadline, season, number, fixture) for fixture in planned)
    )


def _pairs(number: int) -> list[tuple[str, str]]:
    """Pair the clubs for a round of a round robin: one club stays, the others turn around it."""
    first, *others = (club.id for club in CLUBS)
    turn = number % len(others)
    ring = [first, *others[turn:], *others[:turn]]
    pairs = [(ring[place], ring[-1 - place]) for place in range(len(ring) // 2)]
    return pairs if number % 2 else [(away, home) for home, away in pairs]


def _week(now: datetime, season: int, number: int) -> DemoWeek:
    planned = _FIXTURES if number == CURRENT else _planned_for_another_week(number)
    return DemoWeek(number, tuple(_fixture(now, season, number, fixture) for fixture in planned))


def _planned_for_another_week(number: int) -> tuple[_Planned, ...]:
    phase: Phase = "finished" if number < CURRENT else "scheduled"
    shift = timedelta(weeks=number - CURRENT)
    return tuple(
        _Planned(home, away, phase, shift + current.kickoff, 100 * number + place)
        for place, ((home, away), current) in enumerate(
            zip(_OTHER_WEEKS[number], _FIXTURES, strict=True)
        )
    )


def _fixture(now: datetime, season: int, week: int, planned: _Planned) -> DemoFixture:
    clubs = {club.id: club for club in CLUBS}
    kickoff = now + planned.kickoff
    fixture = Fixture(
        game_id=f"demo-{season}-{week:02}-{planned.away}-{planned.home}",
        home=clubs[planned.home],
        away=clubs[planned.away],
        kickoff=kickoff,
        season=season,
        week=week,
    )
    script = simulate_game(planned.seed, fixture, rosters())
    return DemoFixture(replace(script, competition=COMPETITION), kickoff, planned.phase)


def _teams(rng: Random) -> tuple[DemoTeam, ...]:
    limits = SquadLimits.of(FORMATS[CLASSIC])
    return tuple(
        DemoTeam(
            DemoAccount(username, display_name, country=country),
            team_name,
            draw_squad(rng, limits, market()),
            _DILIGENCE[number % len(_DILIGENCE)],
        )
        for number, (username, display_name, team_name, country) in enumerate(_MEMBERS)
    )

"""The demo season: what a visitor finds when Pressbox opens for the first time.

Lives here: gameweeks with their games, accounts, leagues and first team sheets, as data.
Not here: passwords and putting it into the database (the seeding does that).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from random import Random
from types import MappingProxyType
from typing import Literal

from app.demo.clubs import CLUBS, rosters
from app.demo.game import simulate_game
from app.demo.market import Squad, draw_squad, market
from app.fantasy.market.choice import CLASSIC
from app.fantasy.market.formats import FORMATS
from app.record.script import Club, Footballer, GameScript

Phase = Literal["finished", "running", "scheduled"]
Role = Literal["scorer", "moderator", "operator"]

_SHEETS_SEED = 1869  # the year of the first game between two colleges


@dataclass(frozen=True, slots=True)
class DemoAccount:
    username: str
    display_name: str
    roles: tuple[Role, ...] = ()
    country: str | None = None


@dataclass(frozen=True, slots=True)
class DemoFixture:
    """A game and when its replay is meant to begin, in real time.

    `start` is the script's kickoff (UTC).
    """

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
        """When team sheets lock: the first kickoff."""
        return min(fixture.start for fixture in self.fixtures)


@dataclass(frozen=True, slots=True)
class DemoTeam:
    """A member with their team and its first sheet, of the format nfl-classic.

    `diligence`: see year/cast.py.
    """

    account: DemoAccount
    team_name: str
    squad: Squad
    diligence: float


@dataclass(frozen=True, slots=True)
class DemoLeague:
    """All the teams are in it. `commissioner`: username of the member who runs it."""

    slug: str
    name: str
    invite_code: str
    commissioner: str
    rules: str
    mode: Literal["total", "head_to_head"]
    is_public: bool = False


@dataclass(frozen=True, slots=True)
class DemoSeason:
    """`weeks`: two that are over, the one that is played now, and one to pick a team for.

    `staff` is in no league.
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
        return self.weeks[CURRENT - 1]


COMPETITION = "demo"
CURRENT = 3

# home, away, phase, kickoff counted from `now`, seed of the game. The seeds of the running games
# are chosen: close games in which a call is overturned soon after `now` (46: after four minutes;
# 267: after two and, a touchdown, after six).
_FIXTURES: tuple[tuple[str, str, Phase, timedelta, int], ...] = (
    ("LKW", "FJD", "finished", timedelta(hours=-4), 1871),
    ("HRB", "QRY", "running", timedelta(minutes=-50), 46),
    ("MES", "COP", "running", timedelta(minutes=-20), 267),
    ("ASH", "PRX", "scheduled", timedelta(hours=2), 1870),
)
# The gameweeks before and after it, at the same time of the week: home and away.
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
    """The whole demo season around `now` (aware): in the current gameweek one game is over, two are
    under way.

    `season`: its number; None: the year of `now`. Pure: the same arguments give the same season.
    Raises ValueError when `now` has no time zone.
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
    """A gameweek after the current one, not begun: two games kick off at the deadline, two an hour
    later.

    Every club plays once; whom it plays goes round as in a round robin.
    """
    fixtures = []
    for place, (home, away) in enumerate(_OTHER_WEEKS.get(number) or _pairs(number)):
        wait = timedelta(hours=place // 2)
        fixtures.append(
            _fixture(deadline, season, number, home, away, "scheduled", wait, 100 * number + place)
        )
    return DemoWeek(number, tuple(fixtures))


def _pairs(number: int) -> list[tuple[str, str]]:
    """The round robin's round: one club stays, the others turn around it."""
    first, *others = (club.id for club in CLUBS)
    turn = number % len(others)
    ring = [first, *others[turn:], *others[:turn]]
    pairs = [(ring[place], ring[-1 - place]) for place in range(len(ring) // 2)]
    return pairs if number % 2 else [(away, home) for home, away in pairs]


def _week(now: datetime, season: int, number: int) -> DemoWeek:
    if number == CURRENT:
        return DemoWeek(
            number,
            tuple(
                _fixture(now, season, number, home, away, phase, wait, seed)
                for home, away, phase, wait, seed in _FIXTURES
            ),
        )
    other: Phase = "finished" if number < CURRENT else "scheduled"
    shift = timedelta(weeks=number - CURRENT)
    return DemoWeek(
        number,
        tuple(
            _fixture(now, season, number, home, away, other, shift + wait, 100 * number + place)
            for place, ((home, away), (_, _, _, wait, _)) in enumerate(
                zip(_OTHER_WEEKS[number], _FIXTURES, strict=True)
            )
        ),
    )


def _fixture(
    now: datetime,
    season: int,
    week: int,
    home: str,
    away: str,
    phase: Phase,
    wait: timedelta,
    seed: int,
) -> DemoFixture:
    clubs = {club.id: club for club in CLUBS}
    script = simulate_game(
        seed=seed,
        game_id=f"demo-{season}-{week:02}-{away}-{home}",
        home=clubs[home],
        away=clubs[away],
        rosters=rosters(),
        kickoff=now + wait,
        season=season,
        week=week,
    )
    return DemoFixture(replace(script, competition=COMPETITION), now + wait, phase)


def _teams(rng: Random) -> tuple[DemoTeam, ...]:
    format = FORMATS[CLASSIC]
    return tuple(
        DemoTeam(
            DemoAccount(username, display_name, country=country),
            team_name,
            draw_squad(rng, format, market(), format.budget, format.club_limit),
            _DILIGENCE[number % len(_DILIGENCE)],
        )
        for number, (username, display_name, team_name, country) in enumerate(_MEMBERS)
    )

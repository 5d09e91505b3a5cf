"""The demo season: what a visitor finds when Pressbox opens for the first time.

Gameweeks with their games, accounts, leagues and first team sheets, as data. seed.py puts them into
the database.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
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

# In the time of the games: how long before the end of a game the next begins, and how far apart two
# games begin that are played at once.
_OVERLAP = timedelta(minutes=3)
_STAGGER = timedelta(minutes=30)
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
    """A game and when it begins: the script's kickoff (UTC)."""

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

    def end(self, speed: float) -> datetime:
        """When the last game is over, if games are played so many times faster than life."""
        return max(fixture.start + _duration(fixture.script) / speed for fixture in self.fixtures)


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

    `weeks` are two that are over, the one that is played now, and one to pick a team for;
    next_gameweek.py adds the others. `staff` is in no league.
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
LEAD = timedelta(minutes=1)  # from the end of a gameweek to the next one's first kickoff


@dataclass(frozen=True, slots=True)
class _Planned:
    """A fixture to simulate; the kickoff counts from `now`, in the time of the games."""

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
# Home and away in the gameweeks before and after it.
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


def demo_season(now: datetime, season: int | None = None, *, speed: float = 1.0) -> DemoSeason:
    """Make the demo season around `now`. Pure: equal arguments give an equal season.

    In the current gameweek one game is over and two are under way. The next gameweek begins soon
    after its last game.

    Args:
        now: With a time zone.
        season: Its number; None: the year of `now`.
        speed: How many times faster than life games are played.

    Raises:
        ValueError: `now` has no time zone.
    """
    if now.tzinfo is None:
        raise ValueError("now must carry a time zone, for example datetime.now(UTC)")
    season = now.year if season is None else season
    begun = [_begun_week(now, season, number, speed) for number in range(1, CURRENT + 1)]
    following = later_week(season, CURRENT + 1, begun[-1].end(speed) + LEAD, speed)
    return DemoSeason(
        season=season,
        season_type="REG",
        weeks=(*begun, following),
        clubs=CLUBS,
        footballers=tuple(footballer for club in CLUBS for footballer in rosters()[club.id]),
        teams=_teams(Random(_SHEETS_SEED)),  # noqa: S311
        leagues=_LEAGUES,
        staff=_STAFF,
    )


def later_week(season: int, number: int, deadline: datetime, speed: float = 1.0) -> DemoWeek:
    """Make a gameweek after the current one, none of whose games has begun.

    One game kicks off at the deadline, the next two at the end of the first, half an hour apart,
    and the last at the end of these: from the deadline on a game is always under way. Every club
    plays once, in a round robin.
    """
    pairs = _OTHER_WEEKS.get(number) or _pairs(number)
    opening, early, late, closing = [
        _simulated(season, number, home, away, 100 * number + place)
        for place, (home, away) in enumerate(pairs)
    ]
    second = _duration(opening) - _OVERLAP
    third = second + _STAGGER
    fourth = max(second + _duration(early), third + _duration(late)) - _OVERLAP
    kickoffs = [deadline + after / speed for after in (timedelta(0), second, third, fourth)]
    return DemoWeek(
        number,
        tuple(
            DemoFixture(replace(script, kickoff=kickoff), kickoff, "scheduled")
            for script, kickoff in zip((opening, early, late, closing), kickoffs, strict=True)
        ),
    )


def _pairs(number: int) -> list[tuple[str, str]]:
    """Pair the clubs for a round of a round robin: one club stays, the others turn around it."""
    first, *others = (club.id for club in CLUBS)
    turn = number % len(others)
    ring = [first, *others[turn:], *others[:turn]]
    pairs = [(ring[place], ring[-1 - place]) for place in range(len(ring) // 2)]
    return pairs if number % 2 else [(away, home) for home, away in pairs]


def _begun_week(now: datetime, season: int, number: int, speed: float) -> DemoWeek:
    """A gameweek that has begun; earlier ones are a week apart."""
    planned = _FIXTURES if number == CURRENT else _planned_for_an_earlier_week(number)
    week = now + timedelta(weeks=number - CURRENT)
    fixtures = []
    for game in planned:
        script = _simulated(season, number, game.home, game.away, game.seed)
        kickoff = week + game.kickoff / speed
        fixtures.append(DemoFixture(replace(script, kickoff=kickoff), kickoff, game.phase))
    return DemoWeek(number, tuple(fixtures))


def _planned_for_an_earlier_week(number: int) -> tuple[_Planned, ...]:
    return tuple(
        _Planned(home, away, "finished", current.kickoff, 100 * number + place)
        for place, ((home, away), current) in enumerate(
            zip(_OTHER_WEEKS[number], _FIXTURES, strict=True)
        )
    )


def _simulated(season: int, week: int, home: str, away: str, seed: int) -> GameScript:
    """Simulate a game, whose kickoff is set later: it may depend on how long games take."""
    clubs = {club.id: club for club in CLUBS}
    fixture = Fixture(
        game_id=f"demo-{season}-{week:02}-{away}-{home}",
        home=clubs[home],
        away=clubs[away],
        kickoff=datetime.max.replace(tzinfo=UTC),
        season=season,
        week=week,
    )
    return replace(simulate_game(seed, fixture, rosters()), competition=COMPETITION)


def _duration(script: GameScript) -> timedelta:
    """How long the game takes, in its own time."""
    return timedelta(milliseconds=script.events[-1].at_ms)


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

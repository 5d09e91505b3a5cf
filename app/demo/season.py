"""The demo season: what a visitor finds when Pressbox opens for the first time.

Lives here: fixtures, accounts, the league and its team sheets, as data.
Not here: passwords and putting it into the database (the seeding does that).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Literal

from app.demo.clubs import CLUBS, rosters
from app.demo.game import simulate_game
from app.record.script import Club, Footballer, GameScript

Phase = Literal["finished", "running", "scheduled"]
Role = Literal["member", "scorer", "moderator", "operator"]

SLOTS = ("QB", "RB", "RB", "WR", "WR", "TE", "FLEX")
FLEX_POSITIONS = ("RB", "WR", "TE")

_SHEETS_SEED = 1869  # the year of the first game between two colleges


@dataclass(frozen=True, slots=True)
class DemoAccount:
    username: str
    display_name: str
    role: Role


@dataclass(frozen=True, slots=True)
class DemoFixture:
    """A game and when its replay is meant to begin, in real time; `start` is the script's kickoff (UTC)."""

    script: GameScript
    start: datetime
    phase: Phase


@dataclass(frozen=True, slots=True)
class DemoPick:
    slot: str
    footballer_id: str
    is_captain: bool = False
    is_vice_captain: bool = False


@dataclass(frozen=True, slots=True)
class DemoTeam:
    """A member of the league with his team sheet: seven picks in the order of SLOTS."""

    account: DemoAccount
    team_name: str
    picks: tuple[DemoPick, ...]


@dataclass(frozen=True, slots=True)
class DemoLeague:
    """`commissioner`: username of the member who runs it."""

    slug: str
    name: str
    invite_code: str
    commissioner: str
    teams: tuple[DemoTeam, ...]


@dataclass(frozen=True, slots=True)
class DemoSeason:
    """`deadline`: when the team sheets of the gameweek lock, the first kickoff. `staff` plays in no league."""

    season: int
    season_type: Literal["REG"]
    week: int
    gameweek_name: str
    deadline: datetime
    clubs: tuple[Club, ...]
    footballers: tuple[Footballer, ...]
    fixtures: tuple[DemoFixture, ...]
    league: DemoLeague
    staff: tuple[DemoAccount, ...]


# home, away, phase, kickoff counted from `now`, seed of the game. The seeds of the running games are chosen:
# close games in which a call is overturned soon after `now` (46: after four minutes; 267: after two and, a touchdown,
# after six).
_FIXTURES: tuple[tuple[str, str, Phase, timedelta, int], ...] = (
    ("LKW", "FJD", "finished", timedelta(hours=-4), 1871),
    ("HRB", "QRY", "running", timedelta(minutes=-50), 46),
    ("MES", "COP", "running", timedelta(minutes=-20), 267),
    ("ASH", "PRX", "scheduled", timedelta(hours=2), 1870),
)

# username, display name, team name
_MEMBERS = (
    ("member", "Morgan Pressley", "Deadline Dozen"),
    ("inkwell", "Ines Kowal", "Inkwell Irregulars"),
    ("late_edition", "Lars Edvall", "The Late Edition"),
    ("offside_ollie", "Ollie Okpara", "Stop the Presses"),
    ("fourth_and_fay", "Fay Brandt", "Fourth and Fay"),
    ("gridiron_gita", "Gita Raman", "Hail Mary Poppins"),
    ("punt_pilgrim", "Piet Haverkamp", "Punt Intended"),
    ("tess_redzone", "Tess Amari", "Red Zone Readers"),
    ("coach_quill", "Quillan Hart", "Quill and Pigskin"),
    ("benny_blitz", "Benny Tanaka", "Blitz and Pieces"),
    ("sidelines_sue", "Susanna Vey", "Between the Lines"),
    ("margin_notes", "Mateus Notari", "Margin Notes"),
)

_STAFF = (
    DemoAccount("scorer", "Sal Whitcombe", "scorer"),
    DemoAccount("moderator", "Maud Ferreira", "moderator"),
    DemoAccount("operator", "Otis Lund", "operator"),
)

# How many of a club's depth chart are worth a place on a team sheet.
_WORTHY = {"QB": 1, "RB": 2, "WR": 3, "TE": 1}


def demo_season(now: datetime) -> DemoSeason:
    """The whole demo season around `now` (aware): one game over, two under way, one to come.

    Pure: the same `now` gives the same season, and of it only the year and the kickoffs depend on `now`.
    Raises ValueError when `now` has no time zone.
    """
    if now.tzinfo is None:
        raise ValueError("now must carry a time zone, for example datetime.now(UTC)")
    season, week = now.year, 1
    clubs = {club.id: club for club in CLUBS}
    fixtures = tuple(
        DemoFixture(
            simulate_game(
                seed=seed,
                game_id=f"demo-{season}-{week:02}-{away}-{home}",
                home=clubs[home],
                away=clubs[away],
                rosters=rosters(),
                kickoff=now + wait,
                season=season,
                week=week,
            ),
            now + wait,
            phase,
        )
        for home, away, phase, wait, seed in _FIXTURES
    )
    return DemoSeason(
        season=season,
        season_type="REG",
        week=week,
        gameweek_name=f"Gameweek {week}",
        deadline=min(fixture.start for fixture in fixtures),
        clubs=CLUBS,
        footballers=tuple(man for club in CLUBS for man in rosters()[club.id]),
        fixtures=fixtures,
        league=_press_row(Random(_SHEETS_SEED)),  # noqa: S311
        staff=_STAFF,
    )


def _press_row(rng: Random) -> DemoLeague:
    teams = tuple(
        DemoTeam(DemoAccount(username, display_name, "member"), team_name, _sheet(rng))
        for username, display_name, team_name in _MEMBERS
    )
    return DemoLeague("the-press-row", "The Press Row", "PRESSROW", _MEMBERS[0][0], teams)


def _sheet(rng: Random) -> tuple[DemoPick, ...]:
    """Seven footballers who play a lot, nobody twice; a captain and another as vice-captain."""
    chosen: list[str] = []
    for slot in SLOTS:
        positions = FLEX_POSITIONS if slot == "FLEX" else (slot,)
        open_to = [man for man in _worthy(positions) if man not in chosen]
        chosen.append(rng.choice(open_to))
    captain, vice_captain = rng.sample(range(len(SLOTS)), 2)
    return tuple(
        DemoPick(slot, man, is_captain=place == captain, is_vice_captain=place == vice_captain)
        for place, (slot, man) in enumerate(zip(SLOTS, chosen, strict=True))
    )


def _worthy(positions: tuple[str, ...]) -> list[str]:
    """The first choices of every club at these positions, in a fixed order."""
    return [
        man.id
        for club in CLUBS
        for position in positions
        for man in [man for man in rosters()[club.id] if man.position == position][: _WORTHY[position]]
    ]

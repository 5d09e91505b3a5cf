"""A draft league of a simulated season, with drafted rosters, made by its services."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from msgspec.structs import replace
from sqlalchemy import select

from app.accounts.models import Member
from app.core.db import db, transaction
from app.draft_leagues.franchises.services import locked
from app.draft_leagues.settings import PRESETS, DraftLeagueSettings
from app.draft_leagues.setup import services as setup
from app.draft_leagues.transactions import services as transactions
from app.fantasy.leagues import services as leagues
from app.fantasy.market.models import FootballerSeason, Gameweek
from app.fantasy.rosters.rules import Move, Transaction
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.standings.models import League
from tests.snapshots import made_once
from tests.worlds.team_sheets import World, make_nfl

FIRST = datetime(2026, 9, 13, 17, tzinfo=UTC)
FOUNDED = FIRST - timedelta(days=9)
DRAFTED = FIRST - timedelta(days=3)
NAMES = ("ann", "bob", "cat", "dan")


@dataclass(frozen=True)
class Days:
    """When the league is founded and drafted, and when its first game begins."""

    founded: datetime = FOUNDED
    drafted: datetime = DRAFTED
    first: datetime = FIRST

    @classmethod
    def before(cls, first: datetime) -> Days:
        """The usual days before another first game."""
        return cls(first - (FIRST - FOUNDED), first - (FIRST - DRAFTED), first)


USUAL_DAYS = Days()
# With eight clubs there are too few for a whole redraft of twelve; this is four teams of nine.
SETTINGS = replace(
    PRESETS["redraft"],
    franchises=4,
    roster=replace(PRESETS["redraft"].roster, bench=4),
    season=replace(PRESETS["redraft"].season, playoff_teams=2, weeks_per_round=(1,)),
)


@dataclass
class DraftWorld:
    """`members`: ids in the order of their franchises, from 1."""

    season: World
    league: League
    members: Sequence[int]
    settings: DraftLeagueSettings

    def gameweek(self, week: int) -> Gameweek:
        return self.season.gameweeks[week - 1]

    def record(self, *acts: Transaction, now: datetime = DRAFTED) -> list[int]:
        """Record these acts and commit."""
        with transaction():
            numbers = transactions.record(locked(self.league.id), acts, now)
        assert isinstance(numbers, list), numbers
        return numbers

    def lineup(self, franchise: int, week: int = 1) -> list[str]:
        """The picks of a franchise's stored line-up."""
        return db.session.scalars(
            select(TeamSheet.picks).where(
                TeamSheet.member_id == self.members[franchise - 1],
                TeamSheet.team_rules_id == self.league.team_rules_id,
                TeamSheet.gameweek_id == self.gameweek(week).id,
            )
        ).one()

    def free(self, position: str) -> list[str]:
        """Free agents of a position, the dearest first."""
        return free_agents(self.league, position)


def free_agents(league: League, position: str) -> list[str]:
    owned = transactions.rosters_of(league.id).places
    rows = db.session.scalars(
        select(FootballerSeason.footballer_id)
        .where(
            FootballerSeason.season_id == league.season_id, FootballerSeason.position == position
        )
        .order_by(FootballerSeason.price.desc(), FootballerSeason.footballer_id)
    )
    return [footballer for footballer in rows if footballer not in owned]


@made_once
def make_draft_league(
    make_member: Callable[..., Member],
    settings: DraftLeagueSettings = SETTINGS,
    *,
    weeks: int = 4,
    names: Sequence[str] = NAMES,
    days: Days = USUAL_DAYS,
) -> DraftWorld:
    """A league whose franchises all have members, before its draft."""
    season = make_nfl(first=days.first, lock="game", weeks=weeks, is_simulated=True)
    members = [make_member(name).id for name in names]
    league = setup.found(
        members[0],
        setup.NewDraftLeague("The Row", f"{names[0].title()} FC", season.season_id, settings),
        days.founded,
    )
    assert isinstance(league, League), league
    for name, member_id in zip(names[1:], members[1:], strict=True):
        assert leagues.join(member_id, league.id, f"{name.title()} FC", days.founded) is None
    return DraftWorld(season, league, members, settings)


@made_once
def make_drafted_league(
    make_member: Callable[..., Member],
    settings: DraftLeagueSettings = SETTINGS,
    *,
    weeks: int = 4,
    names: Sequence[str] = NAMES,
    days: Days = USUAL_DAYS,
) -> DraftWorld:
    """The same in its season: each franchise has a QB, two RB, two WR and a TE.

    They are drafted in turns, the dearest first: franchise 1 has the dearest of each position.
    """
    world = make_draft_league(make_member, settings, weeks=weeks, names=names, days=days)
    with transaction():
        setup.begin_draft(locked(world.league.id))
    best = {position: iter(world.free(position)) for position in ("QB", "RB", "WR", "TE")}
    world.record(
        *(
            Transaction("drafted", (Move(next(best[position]), None, franchise),))
            for position in ("QB", "RB", "WR", "TE", "RB", "WR")
            for franchise in range(1, settings.franchises + 1)
        ),
        now=days.drafted,
    )
    with transaction():
        setup.begin_season(locked(world.league.id), days.drafted)
    return world

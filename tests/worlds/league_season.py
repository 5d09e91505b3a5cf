"""A season of four gameweeks with leagues made by their services, for the tests of leagues."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from app.accounts.models import Member
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues.services import NewLeague
from app.fantasy.market.choice import TeamRulesChoice
from app.fantasy.market.models import Gameweek, Season
from app.fantasy.standings.models import League
from tests.worlds.seasons import make_weekly_season

FIRST = datetime(2026, 9, 10, 17, tzinfo=UTC)
BEFORE = FIRST - timedelta(days=3)
AFTER = FIRST + timedelta(hours=1)
CHOICE = TeamRulesChoice.of("nfl-classic", "America/New_York")


@dataclass
class LeagueWorld:
    """`ids`: members by username, in the order in which they were first named."""

    make_member: Callable[..., Member]
    season: Season
    gameweeks: Sequence[Gameweek]
    ids: dict[str, int] = field(default_factory=dict)

    def member(self, name: str) -> int:
        if name not in self.ids:
            self.ids[name] = self.make_member(name).id
        return self.ids[name]

    def league(
        self, name: str = "Row", by: str = "ann", now: datetime = BEFORE, **choices: Any
    ) -> League:
        settings = {"choice": CHOICE, "rules": "half_ppr_idp"} | choices
        league = leagues.create(
            self.member(by),
            NewLeague(name, f"{by.title()} FC", season_id=self.season.id, **settings),
            now,
        )
        assert isinstance(league, League), league
        return league

    def join(self, league: League, name: str, now: datetime = BEFORE) -> int:
        assert leagues.join(self.member(name), league.id, f"{name.title()} FC", now) is None
        return self.ids[name]


def make_league_world(make_member: Callable[..., Member]) -> LeagueWorld:
    season, gameweeks = make_weekly_season(4, FIRST, name="2026", time_zone="America/New_York")
    return LeagueWorld(make_member, season, gameweeks)

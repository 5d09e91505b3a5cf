"""What the front page and the first steps tell a member.

Their leagues, the next deadlines, what is being played.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.fantasy.leagues.queries import LeagueCard
from app.fantasy.notices.services import NoticeRow
from app.fantasy.pages.team_sheet.words import time_left
from app.fantasy.scoring.my_games import LiveTotal, Play
from app.fantasy.sheets.my_teams import MyTeam
from app.record.queries import GameRow

TEAMS_SHOWN = 3


@dataclass(frozen=True)
class Deadline:
    """A team and its next deadline. `left`: until then, in words."""

    team: MyTeam
    locks_at: datetime
    left: str


@dataclass(frozen=True)
class LiveGame:
    """`mine`: the names of the member's players in it."""

    game: GameRow
    mine: tuple[str, ...]


@dataclass(frozen=True)
class FrontPage:
    """`totals`: of the teams in the `live` games.

    `play`, `notice`: the latest that moved points, by a play and by everything else. `needs_team`,
    `needs_league`: the first steps that are still to be done; a member who has played needs none.
    """

    leagues: tuple[LeagueCard, ...]
    deadlines: tuple[Deadline, ...]
    live: tuple[LiveGame, ...]
    totals: tuple[LiveTotal, ...]
    play: Play | None
    notice: NoticeRow | None
    needs_team: bool
    needs_league: bool

    @property
    def is_beginner(self) -> bool:
        return self.needs_team or self.needs_league


def deadlines_of(teams: Sequence[MyTeam], now: datetime) -> tuple[Deadline, ...]:
    """The next deadline of each team that is still played, in the order of the teams."""
    return tuple(
        Deadline(team, team.locks_at, time_left(team.locks_at, now))
        for team in teams
        if team.locks_at
    )


def front_page(
    leagues: Sequence[LeagueCard],
    teams: Sequence[MyTeam],
    live: Sequence[LiveGame],
    totals: Sequence[LiveTotal],
    play: Play | None,
    notice: NoticeRow | None,
    now: datetime,
) -> FrontPage:
    """Of `teams`, as my_teams orders them, the first TEAMS_SHOWN."""
    has_played = any(league.total for league in leagues)
    deadlines = deadlines_of(teams, now)
    return FrontPage(
        leagues=tuple(leagues),
        deadlines=deadlines[:TEAMS_SHOWN],
        live=tuple(live),
        totals=tuple(totals),
        play=play,
        notice=notice,
        needs_team=not has_played and not any(team.state != "none" for team in teams),
        needs_league=not has_played and all(league.is_overall for league in leagues),
    )

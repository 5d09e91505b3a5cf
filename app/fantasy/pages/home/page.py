"""What the front page shows a member: leagues, next deadlines, live games, and first steps."""

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
    """A team and its next deadline. `left`: the time until then, in words."""

    team: MyTeam
    locks_at: datetime
    left: str


@dataclass(frozen=True)
class LiveGame:
    """A game that is being played. `mine`: the names of the member's footballers in it."""

    game: GameRow
    mine: tuple[str, ...]


@dataclass(frozen=True)
class News:
    """What moves points now, and what moved them last; see `FrontPage`."""

    games: Sequence[LiveGame]
    totals: Sequence[LiveTotal]
    play: Play | None
    notice: NoticeRow | None


@dataclass(frozen=True)
class FrontPage:
    """The front page of a member.

    Attributes:
        totals: The totals of the member's teams that are in the `live` games.
        play: The latest play that moved points.
        notice: The latest notice of anything else that moved points.
        needs_team: Whether a first team is still to be picked.
        needs_league: Whether a first league is still to be joined.
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
        """Whether a first step is still to be done; never for a member who has played."""
        return self.needs_team or self.needs_league


def deadlines_of(teams: Sequence[MyTeam], now: datetime) -> tuple[Deadline, ...]:
    """The next deadline of each team that is still played, in the order of the teams."""
    return tuple(
        Deadline(team, team.locks_at, time_left(team.locks_at, now))
        for team in teams
        if team.locks_at
    )


def front_page(
    leagues: Sequence[LeagueCard], teams: Sequence[MyTeam], news: News, now: datetime
) -> FrontPage:
    """The front page, with the deadlines of the first TEAMS_SHOWN teams.

    `teams` are in the order of `my_teams`.
    """
    has_played = any(league.total for league in leagues)
    deadlines = deadlines_of(teams, now)
    return FrontPage(
        leagues=tuple(leagues),
        deadlines=deadlines[:TEAMS_SHOWN],
        live=tuple(news.games),
        totals=tuple(news.totals),
        play=news.play,
        notice=news.notice,
        needs_team=not has_played and not any(team.state != "none" for team in teams),
        needs_league=not has_played and all(league.is_overall for league in leagues),
    )

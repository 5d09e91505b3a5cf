"""What the front page shows a member: leagues, next deadlines, live games, and first steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.fantasy.leagues.queries import LeagueCard
from app.fantasy.notices.services import NoticeRow
from app.fantasy.pages.team_sheet.words import time_left
from app.fantasy.scoring.my_games import LiveTotal, Play
from app.fantasy.scoring.swings.swings import Mover, Swing
from app.fantasy.sheets.my_teams import MyTeam
from app.record.queries import GameRow

TEAMS_SHOWN = 3
NEAR = timedelta(hours=48)  # from then on a deadline is worth a card


@dataclass(frozen=True)
class Deadline:
    """A team and its next deadline.

    Attributes:
        locks_at: When it locks, or when the next of its players do.
        left: The time until then, in words.
        is_near: It is less than NEAR away.
        is_by_player: Whether other players lock later.
    """

    team: MyTeam
    locks_at: datetime
    left: str
    is_near: bool
    is_by_player: bool


@dataclass(frozen=True)
class LivePlayer:
    """A member's player whose game is being played. `points`: in thousandths."""

    id: str
    name: str
    points: int


@dataclass(frozen=True)
class LiveGame:
    """A game that is being played, and the member's players in it, by name."""

    game: GameRow
    players: tuple[LivePlayer, ...]


@dataclass(frozen=True)
class Change:
    """The newest play that moved the member's team, and what it did to the team in a league."""

    total: LiveTotal
    swing: Swing
    mine: Mover


@dataclass(frozen=True)
class News:
    """What moves points now, and what moved them last; see `FrontPage`."""

    rules: str
    games: Sequence[LiveGame]
    totals: Sequence[LiveTotal]
    change: Change | None
    play: Play | None
    notice: NoticeRow | None


@dataclass(frozen=True)
class FrontPage:
    """The front page of a member.

    Attributes:
        totals: Totals of the member's teams that are in the `live` games: at most TEAMS_SHOWN, and
            that in the overall league only without another.
        rules: The scoring of the players' points: that of the member's first league.
        change: What the latest play did to the member's team in the league that `totals` begins
            with; None if it cannot be told there.
        play: The latest play that earned one of the member's players points, without a `change`.
        notice: The latest notice of anything else that moved points.
        needs_team: Whether a first team is still to be picked.
        needs_league: Whether a first league is still to be joined.
    """

    leagues: tuple[LeagueCard, ...]
    deadlines: tuple[Deadline, ...]
    live: tuple[LiveGame, ...]
    rules: str
    totals: tuple[LiveTotal, ...]
    change: Change | None
    play: Play | None
    notice: NoticeRow | None
    needs_team: bool
    needs_league: bool

    @property
    def is_beginner(self) -> bool:
        """Whether a first step is still to be done; never for a member who has played."""
        return self.needs_team or self.needs_league


def deadlines_of(teams: Sequence[MyTeam], now: datetime) -> tuple[Deadline, ...]:
    """The next deadline of each team that is still played, the nearest first."""
    deadlines = [_deadline(team, team.locks_at, now) for team in teams if team.locks_at]
    return tuple(sorted(deadlines, key=lambda deadline: deadline.locks_at))


def _deadline(team: MyTeam, last: datetime, now: datetime) -> Deadline:
    locks_at = min(team.next_kickoff or last, last)
    return Deadline(
        team, locks_at, time_left(locks_at, now), locks_at - now <= NEAR, locks_at < last
    )


def front_page(
    leagues: Sequence[LeagueCard], teams: Sequence[MyTeam], news: News, now: datetime
) -> FrontPage:
    """The front page, with the deadlines of the first TEAMS_SHOWN teams.

    `teams` are in the order of `my_teams`.
    """
    has_played = any(league.total for league in leagues)
    needs_team = not has_played and not any(team.state != "none" for team in teams)
    if not needs_team:
        # Nobody has to pick a team for the overall league, which they would join with it.
        teams = [team for team in teams if team.live_slug is not None or team.state != "none"]
    deadlines = deadlines_of(teams, now)
    return FrontPage(
        leagues=tuple(leagues),
        deadlines=deadlines[:TEAMS_SHOWN],
        live=tuple(news.games),
        rules=news.rules,
        totals=_shown_totals(news.totals),
        change=news.change,
        play=news.play,
        notice=news.notice,
        needs_team=needs_team,
        needs_league=not has_played and all(league.is_overall for league in leagues),
    )


def _shown_totals(totals: Sequence[LiveTotal]) -> tuple[LiveTotal, ...]:
    among_friends = [total for total in totals if not total.is_overall]
    return tuple((among_friends or totals)[:TEAMS_SHOWN])

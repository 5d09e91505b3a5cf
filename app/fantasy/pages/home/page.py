"""What the front page shows a member: weeks under way, deadlines, leagues, first steps. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.fantasy.amounts import decimal_points
from app.fantasy.leagues.queries import LeagueCard
from app.fantasy.notices.services import NoticeRow
from app.fantasy.pages.footballers.page import line_words
from app.fantasy.pages.scoreboard import ScoreboardSide, with_outlook
from app.fantasy.pages.team_sheet.words import time_left
from app.fantasy.projections.teams import Outlook
from app.fantasy.scoring.my_games import EarnedPlay, LivePlayer, LiveTotal, NextMatchup
from app.fantasy.sheets.my_teams import MyTeam
from app.record.queries import GameRow

TEAMS_SHOWN = 3
CARDS_SHOWN = 12
LATEST_SHOWN = 3
NEAR = timedelta(hours=48)  # from then on the deadline of a team that is set is shown
URGENT = timedelta(hours=2)


@dataclass(frozen=True)
class Deadline:
    """A team and its next deadline.

    Attributes:
        locks_at: When it locks, or when the next of its players do.
        left: The time until then, in words.
        is_urgent: It is less than URGENT away.
        is_by_player: Whether other players lock later.
    """

    team: MyTeam
    locks_at: datetime
    left: str
    is_urgent: bool
    is_by_player: bool


@dataclass(frozen=True)
class LiveRow:
    """A member's player whose game is being played. `line`: what the player did, in words."""

    player: LivePlayer
    line: str


@dataclass(frozen=True)
class LiveGame:
    """A game that is being played, and the member's players in it who count, by name."""

    game: GameRow
    players: tuple[LiveRow, ...]


@dataclass(frozen=True)
class WeekCard:
    """A league's week under way, or its matchup to come.

    Attributes:
        sides: The member's, then that of the opponent if there is one.
        ids: The member ids of the sides, for their crests; None for the average.
        total: None for a matchup to come.
        begins_at: When a matchup to come begins.
    """

    slug: str
    league: str
    gameweek: str
    week: int
    sides: tuple[ScoreboardSide, ...]
    ids: tuple[int | None, ...]
    total: LiveTotal | None = None
    begins_at: datetime | None = None


@dataclass(frozen=True)
class LatestLine:
    """What moved the member's points last: a play of a player, or a notice."""

    at: datetime
    play: EarnedPlay | None = None
    notice: NoticeRow | None = None


@dataclass(frozen=True)
class News:
    """What moves points now, and what moved them last; see `FrontPage`.

    `outlooks`: how the open matchups among `totals` are expected to end, by the league's id.
    """

    totals: Sequence[LiveTotal]
    to_come: Sequence[NextMatchup]
    outlooks: Mapping[int, Outlook]
    games: Sequence[GameRow]
    players: Sequence[LivePlayer]
    plays: Sequence[EarnedPlay]
    notice: NoticeRow | None


@dataclass(frozen=True)
class FrontPage:
    """The front page of a member.

    Attributes:
        deadlines: Those that are NEAR or of a team that is not picked yet, at most TEAMS_SHOWN.
        cards: The weeks under way, the closest matchup first, and the overall league only without
            another; then the matchups to come of the other leagues. At most CARDS_SHOWN.
        live: The games with players who count somewhere.
        bench: The players in these and other live games who count nowhere.
        latest: The newest LATEST_SHOWN plays and notices that moved points, the newest first. The
            latest notice is one of them, however old it is.
        needs_team: Whether a first team is still to be picked.
        needs_league: Whether a first league is still to be joined.
    """

    leagues: tuple[LeagueCard, ...]
    deadlines: tuple[Deadline, ...]
    cards: tuple[WeekCard, ...]
    live: tuple[LiveGame, ...]
    bench: tuple[LiveRow, ...]
    latest: tuple[LatestLine, ...]
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
    is_urgent = locks_at - now <= URGENT
    return Deadline(team, locks_at, time_left(locks_at, now), is_urgent, locks_at < last)


def _deadlines(teams: Sequence[MyTeam], now: datetime) -> tuple[Deadline, ...]:
    deadlines = (
        deadline
        for deadline in deadlines_of(teams, now)
        if deadline.locks_at - now <= NEAR or deadline.team.state == "none"
    )
    return tuple(deadlines)[:TEAMS_SHOWN]


def front_page(
    member_id: int,
    leagues: Sequence[LeagueCard],
    teams: Sequence[MyTeam],
    news: News,
    now: datetime,
) -> FrontPage:
    """The front page; `teams` are in the order of `my_teams`."""
    has_played = any(league.total for league in leagues)
    needs_team = not has_played and not any(team.state != "none" for team in teams)
    if not needs_team:
        # Nobody has to pick a team for the overall league, which they would join with it.
        teams = [team for team in teams if team.live_slug is not None or team.state != "none"]
    rows = [LiveRow(player, line_words(player.stats)) for player in news.players]
    return FrontPage(
        leagues=tuple(leagues),
        deadlines=_deadlines(teams, now),
        cards=_cards(member_id, news),
        live=_live_games(news.games, rows),
        bench=tuple(row for row in rows if not row.player.leagues),
        latest=_latest(news.plays, news.notice),
        needs_team=needs_team,
        needs_league=not has_played and all(league.is_overall for league in leagues),
    )


def closest_first(totals: Sequence[LiveTotal]) -> list[LiveTotal]:
    """The totals that are shown: matchups by their lead, then the others as they are."""
    among_friends = [total for total in totals if not total.is_overall]
    return sorted(
        among_friends or totals, key=lambda total: (total.opponent is None, abs(total.lead))
    )


def _cards(member_id: int, news: News) -> tuple[WeekCard, ...]:
    cards = [_card(member_id, total, news.outlooks.get(total.league_id)) for total in news.totals]
    under_way = {total.league_id for total in news.totals}
    to_come = [game for game in news.to_come if game.league_id not in under_way]
    return tuple([*cards, *(_card_to_come(member_id, game) for game in to_come)][:CARDS_SHOWN])


def _card(member_id: int, total: LiveTotal, outlook: Outlook | None) -> WeekCard:
    own_side = ScoreboardSide(name=total.team_name, total=decimal_points(total.points))
    opponent = total.opponent
    where = (total.slug, total.league, total.gameweek, total.week)
    if opponent is None:
        return WeekCard(*where, (own_side,), (member_id,), total)
    other_side = ScoreboardSide(name=opponent.team_name, total=decimal_points(opponent.points))
    sides = (
        (own_side, other_side) if outlook is None else with_outlook((own_side, other_side), outlook)
    )
    return WeekCard(*where, sides, (member_id, opponent.member_id), total)


def _card_to_come(member_id: int, game: NextMatchup) -> WeekCard:
    sides = (
        ScoreboardSide(name=game.team_name, total=""),
        ScoreboardSide(name=game.opponent, total=""),
    )
    ids = member_id, game.opponent_id
    where = (game.slug, game.league, game.gameweek, game.week)
    return WeekCard(*where, sides, ids, begins_at=game.begins_at)


def _live_games(games: Sequence[GameRow], rows: Sequence[LiveRow]) -> tuple[LiveGame, ...]:
    counting = [row for row in rows if row.player.leagues]
    live_games = (
        LiveGame(game, tuple(row for row in counting if row.player.game_id == game.id))
        for game in games
    )
    return tuple(game for game in live_games if game.players)


def _latest(plays: Sequence[EarnedPlay], notice: NoticeRow | None) -> tuple[LatestLine, ...]:
    lines = [LatestLine(play.at, play=play) for play in plays]
    if notice is not None:
        lines = [*lines[: LATEST_SHOWN - 1], LatestLine(notice.created_at, notice=notice)]
    return tuple(sorted(lines, key=lambda line: line.at, reverse=True))

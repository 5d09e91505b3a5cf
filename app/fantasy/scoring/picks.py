"""A team sheet place by place, with each footballer's games, for the live team page. Reads only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import aliased

from app.core.db import db
from app.fantasy.market.formats import Format, format_named
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.market.models import SheetDeadline
from app.fantasy.scoring.models import PlayerPoints, SheetPoints
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.standings.live_scores import live_scores
from app.fantasy.standings.queries import LeagueRow
from app.record.models import Footballer, Game, GameState, StatLine
from app.record.rules.state import OVER


@dataclass(frozen=True)
class PickGame:
    """A game of the gameweek in which a footballer may earn points.

    `points`: the footballer's own, in thousandths; `held_points`: how much of them rests on plays
    under review; `stats`: empty if they did nothing.
    """

    game_id: str
    opponent: str
    club_id: str | None
    status: str
    state: Mapping[str, Any]
    kickoff: datetime
    points: int
    held_points: int
    stats: Mapping[str, int]


@dataclass(frozen=True)
class Pick:
    """A place on a team sheet.

    Attributes:
        multiplier: How often the place counts (sheets/lineups.py).
        games: The footballer's games of the gameweek that count in the league, by kickoff, then id.
            Usually one; none if the club does not play, two if a game was moved here.
    """

    slot: str
    is_starter: bool
    footballer_id: str
    name: str
    position: str
    club_id: str | None
    multiplier: int
    is_captain: bool
    is_vice_captain: bool
    games: tuple[PickGame, ...]

    @property
    def points(self) -> int:
        """The footballer's points in all of the games, in thousandths."""
        return sum(game.points for game in self.games)

    @property
    def held_points(self) -> int:
        """How much of `points` rests on plays under review."""
        return sum(game.held_points for game in self.games)

    @property
    def game(self) -> PickGame | None:
        """The game that matters now: the live one, else the next one, else the latest one."""
        return min(self.games, key=_urgency, default=None)


# A postponed game comes after one that was played: nobody knows when it will be.
_ORDER = {
    "live": 0,
    "scheduled": 1,
    "suspended": 2,
    "ended": 3,
    "final": 3,
    "forfeited": 3,
    "postponed": 4,
}
_LAST = 5
_AHEAD = ("live", "scheduled")


def _urgency(game: PickGame) -> tuple[int, bool, float]:
    """The sort key of Pick.game, the most urgent game first.

    Ties: the earlier of two games to come; of two played games the one in which the footballer did
    something, then the later one.
    """
    at = game.kickoff.timestamp()
    return _ORDER.get(game.status, _LAST), not game.stats, at if game.status in _AHEAD else -at


def is_locked(team_rules_id: int, gameweek: GameweekRow, now: datetime) -> bool:
    """Whether no team can be picked for the gameweek any more.

    Where footballers lock one by one, that is when the last of them is locked.
    """
    locks_at = db.session.scalar(
        select(SheetDeadline.locks_at).where(
            SheetDeadline.team_rules_id == team_rules_id, SheetDeadline.gameweek_id == gameweek.id
        )
    )
    return locks_at is not None and locks_at <= now


def transfer_cost(member_id: int, gameweek_id: int, team_rules_id: int) -> int:
    """What the transfers of the member's sheet cost, thousandths; 0 without a sheet."""
    cost = db.session.scalar(
        select(TeamSheet.transfer_cost).where(
            TeamSheet.member_id == member_id,
            TeamSheet.team_rules_id == team_rules_id,
            TeamSheet.gameweek_id == gameweek_id,
        )
    )
    return cost or 0


def picks(member_id: int, gameweek: GameweekRow, league: LeagueRow) -> list[Pick]:
    """The member's team sheet of the gameweek in the order of its places; empty without one.

    A footballer's games are those of their present club and those in which they have a stat line.
    """
    sheet = db.session.scalars(
        select(TeamSheet).where(
            TeamSheet.member_id == member_id,
            TeamSheet.team_rules_id == league.team_rules_id,
            TeamSheet.gameweek_id == gameweek.id,
        )
    ).first()
    if sheet is None:
        return []
    line = aliased(StatLine)
    played = (
        select(line.game_id)
        .where(line.game_id == Game.id, line.player_id == Footballer.id)
        .correlate(Game, Footballer)
        .exists()
    )
    in_week = (
        (Game.competition == gameweek.competition)
        & (Game.season == gameweek.season)
        & (Game.season_type == gameweek.season_type)
        & (Game.week == gameweek.week)
        & (Footballer.club_id.in_([Game.home_id, Game.away_id]) | played)
        & (Game.planned_week.is_(None) | league.counts_moved)
    )
    rows = db.session.execute(
        select(Footballer, Game, GameState, StatLine, PlayerPoints)
        .select_from(Footballer)
        .outerjoin(Game, in_week)
        .outerjoin(GameState, GameState.game_id == Game.id)
        .outerjoin(StatLine, (StatLine.game_id == Game.id) & (StatLine.player_id == Footballer.id))
        .outerjoin(
            PlayerPoints,
            (PlayerPoints.game_id == Game.id)
            & (PlayerPoints.player_id == Footballer.id)
            & (PlayerPoints.rules == league.rules),
        )
        .where(Footballer.id.in_(sheet.picks))
        .order_by(Footballer.id, Game.kickoff, Game.id)
    )
    played_by: dict[str, list[_Played]] = {}
    for row in rows:
        played_by.setdefault(row[0].id, []).append(_Played(*row))
    multipliers = _multipliers(sheet, league)
    team_format = format_named(league.format)
    starters = len(team_format.starters)
    counts = multipliers or [
        int(place < starters) + _wears(place, sheet.captain, team_format)
        for place in range(len(team_format.places))
    ]
    return [
        _pick(sheet, place, team_format, counts[place], played_by[player])
        for place, player in enumerate(sheet.picks)
        if player in played_by
    ]


def _multipliers(sheet: TeamSheet, league: LeagueRow) -> Sequence[int] | None:
    """How often each place counts; None before the gameweek is first counted."""
    live = live_scores([league.id], gameweek_id=sheet.gameweek_id, members=[sheet.member_id])
    for score in live:
        return score.multipliers
    stored: Sequence[int] | None = db.session.scalar(
        select(SheetPoints.multipliers).where(
            SheetPoints.team_sheet_id == sheet.id, SheetPoints.rules == league.rules
        )
    )
    return stored


class _Played(NamedTuple):
    """A footballer with a game of the gameweek, or none, and what they did in it."""

    footballer: Footballer
    game: Game | None
    state: GameState | None
    line: StatLine | None
    points: PlayerPoints | None


def _pick(
    sheet: TeamSheet, place: int, team_format: Format, multiplier: int, played: Sequence[_Played]
) -> Pick:
    footballer = played[0].footballer
    games = tuple(
        _game(row.game, row)
        for row in played
        if row.game is not None and not _is_of_new_club(row, played)
    )
    pick = Pick(
        slot=team_format.places[place].name,
        is_starter=place < len(team_format.starters),
        footballer_id=footballer.id,
        name=footballer.name,
        position=footballer.position,
        club_id=footballer.club_id,
        multiplier=multiplier,
        is_captain=_wears(place, sheet.captain, team_format),
        is_vice_captain=_wears(place, sheet.vice_captain, team_format),
        games=games,
    )
    return replace(pick, club_id=pick.game.club_id) if pick.game else pick


def _wears(place: int, armband: int, team_format: Format) -> bool:
    """Whether the place, from 0, has this armband; draft leagues have none."""
    return place + 1 == armband and not team_format.is_draft


def _is_of_new_club(row: _Played, played: Sequence[_Played]) -> bool:
    """Whether the new club played without a footballer who played for the old club this week."""
    is_over = row.state is not None and row.state.status in OVER and row.line is None
    return is_over and any(
        other.line is not None and other.line.team != row.footballer.club_id for other in played
    )


def _game(game: Game, played: _Played) -> PickGame:
    _, _, state, line, points = played
    club = line.team if line else played.footballer.club_id
    return PickGame(
        game_id=game.id,
        opponent=f"at {game.home_id}" if club == game.away_id else f"vs {game.away_id}",
        club_id=club,
        status=state.status if state else "scheduled",
        state=state.state if state else {},
        kickoff=game.kickoff,
        points=points.points if points else 0,
        held_points=points.held if points else 0,
        stats=line.stats if line else {},
    )

"""A team sheet place by place, with what each footballer does in their game: for the live team
page. Reads only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import aliased

from app.core.db import db
from app.fantasy.market.formats import FORMATS, Format
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.market.models import SheetDeadline
from app.fantasy.scoring.models import PlayerPoints, SheetPoints
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.standings.queries import LeagueRow
from app.record.models import Footballer, Game, GameState, StatLine
from app.record.rules.state import OVER


@dataclass(frozen=True)
class PickGame:
    """A game of the gameweek in which a footballer may earn points.

    `points` of the footballer alone, in thousandths, `held` those of them from plays under review;
    `stats` is empty where they did nothing.
    """

    game_id: str
    opponent: str
    club_id: str | None
    status: str
    state: Mapping[str, Any]
    kickoff: datetime
    points: int
    held: int
    stats: Mapping[str, int]


@dataclass(frozen=True)
class Pick:
    """A place on a team sheet. `multiplier`: how often the place counts (sheets/lineups.py).

    `games`: all of the gameweek that count in the league, by kickoff, then id; mostly one, none
    where the club does not play, two where a game was moved here. `points` and `held` are of all of
    them together.
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
        return sum(one.points for one in self.games)

    @property
    def held(self) -> int:
        return sum(one.held for one in self.games)

    @property
    def game(self) -> PickGame | None:
        """The one that matters now: being played, else the next one, else the latest that was
        played.
        """
        return min(self.games, key=_urgency, default=None)


# A game that waits for a word comes after one that was played: nobody knows when it goes on.
_ORDER = {
    "live": 0,
    "scheduled": 1,
    "suspended": 2,
    "ended": 3,
    "final": 3,
    "forfeited": 3,
    "postponed": 4,
}


def _urgency(game: PickGame) -> tuple[int, bool, float]:
    """Ties: of games to come the earlier, of those played one in which they did something, then the
    later.
    """
    order, at = _ORDER.get(game.status, 5), game.kickoff.timestamp()
    return order, not game.stats, at if order < 2 else -at


def is_shown_to_all(team_rules_id: int, gameweek: GameweekRow, now: datetime) -> bool:
    """Whether others may see a sheet: from the gameweek's deadline, or when sheets of these rules
    locked earlier.
    """
    return gameweek.deadline <= now or is_locked(team_rules_id, gameweek, now)


def is_locked(team_rules_id: int, gameweek: GameweekRow, now: datetime) -> bool:
    """Whether no team can be picked for the gameweek any more: where footballers lock one by one,
    after the last.
    """
    locks_at = db.session.scalar(
        select(SheetDeadline.locks_at).where(
            SheetDeadline.team_rules_id == team_rules_id, SheetDeadline.gameweek_id == gameweek.id
        )
    )
    return locks_at is not None and locks_at <= now


def transfer_cost(member_id: int, gameweek_id: int, team_rules_id: int) -> int:
    """What the transfers of the member's sheet cost, thousandths; 0 without a sheet."""
    found = db.session.scalar(
        select(TeamSheet.transfer_cost).where(
            TeamSheet.member_id == member_id,
            TeamSheet.team_rules_id == team_rules_id,
            TeamSheet.gameweek_id == gameweek_id,
        )
    )
    return found or 0


def picks(member_id: int, gameweek: GameweekRow, league: LeagueRow) -> list[Pick]:
    """The member's team sheet of the gameweek in the order of its places; empty without one.

    A player's games are those of their club and those that they have a stat line in, whatever their
    club is now.
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
    found = db.session.execute(
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
    for row in found:
        played_by.setdefault(row[0].id, []).append(_Played(*row))
    multipliers = db.session.scalar(
        select(SheetPoints.multipliers).where(
            SheetPoints.team_sheet_id == sheet.id, SheetPoints.rules == league.rules
        )
    )
    format = FORMATS[league.format]
    starters = len(format.starters)
    counts = multipliers or [
        int(place < starters) + (place + 1 == sheet.captain) for place in range(len(format.places))
    ]
    return [
        _pick(sheet, place, format, counts[place], played_by[player])
        for place, player in enumerate(sheet.picks)
        if player in played_by
    ]


class _Played(NamedTuple):
    """A player with a game of the gameweek, or none, and what they did in it."""

    footballer: Footballer
    game: Game | None
    state: GameState | None
    line: StatLine | None
    points: PlayerPoints | None


def _pick(
    sheet: TeamSheet, place: int, format: Format, multiplier: int, played: Sequence[_Played]
) -> Pick:
    footballer = played[0].footballer
    games = tuple(
        _game(one.game, one)
        for one in played
        if one.game is not None and not _is_anothers(one, played)
    )
    pick = Pick(
        slot=format.places[place].name,
        is_starter=place < len(format.starters),
        footballer_id=footballer.id,
        name=footballer.name,
        position=footballer.position,
        club_id=footballer.club_id,
        multiplier=multiplier,
        is_captain=place + 1 == sheet.captain,
        is_vice_captain=place + 1 == sheet.vice_captain,
        games=games,
    )
    return replace(pick, club_id=pick.game.club_id) if pick.game else pick


def _is_anothers(one: _Played, played: Sequence[_Played]) -> bool:
    """A game of their new club that was over without them, where they played for the one that they
    came from.
    """
    over = one.state is not None and one.state.status in OVER and one.line is None
    return over and any(
        other.line is not None and other.line.team != one.footballer.club_id for other in played
    )


def _game(game: Game, played: _Played) -> PickGame:
    _, _, state, line, points = played
    club = line.team if line else played.footballer.club_id
    return PickGame(
        game_id=game.id,
        opponent=f"at {game.home_id}" if club == game.away_id else f"v {game.away_id}",
        club_id=club,
        status=state.status if state else "scheduled",
        state=state.state if state else {},
        kickoff=game.kickoff,
        points=points.points if points else 0,
        held=points.held if points else 0,
        stats=line.stats if line else {},
    )

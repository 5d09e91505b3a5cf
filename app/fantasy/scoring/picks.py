"""A team sheet place by place, with what each footballer does in their game: for the live team page. Reads only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Pick:
    """A place on a team sheet. `points` of the player alone, in thousandths, `held` those of them from plays
    under review; `multiplier`: how often the place counts (sheets/lineups.py)."""

    slot: str
    is_starter: bool
    footballer_id: str
    name: str
    position: str
    club_id: str | None
    multiplier: int
    is_captain: bool
    is_vice_captain: bool
    points: int
    held: int
    stats: Mapping[str, int]
    game_id: str | None
    opponent: str | None
    status: str
    state: Mapping[str, Any]
    kickoff: datetime | None


def is_shown_to_all(team_rules_id: int, gameweek: GameweekRow, now: datetime) -> bool:
    """Whether others may see a sheet: from the gameweek's deadline, or when sheets of these rules locked earlier."""
    locks_at = db.session.scalar(
        select(SheetDeadline.locks_at).where(
            SheetDeadline.team_rules_id == team_rules_id, SheetDeadline.gameweek_id == gameweek.id
        )
    )
    return gameweek.deadline <= now or (locks_at is not None and locks_at <= now)


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

    A player's game is the one that they have a stat line in, whatever their club is now; else their club's.
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
        .order_by(Footballer.id, StatLine.player_id.nulls_last(), Game.kickoff, Game.id)
    )
    first: dict[str, Any] = {}
    for row in found:
        first.setdefault(row[0].id, row)
    multipliers = db.session.scalar(
        select(SheetPoints.multipliers).where(SheetPoints.team_sheet_id == sheet.id, SheetPoints.rules == league.rules)
    )
    format = FORMATS[league.format]
    starters = len(format.starters)
    counts = multipliers or [
        int(place < starters) + (place + 1 == sheet.captain) for place in range(len(format.places))
    ]
    return [
        _pick(sheet, place, format, counts[place], _Played(*first[player]))
        for place, player in enumerate(sheet.picks)
        if player in first
    ]


class _Played(NamedTuple):
    """A player with their game of the gameweek and what they did in it."""

    footballer: Footballer
    game: Game | None
    state: GameState | None
    line: StatLine | None
    points: PlayerPoints | None


def _pick(sheet: TeamSheet, place: int, format: Format, multiplier: int, played: _Played) -> Pick:
    footballer, game, state, line, points = played
    club = line.team if line else footballer.club_id
    opponent = None
    if game is not None:
        opponent = f"at {game.home_id}" if club == game.away_id else f"v {game.away_id}"
    return Pick(
        slot=format.places[place].name,
        is_starter=place < len(format.starters),
        footballer_id=footballer.id,
        name=footballer.name,
        position=footballer.position,
        club_id=club,
        multiplier=multiplier,
        is_captain=place + 1 == sheet.captain,
        is_vice_captain=place + 1 == sheet.vice_captain,
        points=points.points if points else 0,
        held=points.held if points else 0,
        stats=line.stats if line else {},
        game_id=game.id if game else None,
        opponent=opponent,
        status=state.status if state else "scheduled",
        state=state.state if state else {},
        kickoff=game.kickoff if game else None,
    )

"""Reads of the fantasy game for pages: frozen rows, a fixed number of queries whatever their number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any

from sqlalchemy import Select, func, select, text
from sqlalchemy.orm import aliased

from app.accounts.models import Member
from app.core.db import db
from app.core.redis import RedisAway
from app.fantasy.models import (
    Gameweek,
    League,
    LeagueMember,
    LeagueVersion,
    PlayerPoints,
    TeamSheet,
    TeamSheetPick,
)  # fmt: skip
from app.fantasy.points import league_board, table_held, table_points
from app.fantasy.rules import dense_ranks
from app.record.models import Footballer, Game, GameState, StatLine


@dataclass(frozen=True)
class LeagueRow:
    id: int
    slug: str
    name: str
    rules: str
    members: int


@dataclass(frozen=True)
class GameweekRow:
    id: int
    season: int
    season_type: str
    week: int
    name: str
    deadline: datetime


@dataclass(frozen=True)
class Standing:
    """A place in a league's table. `rank`: dense (1, 1, 2); `shared`: another member has it too.

    `held`: how much of the points rests on plays under review.
    `to_play` and `playing`: footballers of the team sheet whose game has not begun, or is under way.
    """

    member_id: int
    display_name: str
    team_name: str
    points: int
    held: int
    rank: int
    shared: bool
    to_play: int
    playing: int


@dataclass(frozen=True)
class Pick:
    """A place on a team sheet. `points` of the footballer himself, in thousandths, `held` those of them from plays
    under review; `multiplier` 2: captain."""

    slot: str
    footballer_id: str
    name: str
    position: str
    club_id: str | None
    multiplier: int
    is_vice_captain: bool
    points: int
    held: int
    stats: Mapping[str, int]
    game_id: str | None
    opponent: str | None
    status: str
    state: Mapping[str, Any]
    kickoff: datetime | None


def _leagues_of(member_id: int) -> Select[int, str, str, str, int]:
    everybody = aliased(LeagueMember)
    size = select(func.count()).where(everybody.league_id == League.id).scalar_subquery()
    return (
        select(League.id, League.slug, League.name, League.rules, size)
        .join(LeagueMember, LeagueMember.league_id == League.id)
        .where(LeagueMember.member_id == member_id)
    )


def leagues_of(member_id: int) -> list[LeagueRow]:
    """The member's leagues by name, then id."""
    found = db.session.execute(_leagues_of(member_id).order_by(League.name, League.id))
    return [LeagueRow(*row) for row in found]


def league_for_viewer(slug: str, member_id: int) -> LeagueRow | None:
    """The only door from a URL to a league: None unless the viewer belongs to it."""
    found = db.session.execute(_leagues_of(member_id).where(League.slug == slug)).first()
    return None if found is None else LeagueRow(*found)


def latest_gameweek() -> GameweekRow | None:
    """The gameweek with the latest deadline."""
    found = db.session.scalar(select(Gameweek).order_by(Gameweek.deadline.desc(), Gameweek.id.desc()).limit(1))
    if found is None:
        return None
    return GameweekRow(found.id, found.season, found.season_type, found.week, found.name, found.deadline)


@dataclass(frozen=True)
class TableVersion:
    """`version` rises with every change of the table, 0 before the first. `statuses`: of the gameweek's games
    when that version was made; a table is over by these, not by the games, whose last points may be on their way."""

    version: int
    statuses: tuple[str, ...]


def table_version(league_id: int, gameweek_id: int) -> TableVersion:
    found = db.session.execute(
        select(LeagueVersion.version, LeagueVersion.game_statuses).where(
            LeagueVersion.league_id == league_id, LeagueVersion.gameweek_id == gameweek_id
        )
    ).first()
    if found is None:
        return TableVersion(0, ())
    return TableVersion(found[0], tuple(found[1].split(",")) if found[1] else ())


def standings(league_id: int, gameweek_id: int) -> list[Standing]:
    """The table: by points, then team name, then member id; equal points share a rank.

    Points come from the board in Redis; from PostgreSQL when Redis is away, does not hold it, or holds an older
    one: a board is written after the commit of its version, and a page's tag must not promise more than it shows.
    """
    try:
        board = league_board(league_id, gameweek_id).published()
    except RedisAway:
        board = None
    current = table_version(league_id, gameweek_id).version
    if board and board[0] >= current:
        scores = {int(member): points for member, points in board[1].items()}
    else:
        scores = table_points(league_id, gameweek_id)
    held = table_held(league_id, gameweek_id)
    return table(league_id, scores, _progress(league_id, gameweek_id), held)


def table(
    league_id: int,
    scores: Mapping[int, int],
    progress: Mapping[int, tuple[int, int]],
    held: Mapping[int, int] = MappingProxyType({}),
) -> list[Standing]:
    """The members ranked by these points, ordered as `standings`.

    `progress`: to play and playing by member; `held`: how much of the points rests on plays under review.
    """
    members = db.session.execute(
        select(Member.id, Member.display_name, LeagueMember.team_name)
        .join(LeagueMember, LeagueMember.member_id == Member.id)
        .where(LeagueMember.league_id == league_id)
    ).all()
    ranks = dense_ranks({member: scores.get(member, 0) for member, _, _ in members})
    rows = [
        Standing(
            member_id=member,
            display_name=display_name,
            team_name=team_name,
            points=scores.get(member, 0),
            held=held.get(member, 0),
            rank=ranks[member].rank,
            shared=ranks[member].shared,
            to_play=progress.get(member, (0, 0))[0],
            playing=progress.get(member, (0, 0))[1],
        )
        for member, display_name, team_name in members
    ]
    return sorted(rows, key=lambda row: (row.rank, row.team_name, row.member_id))


@dataclass(frozen=True)
class SheetPick:
    """A footballer on the team sheet of a member of a league, as the table counts him."""

    member_id: int
    footballer_id: str
    club_id: str | None
    multiplier: int


def sheet_picks(league_id: int, gameweek_id: int) -> list[SheetPick]:
    """Every pick of every member of the league for the gameweek, by member, then place."""
    found = db.session.execute(
        select(TeamSheet.member_id, TeamSheetPick.footballer_id, Footballer.club_id, TeamSheetPick.multiplier)
        .join(TeamSheet, TeamSheet.id == TeamSheetPick.team_sheet_id)
        .join(LeagueMember, LeagueMember.member_id == TeamSheet.member_id)
        .join(Footballer, Footballer.id == TeamSheetPick.footballer_id)
        .where(LeagueMember.league_id == league_id, TeamSheet.gameweek_id == gameweek_id)
        .order_by(TeamSheet.member_id, TeamSheetPick.place)
    )
    return [SheetPick(*row) for row in found]


_PROGRESS = text("""
    SELECT s.member_id,
      count(*) FILTER (WHERE coalesce(gs.status, 'scheduled') = 'scheduled') AS to_play,
      count(*) FILTER (WHERE gs.status = 'live') AS playing
    FROM league_members lm
    JOIN team_sheets s ON s.member_id = lm.member_id AND s.gameweek_id = :gameweek
    JOIN team_sheet_picks p ON p.team_sheet_id = s.id
    JOIN footballers f ON f.id = p.footballer_id
    JOIN gameweeks w ON w.id = s.gameweek_id
    JOIN games g ON g.season = w.season AND g.season_type = w.season_type AND g.week = w.week
      AND f.club_id IN (g.home_id, g.away_id)
    LEFT JOIN game_states gs ON gs.game_id = g.id
    WHERE lm.league_id = :league
    GROUP BY s.member_id
""")


def _progress(league_id: int, gameweek_id: int) -> dict[int, tuple[int, int]]:
    found = db.session.execute(_PROGRESS, {"league": league_id, "gameweek": gameweek_id})
    return {member: (to_play, playing) for member, to_play, playing in found}


def team(league_id: int, member_id: int) -> tuple[str, str] | None:
    """Team name and member's name, None when the member is not in the league."""
    found = db.session.execute(
        select(LeagueMember.team_name, Member.display_name)
        .join(Member, Member.id == LeagueMember.member_id)
        .where(LeagueMember.league_id == league_id, LeagueMember.member_id == member_id)
    ).first()
    return None if found is None else (found[0], found[1])


def picks(member_id: int, gameweek: GameweekRow, rules: str) -> list[Pick]:
    """The member's team sheet of the gameweek in the order of its places; empty without one.

    His game is the one that he has a stat line in, whatever his club is now; else his club's.
    """
    line = aliased(StatLine)
    played = (
        select(line.game_id)
        .where(line.game_id == Game.id, line.player_id == Footballer.id)
        .correlate(Game, Footballer)
        .exists()
    )
    in_week = (
        (Game.season == gameweek.season)
        & (Game.season_type == gameweek.season_type)
        & (Game.week == gameweek.week)
        & (Footballer.club_id.in_([Game.home_id, Game.away_id]) | played)
    )
    found = db.session.execute(
        select(TeamSheetPick, Footballer, Game, GameState, StatLine, PlayerPoints)
        .join(TeamSheet, TeamSheet.id == TeamSheetPick.team_sheet_id)
        .join(Footballer, Footballer.id == TeamSheetPick.footballer_id)
        .outerjoin(Game, in_week)
        .outerjoin(GameState, GameState.game_id == Game.id)
        .outerjoin(StatLine, (StatLine.game_id == Game.id) & (StatLine.player_id == Footballer.id))
        .outerjoin(
            PlayerPoints,
            (PlayerPoints.game_id == Game.id)
            & (PlayerPoints.player_id == Footballer.id)
            & (PlayerPoints.rules == rules),
        )
        .where(TeamSheet.member_id == member_id, TeamSheet.gameweek_id == gameweek.id)
        .order_by(TeamSheetPick.place, StatLine.player_id.nulls_last(), Game.kickoff, Game.id)
    )
    first: dict[int, Any] = {}
    for row in found:
        first.setdefault(row[0].place, row)
    return [_pick(*row) for row in first.values()]


def _pick(
    pick: TeamSheetPick,
    footballer: Footballer,
    game: Game | None,
    state: GameState | None,
    line: StatLine | None,
    points: PlayerPoints | None,
) -> Pick:
    club = line.team if line else footballer.club_id
    opponent = None
    if game is not None:
        opponent = f"at {game.home_id}" if club == game.away_id else f"v {game.away_id}"
    return Pick(
        slot=pick.slot,
        footballer_id=footballer.id,
        name=footballer.name,
        position=footballer.position,
        club_id=club,
        multiplier=pick.multiplier,
        is_vice_captain=pick.is_vice_captain,
        points=points.points if points else 0,
        held=points.held if points else 0,
        stats=line.stats if line else {},
        game_id=game.id if game else None,
        opponent=opponent,
        status=state.status if state else "scheduled",
        state=state.state if state else {},
        kickoff=game.kickoff if game else None,
    )

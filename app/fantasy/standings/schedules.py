"""Stores the fixtures of head-to-head leagues for the whole season.

They are written when a league's members or mode change, when its season gets gameweeks, and when a
gameweek locks. A locked gameweek keeps its pairs; later ones change only as far as necessary.
Leagues of more than PLANNED_MEMBERS are drawn gameweek by gameweek, when each locks, because nobody
there can meet everybody. Who plays whom is decided in fixtures.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from sqlalchemy import ColumnElement, delete, func, select
from sqlalchemy.dialects.postgresql import insert

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.market.models import Gameweek
from app.fantasy.standings.fixtures import Pair, draw, fixtures
from app.fantasy.standings.models import DRAFT, League, LeagueMember, Matchup
from app.fantasy.standings.own_games import OWN_GAMES
from app.fantasy.standings.ranking import HEAD_TO_HEAD

PLANNED_MEMBERS = 32

Rounds = Mapping[int, Sequence[Pair]]  # by gameweek


def plan(leagues: Sequence[League]) -> None:
    """Bring the remaining fixtures of these leagues up to date with their members and gameweeks.

    Running it again changes nothing. The caller has locked the leagues, and commits.
    """
    db.session.flush()
    if drawn := [league for league in leagues if _is_drawn(league)]:
        _write(drawn, None)


def plan_season(season_id: int) -> None:
    """Bring the fixtures of all leagues up to date with the season's gameweeks, which have changed.

    Running it again changes nothing. Only the caller commits.
    """
    _write(_drawn_leagues(season_id), None)
    for game in OWN_GAMES.values():
        game.write_fixtures(season_id)


def _is_drawn(league: League) -> bool:
    """Whether the league's fixtures are drawn here; a draft league has a schedule of its own."""
    return league.mode == HEAD_TO_HEAD and league.game != DRAFT


def clear(league_id: int) -> None:
    """Delete the remaining fixtures of a league that no longer plays head to head."""
    to_come = select(Gameweek.id).where(Gameweek.locked_at.is_(None))
    db.session.execute(
        delete(Matchup).where(Matchup.league_id == league_id, Matchup.gameweek_id.in_(to_come))
    )


def pair_gameweek(gameweek_id: int) -> int:
    """Write the fixtures of a gameweek that is about to lock, and of later ones, in every league.

    Only the caller commits, in the transaction that locks the gameweek. A member who joins or
    leaves at this moment waits for the lock on the league, or came first and is paired here.

    Returns:
        How many games the gameweek has.
    """
    gameweek = db.session.get_one(Gameweek, gameweek_id)
    begun = League.first_week <= gameweek.week
    _write(_drawn_leagues(gameweek.season_id, begun), gameweek_id)
    return db.session.scalar(select(func.count()).where(Matchup.gameweek_id == gameweek_id)) or 0


def _drawn_leagues(season_id: int, *conditions: ColumnElement[bool]) -> Sequence[League]:
    """The leagues of the season whose fixtures are drawn here, locked in order of their ids."""
    return db.session.scalars(
        select(League)
        .where(
            League.season_id == season_id,
            League.mode == HEAD_TO_HEAD,
            League.game != DRAFT,
            *conditions,
        )
        .order_by(League.id)
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    ).all()


def _write(leagues: Sequence[League], locking: int | None) -> None:
    """Write the fixtures that changed. `locking`: the gameweek that large leagues are drawn for."""
    ids = [league.id for league in leagues]
    members, stored = _members(ids), stored_pairs(ids)
    gameweeks = _gameweeks({league.season_id for league in leagues})
    for league in leagues:
        counted = [week for week in gameweeks[league.season_id] if week.week >= league.first_week]
        rounds = stored[league.id]
        played = [rounds[week.id] for week in counted if week.locked_at and rounds[week.id]]
        to_come = [week.id for week in counted if week.locked_at is None]
        planned = _planned(members[league.id], played, to_come, rounds, locking)
        changed = {
            gameweek_id: planned.get(gameweek_id, ())
            for gameweek_id in to_come
            if set(planned.get(gameweek_id, ())) != set(rounds[gameweek_id])
        }
        if changed:
            db.session.execute(
                delete(Matchup).where(
                    Matchup.league_id == league.id, Matchup.gameweek_id.in_(changed)
                )
            )
        rows = [
            {"league_id": league.id, "gameweek_id": gameweek_id, "home_id": home, "away_id": away}
            for gameweek_id, pairs in changed.items()
            for home, away in pairs
        ]
        if rows:
            db.session.execute(insert(Matchup), rows)


def _planned(
    members: Sequence[int],
    played: Sequence[Sequence[Pair]],
    to_come: Sequence[int],
    rounds: Rounds,
    locking: int | None,
) -> Rounds:
    if len(members) > PLANNED_MEMBERS:
        last = played[-1] if played else ()
        return {} if locking is None else {locking: draw(members, len(played), last)}
    planned = [rounds.get(gameweek, ()) for gameweek in to_come]
    return dict(zip(to_come, fixtures(members, played, planned), strict=True))


def _members(leagues: Sequence[int]) -> Mapping[int, list[int]]:
    """The members who play, by league, in the order in which they joined.

    Members who were erased or banned do not play. Suspended and shadow banned members do, with the
    team that is carried over.
    """
    members: dict[int, list[int]] = defaultdict(list)
    query = (
        select(LeagueMember.league_id, LeagueMember.member_id)
        .join(Member, Member.id == LeagueMember.member_id)
        .where(
            LeagueMember.league_id.in_(leagues),
            Member.erased_at.is_(None),
            Member.banned_at.is_(None),
        )
        .order_by(LeagueMember.joined_at, LeagueMember.member_id)
    )
    for league, member in db.session.execute(query):
        members[league].append(member)
    return members


def stored_pairs(leagues: Sequence[int]) -> Mapping[int, Mapping[int, list[Pair]]]:
    """Load the head-to-head games of these leagues, by league and gameweek.

    In the order of the home members' ids. Leagues and gameweeks without games have none.
    """
    pairs: dict[int, dict[int, list[Pair]]] = defaultdict(lambda: defaultdict(list))
    query = select(Matchup.league_id, Matchup.gameweek_id, Matchup.home_id, Matchup.away_id)
    for league, gameweek, home, away in db.session.execute(
        query.where(Matchup.league_id.in_(leagues)).order_by(Matchup.gameweek_id, Matchup.home_id)
    ):
        pairs[league][gameweek].append((home, away))
    return pairs


def _gameweeks(seasons: set[int]) -> Mapping[int, list[Gameweek]]:
    """The gameweeks by season, in order of their weeks."""
    gameweeks: dict[int, list[Gameweek]] = defaultdict(list)
    query = select(Gameweek).where(Gameweek.season_id.in_(seasons)).order_by(Gameweek.week)
    for gameweek in db.session.scalars(query.execution_options(populate_existing=True)):
        gameweeks[gameweek.season_id].append(gameweek)
    return gameweeks

"""League tables of a gameweek in Redis: published whole under a version, rebuilt from
PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import func, select, text

from app.boards.layouts.board import Board, amend_all, held_versions, open_board
from app.boards.rules import Ties
from app.boards.spec import BoardSpec
from app.core.db import db
from app.core.restore_epoch import epoch
from app.fantasy.standings.large_table import IS_LARGE, LIMIT
from app.fantasy.standings.league_scores import Moved
from app.fantasy.standings.models import LeagueMember, LeagueScore, LeagueVersion

# But of large leagues while the gameweek is deferred: their tables are shown otherwise
# (large_table.py).
VERSIONS = text(f"""
    SELECT v.league_id, v.version FROM league_versions v JOIN leagues l ON l.id = v.league_id
    WHERE v.gameweek_id = :gameweek
      AND NOT (EXISTS (SELECT FROM deferred_gameweeks d WHERE d.gameweek_id = :gameweek)
        AND {IS_LARGE})
""")  # noqa: S608 (made of our own words alone)


def league_board(league_id: int, gameweek_id: int) -> Board:
    mode, window = f"league-{league_id}", f"gameweek-{gameweek_id}"
    return open_board(BoardSpec("fantasy", mode, window, ties=Ties.DENSE, timeline=epoch()))


def publish_changes(gameweek_id: int, moved: Sequence[Moved], versions: Mapping[int, int]) -> None:
    """Writes what moved in these leagues to Redis, each league's table under its new version.

    Whole where it must be.

    `versions`: by league. `moved` is everything that changed since the version before. When nothing
    did, this may be the second try of a refresh that was killed before it came here: then every
    table is looked at.
    """
    scores: dict[int, dict[str, int]] = {league: {} for league in versions}
    for one in moved:
        scores[one.league_id][str(one.member_id)] = one.points
    items = [
        (league_board(league, gameweek_id), versions[league], scores[league]) for league in versions
    ]
    if not items or not all(amend_all(items)):
        publish_boards(gameweek_id)


def publish_boards(gameweek_id: int) -> int:
    """Writes those tables of the gameweek to Redis whose version there is not PostgreSQL's.

    Returns how many.

    An older table never replaces a newer one. Also the way back after Redis was lost.
    """
    versions = db.session.execute(VERSIONS, {"gameweek": gameweek_id} | LIMIT).all()
    held = held_versions([league_board(league_id, gameweek_id) for league_id, _ in versions])
    stale = [
        (league, version)
        for (league, version), there in zip(versions, held, strict=True)
        if there != version
    ]
    both = zip(versions, held, strict=True)
    ahead = {
        league: there for (league, version), there in both if there is not None and there > version
    }
    if ahead:
        _drop_ahead(gameweek_id, ahead)
    for league_id, version in stale:
        points = table_points(league_id, gameweek_id)
        league_board(league_id, gameweek_id).publish(
            version, {str(member): held for member, held in points.items()}
        )
    return len(stale)


def _drop_ahead(gameweek_id: int, held: Mapping[int, int]) -> None:
    """Drops tables of a version (by league) that PostgreSQL has not: it went back to a snapshot of
    its disk.

    PostgreSQL is asked after Redis, so that no table is dropped that was published meanwhile.
    """
    now: dict[int, int] = dict(
        db.session.execute(VERSIONS, {"gameweek": gameweek_id} | LIMIT).all()
    )
    for league_id, there in held.items():
        if there > now.get(league_id, there):
            league_board(league_id, gameweek_id).drop()


def publish_all_boards() -> int:
    """publish_boards for every gameweek that has tables; returns how many boards were written."""
    gameweeks = db.session.scalars(select(LeagueVersion.gameweek_id).distinct())
    return sum(publish_boards(gameweek_id) for gameweek_id in gameweeks.all())


def table_points(league_id: int, gameweek_id: int) -> dict[int, int]:
    """Points of every member of the league by id; a member without a sheet or points has 0."""
    rows = db.session.execute(
        select(LeagueMember.member_id, func.coalesce(LeagueScore.points, 0))
        .outerjoin(
            LeagueScore,
            (LeagueScore.league_id == LeagueMember.league_id)
            & (LeagueScore.member_id == LeagueMember.member_id)
            & (LeagueScore.gameweek_id == gameweek_id),
        )
        .where(LeagueMember.league_id == league_id)
    )
    return dict(rows.all())


def table_held(league_id: int, gameweek_id: int) -> dict[int, int]:
    """How much of their points rests on plays under review, of those members of the league with
    any, by id.
    """
    rows = db.session.execute(
        select(LeagueScore.member_id, LeagueScore.held).where(
            LeagueScore.league_id == league_id,
            LeagueScore.gameweek_id == gameweek_id,
            LeagueScore.held != 0,
        )
    )
    return dict(rows.all())

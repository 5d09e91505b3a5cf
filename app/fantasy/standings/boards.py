"""League tables of a gameweek in Redis, published under a version and rebuilt from PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import select, text

from app.boards.layouts.board import Board, amend_all, held_versions, open_board
from app.boards.rules import Ties
from app.boards.spec import BoardSpec
from app.core.db import db
from app.core.restore_epoch import epoch
from app.fantasy.standings.large_table import IS_LARGE, LIMIT
from app.fantasy.standings.league_scores import Moved
from app.fantasy.standings.live_scores import live_scores, scores_of
from app.fantasy.standings.models import LeagueMember, LeagueVersion

MOST_PUBLISHED = (
    1_000  # tables of a gameweek under way; of more, each is worked out when it is shown
)

# Without large leagues while the gameweek is under way: their tables are in large_table.py.
VERSIONS = text(f"""
    SELECT v.league_id, v.version FROM league_versions v JOIN leagues l ON l.id = v.league_id
    WHERE v.gameweek_id = :gameweek
      AND NOT (EXISTS (SELECT FROM live_gameweeks d WHERE d.gameweek_id = :gameweek)
        AND ({IS_LARGE} OR (SELECT count(*) FROM league_versions o
          WHERE o.gameweek_id = :gameweek) > :most))
""")  # noqa: S608 (made of our own words alone)


LIMITS = {**LIMIT, "most": MOST_PUBLISHED}  # of VERSIONS


def league_board(league_id: int, gameweek_id: int) -> Board:
    """The board of the league's table of the gameweek."""
    mode, window = f"league-{league_id}", f"gameweek-{gameweek_id}"
    return open_board(BoardSpec("fantasy", mode, window, ties=Ties.DENSE, timeline=epoch()))


def publish_changes(gameweek_id: int, moved: Sequence[Moved], versions: Mapping[int, int]) -> None:
    """Write what moved to Redis, each league's table under its new version.

    A table is written whole if Redis does not have the version before. If nothing moved, this may
    be the second try of a refresh that was killed before it got here; then every table of the
    gameweek is checked.

    Args:
        gameweek_id: The gameweek.
        moved: Everything that changed since the versions before.
        versions: The new version of each league.
    """
    scores: dict[int, dict[str, int]] = {league: {} for league in versions}
    for score in moved:
        scores[score.league_id][str(score.member_id)] = score.points
    items = [
        (league_board(league, gameweek_id), versions[league], scores[league]) for league in versions
    ]
    if not items or not all(amend_all(items)):
        publish_boards(gameweek_id)


def publish_live(gameweek_id: int, versions: Mapping[int, int]) -> None:
    """As `publish_changes`, for leagues whose gameweek is under way."""
    if len(versions) > MOST_PUBLISHED:
        return
    moved = [
        Moved(score.league_id, score.member_id, None, score.points)
        for score in live_scores(versions, gameweek_id=gameweek_id)
    ]
    publish_changes(gameweek_id, moved, versions)


def publish_boards(gameweek_id: int) -> int:
    """Write the tables of the gameweek to Redis that have another version there than in PostgreSQL.

    An older table never replaces a newer one. This also rebuilds the tables after Redis was lost.

    Returns:
        How many tables were written.
    """
    versions = db.session.execute(VERSIONS, {"gameweek": gameweek_id} | LIMITS).all()
    published = held_versions([league_board(league_id, gameweek_id) for league_id, _ in versions])
    stale = [
        (league, version)
        for (league, version), in_redis in zip(versions, published, strict=True)
        if in_redis != version
    ]
    ahead = {
        league: in_redis
        for (league, version), in_redis in zip(versions, published, strict=True)
        if in_redis is not None and in_redis > version
    }
    if ahead:
        _drop_ahead(gameweek_id, ahead)
    for league_id, version in stale:
        points = table_points(league_id, gameweek_id)
        league_board(league_id, gameweek_id).publish(
            version, {str(member): score for member, score in points.items()}
        )
    return len(stale)


def _drop_ahead(gameweek_id: int, ahead: Mapping[int, int]) -> None:
    """Drop tables of a version that PostgreSQL does not have (any more).

    That is so after PostgreSQL was restored from a snapshot. PostgreSQL is read after Redis, so
    that no table is dropped that was published meanwhile. `ahead`: the versions in Redis by league.
    """
    now: dict[int, int] = dict(
        db.session.execute(VERSIONS, {"gameweek": gameweek_id} | LIMITS).all()
    )
    for league_id, in_redis in ahead.items():
        if in_redis > now.get(league_id, in_redis):
            league_board(league_id, gameweek_id).drop()


def publish_all_boards() -> int:
    """As `publish_boards`, for every gameweek that has tables."""
    gameweeks = db.session.scalars(select(LeagueVersion.gameweek_id).distinct())
    return sum(publish_boards(gameweek_id) for gameweek_id in gameweeks.all())


def table_points(league_id: int, gameweek_id: int) -> dict[int, int]:
    """Load the points of every member of the league by id; 0 without a sheet or points."""
    members = dict.fromkeys(
        db.session.scalars(
            select(LeagueMember.member_id).where(LeagueMember.league_id == league_id)
        ),
        0,
    )
    points = {score.member_id: score.points for score in scores_of(league_id, gameweek_id)}
    return members | {member: points[member] for member in members.keys() & points.keys()}


def table_held(league_id: int, gameweek_id: int) -> dict[int, int]:
    """Load the held points (plays under review) of the league's members with any, by id."""
    scores = scores_of(league_id, gameweek_id)
    return {score.member_id: score.held for score in scores if score.held}

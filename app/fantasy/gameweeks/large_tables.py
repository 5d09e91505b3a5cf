"""Writes the tables of large leagues to Redis after each play of a gameweek under way.

The engine (engine/) adds up the owners of the footballers whom a play changed. Members'
totals are kept as arrays in files, and what changed is written to Redis, the top of the table
first. If files or Redis do not have the version before, the table is rebuilt from PostgreSQL.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from flask import current_app
from numpy.typing import NDArray
from sqlalchemy import TextClause, delete, select, text

from app.accounts.sanctions import SEEN_MEMBER
from app.core.db import db
from app.core.postgres.advisory_locks import Lock
from app.core.redis.clients import boards_redis
from app.core.restore_epoch import key_of
from app.fantasy.engine.footballers import SheetTerms, Touched, terms_of, totals_now
from app.fantasy.engine.mapped_sheets import MappedSheets, mapped_sheets
from app.fantasy.gameweeks.models import LiveGameweek
from app.fantasy.sheets.lineups import Numbers
from app.fantasy.standings import large_table, versions

CHUNK = 10_000  # members written in one command
TOP = 10_000  # if more members moved, this many are shown before the others are written
BOTH = (large_table.TOTALS, large_table.WEEK)


class _League(NamedTuple):
    """A large league.

    `tables`: the sum of its versions; it differs if anything but this gameweek's points has changed
    the table. `members`: how many are in it.
    """

    id: int
    season_id: int
    team_rules_id: int
    rules: str
    tables: int
    members: int


class _Totals(NamedTuple):
    """Members of a league by id, with their totals in thousandths.

    Attributes:
        members: Their ids.
        names: Their names in the sorted sets of Redis.
        other: Points of all other gameweeks.
        extra: Points of this gameweek that are not the sheet's: transfers and adjustments.
        week: Points of this gameweek.
    """

    members: NDArray[np.int64]
    names: NDArray[np.bytes_]
    other: Numbers
    extra: Numbers
    week: Numbers

    def points(self, by: str) -> Numbers:
        """What members are ordered by: TOTALS or WEEK."""
        return self.other + self.week if by == large_table.TOTALS else self.week


class _Moved(NamedTuple):
    """The members whose totals changed, by their place in _Totals, and by how much."""

    places: NDArray[np.intp]
    gains: Numbers


_OF_GAMEWEEK = f"""
    FROM leagues l JOIN gameweeks w ON w.season_id = l.season_id AND w.week >= l.first_week
    WHERE w.id = :gameweek AND {large_table.IS_LARGE} ORDER BY l.id
"""
_LEAGUES = text(f"""
    SELECT l.id, l.season_id, l.team_rules_id, l.rules,
      (SELECT coalesce(sum(v.version), 0) FROM league_versions v WHERE v.league_id = l.id),
      (SELECT count(*) FROM league_members m WHERE m.league_id = l.id
        AND {SEEN_MEMBER.format("m.member_id")})
    {_OF_GAMEWEEK}
""")  # noqa: S608 (made of our own words alone)
_LEAGUE_IDS = text(f"SELECT l.id {_OF_GAMEWEEK}")

# As text, because a million rows are too many Python objects.
_TOTALS_OF = text(f"""
    SELECT string_agg(m.member_id || ' ' || m.total_points, ' ' ORDER BY m.member_id)
    FROM league_members m
    WHERE m.league_id = :league AND {SEEN_MEMBER.format("m.member_id")}
""")  # noqa: S608 (as above)
_EXTRA = text(f"""
    SELECT string_agg((coalesce(a.points, 0) - coalesce(t.transfer_cost, 0))::text, ' '
      ORDER BY m.member_id)
    FROM league_members m
    LEFT JOIN team_sheets t ON (t.member_id, t.team_rules_id, t.gameweek_id) = (m.member_id,
      :team_rules, :gameweek)
    LEFT JOIN (SELECT member_id, sum(points) AS points FROM score_adjustments
      WHERE league_id = :league AND gameweek_id = :gameweek GROUP BY member_id) a
        ON a.member_id = m.member_id
    WHERE m.league_id = :league AND {SEEN_MEMBER.format("m.member_id")}
""")  # noqa: S608 (as above)
_OTHERS = text("""
    SELECT o.gameweek_id FROM live_gameweeks o JOIN gameweeks w ON w.id = o.gameweek_id
    WHERE w.season_id = :season AND o.gameweek_id <> :gameweek ORDER BY o.gameweek_id
""")
_RAISE = text("""
    INSERT INTO live_gameweeks AS d (gameweek_id, version, sheets_version, game_statuses)
    VALUES (:gameweek, 1, 1, :statuses)
    ON CONFLICT (gameweek_id) DO UPDATE SET version = d.version + 1,
      game_statuses = excluded.game_statuses,
      sheets_version = CASE WHEN :resets THEN d.version + 1 ELSE d.sheets_version END
    WHERE :moved OR d.game_statuses <> excluded.game_statuses
    RETURNING version
""")

_ALONE = text("SELECT pg_advisory_xact_lock(:lock, :gameweek)")
_SHOWN = text("UPDATE live_gameweeks SET shown_version = :version WHERE gameweek_id = :gameweek")


def raise_version(gameweek_id: int, touched: Touched, statuses: str) -> bool:
    """Give a gameweek under way its next version if anything changed. Only the caller commits.

    Args:
        gameweek_id: The gameweek.
        touched: The footballers who count otherwise than in the last version.
        statuses: The statuses of the gameweek's games.

    Returns:
        Whether there is a next version.
    """
    resets = any(footballers is None for footballers in touched.values())
    moved = resets or any(touched.values())
    values = {"gameweek": gameweek_id, "statuses": statuses, "resets": resets, "moved": moved}
    return db.session.execute(_RAISE, values).one_or_none() is not None


def end(gameweek_id: int) -> None:
    """End a gameweek under way, which is settled now. Only the caller commits."""
    db.session.execute(delete(LiveGameweek).where(LiveGameweek.gameweek_id == gameweek_id))


def show(gameweek_id: int, touched: Touched, now: datetime) -> list[int]:
    """Bring the large tables in Redis to the gameweek's version. Commits.

    If it is killed, the next call does what is missing. `touched`: who counts otherwise than in the
    version before; {} if that is not known.

    Returns:
        The leagues whose tables were written.
    """
    gameweek = _locked(gameweek_id)
    if gameweek is None or (
        gameweek.shown_version == gameweek.version and _are_all_in_redis(gameweek_id)
    ):
        db.session.commit()
        return []
    return _show_leagues(
        gameweek, lambda league: _show(_folder(), gameweek, league, touched, now), now
    )


def _show_leagues(
    gameweek: LiveGameweek, show_league: Callable[[_League], tuple[Path, int]], now: datetime
) -> list[int]:
    leagues = _leagues(gameweek.gameweek_id)
    states = [show_league(league) for league in leagues]
    versions.bump(
        gameweek.gameweek_id, [league.id for league in leagues], gameweek.game_statuses, now
    )
    db.session.execute(_SHOWN, {"version": gameweek.version, "gameweek": gameweek.gameweek_id})
    db.session.commit()
    for (state, tables), league in zip(states, leagues, strict=True):
        state.write_text(json.dumps([gameweek.version, tables, league.members]))
    return [league.id for league in leagues]


def show_all(now: datetime) -> int:
    """As `show`, for every gameweek under way, after Redis was lost.

    Returns:
        How many tables were written.
    """
    return sum(len(show(gameweek_id, {}, now)) for gameweek_id in _under_way())


@dataclass(frozen=True)
class Written:
    """What was written of a league: its members by id, with their points in thousandths.

    `by`: TOTALS or WEEK.
    """

    league_id: int
    by: str
    members: NDArray[np.int64]
    points: Numbers


def rebuild_all(now: datetime, check: Callable[[Written], None]) -> int:
    """Rebuild the tables of every gameweek under way from PostgreSQL. Commits.

    `check` gets each table while nobody else writes tables of the gameweek.

    Returns:
        How many tables were rebuilt.
    """
    tables = 0
    for gameweek_id in _under_way():
        gameweek = _locked(gameweek_id)
        if gameweek is not None:
            tables += len(_show_leagues(gameweek, partial(_rebuild, gameweek, check, now), now))
        db.session.commit()
    return tables


def _rebuild(
    gameweek: LiveGameweek, check: Callable[[Written], None], now: datetime, league: _League
) -> tuple[Path, int]:
    files = _files(_folder(), gameweek, league)
    shutil.rmtree(files, ignore_errors=True)
    state = _show(_folder(), gameweek, league, {}, now)
    totals = _load(files, "r")
    for by in BOTH:
        check(Written(league.id, by, totals.members, totals.points(by)))
    return state


def _under_way() -> Sequence[int]:
    return db.session.scalars(
        select(LiveGameweek.gameweek_id).order_by(LiveGameweek.gameweek_id)
    ).all()


def _locked(gameweek_id: int) -> LiveGameweek | None:
    """Load the gameweek, and let nobody else write its tables until the transaction ends.

    None if it is not under way (any more).
    """
    db.session.execute(_ALONE, {"lock": Lock.LARGE_TABLES, "gameweek": gameweek_id})
    return db.session.scalar(
        select(LiveGameweek).where(LiveGameweek.gameweek_id == gameweek_id),
        execution_options={"populate_existing": True},
    )


def _files(folder: Path, gameweek: LiveGameweek, league: _League) -> Path:
    return folder / f"totals-{gameweek.gameweek_id}-{league.id}"


def _folder() -> Path:
    var: Path = current_app.config["PRESSBOX"].var
    return var / key_of("live")


def _leagues(gameweek_id: int) -> list[_League]:
    return [
        _League(*row)
        for row in db.session.execute(_LEAGUES, {"gameweek": gameweek_id} | large_table.LIMIT)
    ]


def _league_ids(gameweek_id: int) -> list[int]:
    return list(db.session.scalars(_LEAGUE_IDS, {"gameweek": gameweek_id} | large_table.LIMIT))


def _are_all_in_redis(gameweek_id: int) -> bool:
    return all(
        large_table.large_table(league_id) is not None for league_id in _league_ids(gameweek_id)
    )


def _show(
    folder: Path, gameweek: LiveGameweek, league: _League, touched: Touched, now: datetime
) -> tuple[Path, int]:
    """Write one league's table to Redis.

    Returns:
        The file that has to state the versions of the totals, and the league's next sum of
        versions.
    """
    terms = terms_of(gameweek.gameweek_id, league.team_rules_id, league.rules)
    sheets = _sheets(folder, gameweek, terms)
    files = _files(folder, gameweek, league)
    state = files / "state.json"
    players = touched.get((terms.counts_moved, terms.rules))
    before = [gameweek.version - 1, league.tables, league.members]
    if (
        players is not None
        and state.exists()
        and json.loads(state.read_text()) == before
        and _is_in_redis(league)
    ):
        is_rebuilt, rows = False, sheets.ownership.rows_with(players)
        totals = _load(files, "r+")
    else:
        is_rebuilt, rows = True, np.arange(len(sheets.members))
        totals = _base(folder, gameweek.gameweek_id, league)
    state.unlink(missing_ok=True)  # the totals have no version until all is done
    points = totals_now(sheets.ownership.select(rows), terms).points
    moved = _add(totals, sheets, rows, points)
    if not is_rebuilt:  # the mapped files have changed with the arrays
        return state, _write_moved(gameweek, league, totals, moved, now)
    _write_all(league, totals)
    files.mkdir(parents=True, exist_ok=True)
    for name, numbers in totals._asdict().items():
        np.save(files / f"{name}.npy", numbers)
    return state, league.tables + 1


def _load(files: Path, mode: Literal["r", "r+"]) -> _Totals:
    return _Totals(*(np.load(files / f"{name}.npy", mmap_mode=mode) for name in _Totals._fields))


def _is_in_redis(league: _League) -> bool:
    version: Any = boards_redis().get(large_table.shown_key(league.id))
    return version is not None and int(version) == league.tables


def _sheets(folder: Path, gameweek: LiveGameweek, terms: SheetTerms) -> MappedSheets:
    """The gameweek's sheets; anew for each version if they may change until each game begins."""
    is_locked = terms.changeable_from is None
    version = gameweek.sheets_version if is_locked else gameweek.version
    return mapped_sheets(folder, terms, version)


def _base(folder: Path, gameweek_id: int, league: _League) -> _Totals:
    rows = _numbers(_TOTALS_OF, {"league": league.id}).reshape(-1, 2)
    members, other = rows.T.copy()
    names = np.array([large_table.name(member) for member in members.tolist()], np.bytes_)
    extra = _extra(gameweek_id, league)
    totals = _Totals(members, names, other, extra, extra.copy())
    values = {"season": league.season_id, "gameweek": gameweek_id}
    for other_id in db.session.scalars(_OTHERS, values).all():
        other += _week(folder, other_id, league, totals)
    return totals


def _week(folder: Path, gameweek_id: int, league: _League, totals: _Totals) -> Numbers:
    """Points of another gameweek under way, in the order of the totals."""
    gameweek = db.session.get_one(LiveGameweek, gameweek_id)
    terms = terms_of(gameweek_id, league.team_rules_id, league.rules)
    sheets = _sheets(folder, gameweek, terms)
    extra = _extra(gameweek_id, league)
    week = totals._replace(extra=extra, week=extra.copy())
    _add(week, sheets, np.arange(len(sheets.members)), totals_now(sheets.ownership, terms).points)
    return week.week


def _extra(gameweek_id: int, league: _League) -> Numbers:
    values = {"league": league.id, "gameweek": gameweek_id, "team_rules": league.team_rules_id}
    return _numbers(_EXTRA, values)


def _numbers(statement: TextClause, values: Mapping[str, object]) -> Numbers:
    return np.array((db.session.scalar(statement, values) or "").split(), np.int64)


def _add(totals: _Totals, sheets: MappedSheets, rows: NDArray[np.intp], points: Numbers) -> _Moved:
    """Put the points of these sheets into their members' totals."""
    owners = sheets.members[rows]
    places = np.searchsorted(totals.members, owners)
    is_member = places < len(totals.members)
    is_member[is_member] = totals.members[places[is_member]] == owners[is_member]
    places = places[is_member]
    week = totals.extra[places] + points[is_member]
    gains = week - totals.week[places]
    totals.week[places] = week
    has_moved = gains != 0
    return _Moved(places[has_moved], gains[has_moved])


def _write_all(league: _League, totals: _Totals) -> None:
    """Write everybody beside the old tables, and then replace these."""
    for by in BOTH:
        points, key = totals.points(by), large_table.order_key(league.id, by)
        boards_redis().delete(f"{key}:new")
        _write(f"{key}:new", totals, points, np.argsort(-points, kind="stable"))
        if len(points):
            boards_redis().rename(f"{key}:new", key)
        _write_distinct(large_table.distinct_key(league.id, by), np.unique(points).tolist())
    boards_redis().set(large_table.shown_key(league.id), league.tables + 1)


def _write_moved(
    gameweek: LiveGameweek,
    league: _League,
    totals: _Totals,
    moved: _Moved,
    now: datetime,
) -> int:
    """Write the members who moved, those with the most points before or now first.

    So members who fall from the top leave it together with those who come. The first TOP are shown
    at once, under a version of their own that is committed in another transaction, because ours
    still locks the tables.

    Returns:
        The league's next sum of versions.
    """
    tables = league.tables + 1
    places, losses = moved.places, np.minimum(moved.gains, 0)
    points = {by: totals.points(by) for by in BOTH}
    order = {by: places[np.argsort(-(points[by][places] - losses), kind="stable")] for by in BOTH}
    for by in BOTH:
        _write(large_table.order_key(league.id, by), totals, points[by], order[by][:TOP])
        _write_distinct(large_table.distinct_key(league.id, by), np.unique(points[by]).tolist())
    boards_redis().set(large_table.shown_key(league.id), tables)
    if len(places) <= TOP:
        return tables
    with db.engine.begin() as beside:
        versions.bump(
            gameweek.gameweek_id, [league.id], gameweek.game_statuses, now, through=beside
        )
    for by in BOTH:
        _write(large_table.order_key(league.id, by), totals, points[by], order[by][TOP:])
    boards_redis().set(large_table.shown_key(league.id), tables + 1)
    return tables + 1


def _write(key: str, totals: _Totals, points: Numbers, places: NDArray[np.intp]) -> None:
    """Write these members' points in this order."""
    for begin in range(0, len(places), CHUNK):
        part = places[begin : begin + CHUNK]
        boards_redis().zadd(
            key, dict(zip(totals.names[part].tolist(), (-points[part]).tolist(), strict=True))
        )


def _write_distinct(key: str, points: Sequence[int]) -> None:
    pipeline = boards_redis().pipeline()
    pipeline.delete(key)
    for begin in range(0, len(points), CHUNK):
        pipeline.zadd(key, {str(score): -score for score in points[begin : begin + CHUNK]})
    pipeline.execute()


def forget(gameweek_id: int) -> None:
    """Delete the gameweek's files and tables after the settlement, when PostgreSQL has them again.

    Nothing reads what is left if this is killed, or what another host has in its files.
    """
    for files in (
        *_folder().glob(f"sheets-{gameweek_id}-*"),
        *_folder().glob(f"totals-{gameweek_id}-*"),
    ):
        shutil.rmtree(files)
    for folder in _folder().parent.glob("live*"):
        if folder != _folder():  # from before a restore
            shutil.rmtree(folder)
    for league_id in _league_ids(gameweek_id):
        keys = [
            key(league_id, by)
            for by in BOTH
            for key in (large_table.order_key, large_table.distinct_key)
        ]
        boards_redis().delete(large_table.shown_key(league_id), *keys)

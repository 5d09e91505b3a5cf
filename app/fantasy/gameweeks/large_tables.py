"""Shows the season's tables of large leagues in Redis after each play of a deferred gameweek
(decision 54).

Members' totals lie as arrays in files; a play changes those of the owners of a few footballers, who
are added up again and written, the top of the table first. Everything is made anew from PostgreSQL
where files or Redis have not the version before.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from flask import current_app
from numpy.typing import NDArray
from sqlalchemy import select, text

from app.accounts.sanctions import SEEN_MEMBER
from app.core.db import db
from app.core.postgres.advisory_locks import Lock
from app.core.redis.clients import boards_redis
from app.core.restore_epoch import key_of
from app.fantasy.gameweeks.models import DeferredGameweek
from app.fantasy.scoring.engine.footballers import Touched, terms_of, totals_now
from app.fantasy.scoring.engine.mapped_sheets import MappedSheets, mapped_sheets
from app.fantasy.sheets.lineups import Numbers
from app.fantasy.standings import large_table, versions

CHUNK = 10_000  # members written in one command
TOP = 10_000  # of more who moved, so many are shown before the others are written
BOTH = (large_table.TOTALS, large_table.WEEK)


class _League(NamedTuple):
    """`tables`: the sum of its versions, which is another when anything but this gameweek's points
    changed its table; `members`: how many are in it.
    """

    id: int
    season_id: int
    team_rules_id: int
    rules: str
    tables: int
    members: int


@dataclass(frozen=True)
class _Totals:
    """The members of a league by id, and as entries of Redis.

    Points in thousandths: `other`: of all other gameweeks; `extra`: of this one what is not the
    sheet's own (transfers, adjustments); `week`: of this one.
    """

    members: NDArray[np.int64]
    names: NDArray[np.bytes_]
    other: Numbers
    extra: Numbers
    week: Numbers

    def points(self, by: str) -> Numbers:
        return self.other + self.week if by == large_table.TOTALS else self.week


ARRAYS = ("members", "names", "other", "extra", "week")


_LEAGUES = text(f"""
    SELECT l.id, l.season_id, l.team_rules_id, l.rules,
      (SELECT coalesce(sum(v.version), 0) FROM league_versions v WHERE v.league_id = l.id),
      (SELECT count(*) FROM league_members m WHERE m.league_id = l.id
        AND {SEEN_MEMBER.format("m.member_id")})
    FROM leagues l JOIN gameweeks w ON w.season_id = l.season_id AND w.week >= l.first_week
    WHERE w.id = :gameweek AND {large_table.IS_LARGE} ORDER BY l.id
""")  # noqa: S608 (made of our own words alone)
_NAMED = text(f"""
    SELECT l.id FROM leagues l JOIN gameweeks w ON w.season_id = l.season_id
      AND w.week >= l.first_week
    WHERE w.id = :gameweek AND {large_table.IS_LARGE} ORDER BY l.id
""")  # noqa: S608 (as above)

# As text: a million rows are not objects of Python. The total has this gameweek's score in it, as
# it was written last.
_BASE = text(f"""
    SELECT string_agg(m.member_id || ' ' || m.total_points - coalesce(s.points, 0) || ' '
      || coalesce(a.points, 0) - coalesce(t.transfer_cost, 0), ' ' ORDER BY m.member_id)
    FROM league_members m
    LEFT JOIN league_scores s ON (s.league_id, s.member_id, s.gameweek_id) = (m.league_id,
      m.member_id, :gameweek)
    LEFT JOIN team_sheets t ON (t.member_id, t.team_rules_id, t.gameweek_id) = (m.member_id,
      :team_rules, :gameweek)
    LEFT JOIN (SELECT member_id, sum(points) AS points FROM score_adjustments
      WHERE league_id = :league AND gameweek_id = :gameweek GROUP BY member_id) a
        ON a.member_id = m.member_id
    WHERE m.league_id = :league AND {SEEN_MEMBER.format("m.member_id")}
""")  # noqa: S608 (as above)

_ALONE = text("SELECT pg_advisory_xact_lock(:lock, :gameweek)")
_SHOWN = text(
    "UPDATE deferred_gameweeks SET shown_version = :version WHERE gameweek_id = :gameweek"
)


def show(gameweek_id: int, touched: Touched, now: datetime) -> list[int]:
    """Brings the large tables in Redis to the gameweek's version; returns their leagues. Commits.

    `touched`: who counts otherwise than in the version before; {} where that is not known. Killed
    anywhere, the next one does what is missing.
    """
    gameweek = _locked(gameweek_id)
    if gameweek is None or (gameweek.shown_version == gameweek.version and _all_held(gameweek_id)):
        db.session.commit()
        return []
    return _show_leagues(
        gameweek, lambda league: _show(_folder(), gameweek, league, touched, now), now
    )


def _show_leagues(
    gameweek: DeferredGameweek, show_one: Callable[[_League], tuple[Path, int]], now: datetime
) -> list[int]:
    leagues = _leagues(gameweek.gameweek_id)
    shown = [show_one(league) for league in leagues]
    versions.bump(
        gameweek.gameweek_id, [league.id for league in leagues], gameweek.game_statuses, now
    )
    db.session.execute(_SHOWN, {"version": gameweek.version, "gameweek": gameweek.gameweek_id})
    db.session.commit()
    for (state, tables), league in zip(shown, leagues, strict=True):
        state.write_text(json.dumps([gameweek.version, tables, league.members]))
    return [league.id for league in leagues]


def show_all(now: datetime) -> int:
    """As show, of every deferred gameweek: the way back after Redis was lost.

    Returns how many tables were written.
    """
    return sum(len(show(gameweek_id, {}, now)) for gameweek_id in _deferred())


@dataclass(frozen=True)
class Written:
    """What was written of a league: the points (thousandths) of its members, by id.

    `by`: TOTALS or WEEK.
    """

    league_id: int
    by: str
    members: NDArray[np.int64]
    points: Numbers


def rebuild_all(now: datetime, check: Callable[[Written], None]) -> int:
    """Makes the tables of every deferred gameweek anew from PostgreSQL, whatever Redis and the
    files hold; how many.

    `check` gets each while nobody else writes tables of the gameweek. Commits.
    """
    tables = 0
    for gameweek_id in _deferred():
        gameweek = _locked(gameweek_id)
        if gameweek is not None:
            tables += len(_show_leagues(gameweek, partial(_rebuild, gameweek, check, now), now))
        db.session.commit()
    return tables


def _rebuild(
    gameweek: DeferredGameweek, check: Callable[[Written], None], now: datetime, league: _League
) -> tuple[Path, int]:
    files = _files(_folder(), gameweek, league)
    shutil.rmtree(files, ignore_errors=True)
    shown = _show(_folder(), gameweek, league, {}, now)
    known = _Totals(*(np.load(files / f"{one}.npy", mmap_mode="r") for one in ARRAYS))
    for by in BOTH:
        check(Written(league.id, by, known.members, known.points(by)))
    return shown


def _deferred() -> Sequence[int]:
    return db.session.scalars(
        select(DeferredGameweek.gameweek_id).order_by(DeferredGameweek.gameweek_id)
    ).all()


def _locked(gameweek_id: int) -> DeferredGameweek | None:
    """Until the transaction ends nobody else writes its tables.

    None for one that is not deferred (any more).
    """
    db.session.execute(_ALONE, {"lock": Lock.LARGE_TABLES, "gameweek": gameweek_id})
    return db.session.scalar(
        select(DeferredGameweek).where(DeferredGameweek.gameweek_id == gameweek_id),
        execution_options={"populate_existing": True},
    )


def _files(folder: Path, gameweek: DeferredGameweek, league: _League) -> Path:
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
    return list(db.session.scalars(_NAMED, {"gameweek": gameweek_id, **large_table.LIMIT}))


def _all_held(gameweek_id: int) -> bool:
    return all(
        large_table.large_table(league_id) is not None for league_id in _league_ids(gameweek_id)
    )


def _show(
    folder: Path, gameweek: DeferredGameweek, league: _League, touched: Touched, now: datetime
) -> tuple[Path, int]:
    """Writes one league's table to Redis.

    The file that is to say which versions its totals are of, and the sum of the league's versions
    that is to be.
    """
    terms = terms_of(gameweek.gameweek_id, league.team_rules_id, league.rules)
    sheets = mapped_sheets(folder, terms, gameweek.sheets_version)
    files = _files(folder, gameweek, league)
    state = files / "state.json"
    players = touched.get((terms.counts_moved, terms.rules))
    before = [gameweek.version - 1, league.tables, league.members]
    if (
        players is not None
        and state.exists()
        and json.loads(state.read_text()) == before
        and _is_held(league)
    ):
        anew, rows = False, sheets.ownership.rows_with(players)
        known = _Totals(*(np.load(files / f"{one}.npy", mmap_mode="r+") for one in ARRAYS))
    else:
        anew, rows = True, np.arange(len(sheets.members))
        known = _base(gameweek.gameweek_id, league)
    state.unlink(missing_ok=True)  # until all is done, no file says so
    points = totals_now(sheets.ownership.select(rows), terms).points
    moved, gained = _add(known, sheets, rows, points)
    if not anew:  # changed in the mapped files
        return state, _write_moved(gameweek, league, known, moved, gained, now)
    _write_anew(league, known)
    files.mkdir(parents=True, exist_ok=True)
    for name in ARRAYS:
        np.save(files / f"{name}.npy", getattr(known, name))
    return state, league.tables + 1


def _is_held(league: _League) -> bool:
    shown: Any = boards_redis().get(large_table.shown_key(league.id))
    return shown is not None and int(shown) == league.tables


def _base(gameweek_id: int, league: _League) -> _Totals:
    values = {"gameweek": gameweek_id, "league": league.id, "team_rules": league.team_rules_id}
    found = np.array((db.session.scalar(_BASE, values) or "").split(), np.int64).reshape(-1, 3)
    members, other, extra = found.T.copy()
    names = np.array([large_table.name(member) for member in members.tolist()], np.bytes_)
    return _Totals(members, names, other, extra, extra.copy())


def _add(
    known: _Totals, sheets: MappedSheets, rows: NDArray[np.intp], points: Numbers
) -> tuple[NDArray[np.intp], Numbers]:
    """Adds the points of these sheets to their members.

    Whose total changed, by their place in `known`, and by how much.
    """
    owners = sheets.members[rows]
    at = np.searchsorted(known.members, owners)
    is_in = at < len(known.members)
    is_in[is_in] = known.members[at[is_in]] == owners[is_in]
    at, week = at[is_in], known.extra[at[is_in]] + points[is_in]
    gained = week - known.week[at]
    known.week[at] = week
    has_moved = gained != 0
    return at[has_moved], gained[has_moved]


def _write_anew(league: _League, known: _Totals) -> None:
    """Writes everybody beside the old tables, which they then replace."""
    for by in BOTH:
        points, key = known.points(by), large_table.order_key(league.id, by)
        boards_redis().delete(f"{key}:new")
        _write(f"{key}:new", known, points, np.argsort(-points, kind="stable"))
        if len(points):
            boards_redis().rename(f"{key}:new", key)
        _write_distinct(large_table.distinct_key(league.id, by), np.unique(points).tolist())
    boards_redis().set(large_table.shown_key(league.id), league.tables + 1)


def _write_moved(
    gameweek: DeferredGameweek,
    league: _League,
    known: _Totals,
    moved: NDArray[np.intp],
    gained: Numbers,
    now: datetime,
) -> int:
    """Writes who moved, the most points first, before or now: who falls from the top leaves it with
    those who come.

    The first TOP are shown at once, under a version of their own that is committed beside our
    transaction, which keeps the tables to itself. Returns the sum of the league's versions that is
    to be.
    """
    tables = league.tables + 1
    points = {by: known.points(by) for by in BOTH}
    order = {
        by: moved[np.argsort(-(points[by][moved] - np.minimum(gained, 0)), kind="stable")]
        for by in BOTH
    }
    for by in BOTH:
        _write(large_table.order_key(league.id, by), known, points[by], order[by][:TOP])
        _write_distinct(large_table.distinct_key(league.id, by), np.unique(points[by]).tolist())
    boards_redis().set(large_table.shown_key(league.id), tables)
    if len(moved) <= TOP:
        return tables
    with db.engine.begin() as beside:
        versions.bump(
            gameweek.gameweek_id, [league.id], gameweek.game_statuses, now, through=beside
        )
    for by in BOTH:
        _write(large_table.order_key(league.id, by), known, points[by], order[by][TOP:])
    boards_redis().set(large_table.shown_key(league.id), tables + 1)
    return tables + 1


def _write(key: str, known: _Totals, points: Numbers, places: NDArray[np.intp]) -> None:
    """Writes these members' points in this order."""
    for begin in range(0, len(places), CHUNK):
        part = places[begin : begin + CHUNK]
        boards_redis().zadd(
            key, dict(zip(known.names[part].tolist(), (-points[part]).tolist(), strict=True))
        )


def _write_distinct(key: str, points: Sequence[int]) -> None:
    pipeline = boards_redis().pipeline()
    pipeline.delete(key)
    for begin in range(0, len(points), CHUNK):
        pipeline.zadd(key, {str(one): -one for one in points[begin : begin + CHUNK]})
    pipeline.execute()


def forget(gameweek_id: int) -> None:
    """After the settlement: the tables are PostgreSQL's again.

    Nothing reads what a kill leaves here, or what another host has in its files.
    """
    for files in (
        *_folder().glob(f"sheets-{gameweek_id}-*"),
        *_folder().glob(f"totals-{gameweek_id}-*"),
    ):
        shutil.rmtree(files)
    for folder in _folder().parent.glob("live*"):
        if folder != _folder():  # of a timeline that a restore ended
            shutil.rmtree(folder)
    for league_id in _league_ids(gameweek_id):
        keys = [
            one(league_id, by)
            for by in BOTH
            for one in (large_table.order_key, large_table.distinct_key)
        ]
        boards_redis().delete(large_table.shown_key(league_id), *keys)

"""Boards and league tables in Redis, as stores to compare with PostgreSQL (comparison.py)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from sqlalchemy import Row, Select, Text, func, select, text
from sqlalchemy import cast as as_type

from app.boards.catalogue import queries as catalogue
from app.boards.layouts.board import Board, held_versions, open_board
from app.boards.layouts.moving import BoardMoveError, alone
from app.boards.layouts.parts import chunks
from app.boards.models import BoardCount, BoardRecord, BoardScore, Mode, ScoreGame
from app.boards.rules import Held
from app.boards.spec import BoardSpec
from app.core.db import db
from app.core.redis.clients import boards_redis
from app.fantasy.gameweeks.large_tables import Written
from app.fantasy.standings.boards import LIMITS, VERSIONS, league_board
from app.fantasy.standings.large_table import name, order_key
from app.fantasy.standings.live_scores import SCORES, live_scores, live_values
from app.fantasy.standings.models import LeagueVersion
from app.ops.comparison import Rows, shown

CHUNK = 5_000  # rows that are compared at once


class BoardStore:
    """A board of scores by player.

    The final comparison locks out writers of its mode.
    """

    size = 1

    def __init__(self, board_id: int, name: str) -> None:
        self.name = f"Board {name}"
        self._id = board_id
        self._board: Board | None = None
        row = db.session.execute(
            select(BoardRecord, Mode, ScoreGame)
            .join(Mode, Mode.id == BoardRecord.mode_id)
            .join(ScoreGame, ScoreGame.id == Mode.game_id)
            .where(BoardRecord.id == board_id)
            .execution_options(populate_existing=True)
        ).one_or_none()
        if row is not None:
            self._open(*row)
        db.session.rollback()

    def _open(self, record: BoardRecord, mode: Mode, game: ScoreGame) -> None:
        is_read = record.archived_at is None and record.stale_since is None
        self._board = open_board(catalogue.spec_of(game, mode, record)) if is_read else None

    def chunks(self) -> Iterator[Rows]:
        """Yield the rows of PostgreSQL, chunk by chunk."""
        if self._board is None:
            return
        try:
            result = db.session.execute(self._query(), execution_options={"yield_per": CHUNK})
            for rows in result.partitions():
                yield self._values(self._board.spec, rows)
        finally:
            db.session.rollback()

    def expected(self, keys: Sequence[str]) -> Rows:
        """Return what PostgreSQL holds for these keys."""
        players = [UUID(key) for key in keys]
        if self._board is None:
            return {}
        rows = db.session.execute(self._query().where(BoardScore.player_id.in_(players)))
        return self._values(self._board.spec, rows)

    def _query(self) -> Select[str, int, int]:
        columns = (as_type(BoardScore.player_id, Text), BoardScore.score, BoardScore.at)
        return select(*columns).where(BoardScore.board_id == self._id)

    def _values(self, spec: BoardSpec, rows: Iterable[Row[str, int, int]]) -> dict[str, object]:
        return {player: spec.budget.encode(Held(score, at)) for player, score, at in rows}

    def held(self, keys: Sequence[str]) -> Rows:
        """Return what the store holds for these keys."""
        if self._board is None or not keys:
            return {}
        return self._board.written_values(keys)

    def shown(self, value: Any) -> str:
        """Format the value."""
        if value is None or self._board is None:
            return "nothing"
        return _shown(self._board.spec, value)

    def counts(self) -> tuple[int, int]:
        """Count the rows in PostgreSQL and in the store."""
        if self._board is None:
            return 0, 0
        players = select(func.coalesce(func.sum(BoardCount.players), 0)).where(
            BoardCount.board_id == self._id
        )
        return int(db.session.scalar(players) or 0), self._board.size()

    def strangers(self, most: int) -> list[str]:
        """Return keys of the store that PostgreSQL does not know."""
        unknown: list[str] = []
        for players in chunks(self._members(), CHUNK):
            ids = [UUID(player) for player in players]
            query = select(as_type(BoardScore.player_id, Text))
            known = set(
                db.session.scalars(
                    query.where(BoardScore.board_id == self._id, BoardScore.player_id.in_(ids))
                )
            )
            unknown += [player for player in players if player not in known]
            if len(unknown) >= most:
                break
        return unknown[:most]

    def _members(self) -> Iterator[str]:
        if self._board is None:
            return
        tied, client = self._board.spec.budget.tied, boards_redis()
        for part in self._board.homes:
            entries = client.hscan_iter(part.ties) if tied else client.zscan_iter(part.ranking)
            for member, _ in entries:
                yield member.decode()

    @contextmanager
    def at_rest(self) -> Iterator[bool]:
        """Keep writers out, if the store can."""
        try:
            with alone(self._id) as (record, mode):
                self._open(record, mode, catalogue.game_of(mode))
                yield self._board is not None
        except BoardMoveError:  # it was deleted meanwhile
            yield False


def _shown(spec: BoardSpec, stored: int) -> str:
    """Format what a board holds of a player."""
    key = spec.budget.score(stored)
    subscore = spec.order.subscore_of(key)
    parts = [str(spec.order.score_of(key)), "" if subscore is None else f"/{subscore}"]
    if spec.budget.tied:
        parts.append(f" at {int(spec.budget.tie(stored), 16)}")
    return "".join(parts)


class LargeTableStore:
    """One order of a large league's members, just after it was written by the only writer."""

    size = 1

    def __init__(self, written: Written) -> None:
        self.name = f"League {written.league_id}, {written.by}"
        self._written = written
        self._key = order_key(written.league_id, written.by)

    def chunks(self) -> Iterator[Rows]:
        """Yield the rows of PostgreSQL, chunk by chunk."""
        for begin in range(0, len(self._written.members), CHUNK):
            part = slice(begin, begin + CHUNK)
            yield dict(
                zip(
                    self._written.members[part].tolist(),
                    self._written.points[part].tolist(),
                    strict=True,
                )
            )

    def expected(self, keys: Sequence[int]) -> Rows:
        """Return what PostgreSQL holds for these keys."""
        places = np.searchsorted(self._written.members, np.array(keys, np.int64)).tolist()
        places_of_keys = [
            (key, place) for key, place in zip(keys, places, strict=True) if self._has(key, place)
        ]
        return {key: int(self._written.points[place]) for key, place in places_of_keys}

    def _has(self, member_id: int, place: int) -> bool:
        return place < len(self._written.members) and int(self._written.members[place]) == member_id

    def held(self, keys: Sequence[int]) -> Rows:
        """Return what the store holds for these keys."""
        if not keys:
            return {}
        scores: Any = boards_redis().zmscore(self._key, [name(member_id) for member_id in keys])
        return {
            key: -int(score) for key, score in zip(keys, scores, strict=True) if score is not None
        }

    def counts(self) -> tuple[int, int]:
        """Count the rows in PostgreSQL and in the store."""
        return len(self._written.members), int(boards_redis().zcard(self._key))

    def strangers(self, most: int) -> list[int]:
        """Return keys of the store that PostgreSQL does not know."""
        unknown: list[int] = []
        for entries in chunks(boards_redis().zscan_iter(self._key), CHUNK):
            members = [int(member) for member, _ in entries]
            known = self.expected(members)
            unknown += [member for member in members if member not in known]
            if len(unknown) >= most:
                break
        return unknown[:most]

    def shown(self, value: Any) -> str:
        """Format the value."""
        return shown(value)

    def at_rest(self) -> nullcontext[bool]:
        """Keep writers out, if the store can."""
        return nullcontext(True)


class TableRow(NamedTuple):
    """A member of a league's table, or its version (member 0)."""

    league_id: int
    member_id: int

    def __str__(self) -> str:
        return (
            f"league {self.league_id}, "
            f"{f'member {self.member_id}' if self.member_id else 'version'}"
        )


_MEMBERS = f"""
    FROM ({VERSIONS.text}) v JOIN league_members m ON m.league_id = v.league_id
    LEFT JOIN {SCORES} s ON (s.league_id, s.member_id, s.gameweek_id) = (m.league_id,
      m.member_id, :gameweek)
"""
_NEXT = text(f"""
    SELECT m.league_id, m.member_id, coalesce(s.points, 0) {_MEMBERS}
    WHERE (m.league_id, m.member_id) > (:league, :member) ORDER BY 1, 2 LIMIT :chunk
""")
_THESE = text(f"""
    SELECT m.league_id, m.member_id, coalesce(s.points, 0) {_MEMBERS}
    JOIN unnest(CAST(:leagues AS bigint[]), CAST(:members AS bigint[])) AS asked (league_id,
      member_id)
      ON (asked.league_id, asked.member_id) = (m.league_id, m.member_id)
""")
_COUNTS = text(f"SELECT m.league_id, count(*) {_MEMBERS} GROUP BY 1")


class LeagueTables:
    """The tables of a gameweek's leagues: points (thousandths) by member, and each version."""

    def __init__(self, gameweek_id: int) -> None:
        self.name = f"Tables of week {gameweek_id}"
        self._gameweek = gameweek_id
        self._values: dict[str, Any] = {"gameweek": gameweek_id, **LIMITS}
        self._leagues = sorted(self._versions())
        self.size = len(self._leagues)
        db.session.rollback()

    def drop(self, row: TableRow) -> None:
        """Delete the table of this row from Redis, so that it is published again."""
        self._board(row.league_id).drop()

    def _live_values(self) -> dict[str, Any]:
        live = live_scores(self._leagues, gameweek_id=self._gameweek)
        return self._values | live_values(live)

    def _versions(self) -> dict[int, int]:
        return dict(db.session.execute(VERSIONS, self._values).all())

    def chunks(self) -> Iterator[Rows]:
        """Yield the rows of PostgreSQL, chunk by chunk."""
        last = TableRow(0, 0)
        while True:
            after = {"league": last.league_id, "member": last.member_id, "chunk": CHUNK}
            rows = db.session.execute(_NEXT, self._live_values() | after).all()
            db.session.rollback()
            if not rows:
                break
            yield {TableRow(league, member): points for league, member, points in rows}
            last = TableRow(rows[-1][0], rows[-1][1])
        for leagues in chunks(self._leagues, CHUNK):
            yield self.expected([TableRow(league, 0) for league in leagues])

    def expected(self, keys: Sequence[TableRow]) -> Rows:
        """Return what PostgreSQL holds for these keys."""
        members = [key for key in keys if key.member_id]
        asked = {
            "leagues": [key.league_id for key in members],
            "members": [key.member_id for key in members],
        }
        rows: dict[Any, object] = {}
        if members:
            for league, member, points in db.session.execute(_THESE, self._live_values() | asked):
                rows[TableRow(league, member)] = points
        leagues = {key.league_id for key in keys if not key.member_id}
        if leagues:
            rows |= {
                TableRow(league, 0): version
                for league, version in self._versions().items()
                if league in leagues
            }
        db.session.rollback()
        return rows

    def held(self, keys: Sequence[TableRow]) -> Rows:
        """Return what the store holds for these keys."""
        by_league: dict[int, list[str]] = {}
        for key in keys:
            if key.member_id:
                by_league.setdefault(key.league_id, []).append(str(key.member_id))
        rows: dict[Any, object] = {}
        for league, points in zip(by_league, self._points(by_league), strict=True):
            rows |= {TableRow(league, int(member)): value for member, value in points.items()}
        leagues = [key.league_id for key in keys if not key.member_id]
        versions = held_versions([self._board(league) for league in leagues]) if leagues else []
        return rows | {
            TableRow(league, 0): version
            for league, version in zip(leagues, versions, strict=True)
            if version is not None
        }

    def _points(self, by_league: Mapping[int, Collection[str]]) -> list[dict[str, int]]:
        """Load the points of these members from each league's table, in one round trip."""
        pipeline = boards_redis().pipeline(transaction=False)
        for league, members in by_league.items():
            pipeline.zmscore(self._board(league).parts[0].ranking, list(members))
        scored = [
            zip(*pair, strict=True)
            for pair in zip(by_league.values(), pipeline.execute(), strict=True)
        ]
        return [
            {member: -int(value) for member, value in pairs if value is not None}
            for pairs in scored
        ]

    def _board(self, league_id: int) -> Board:
        return league_board(league_id, self._gameweek)

    def counts(self) -> tuple[int, int]:
        """Count the rows in PostgreSQL and in the store."""
        rows, stored = self._sizes()
        return sum(rows.values()), sum(stored.values())

    def _sizes(self) -> tuple[dict[int, int], dict[int, int]]:
        rows: dict[int, int] = dict(db.session.execute(_COUNTS, self._live_values()).all())
        db.session.rollback()
        stored: dict[int, int] = {}
        for leagues in chunks(rows, CHUNK):
            pipeline = boards_redis().pipeline(transaction=False)
            for league in leagues:
                pipeline.zcard(self._board(league).parts[0].ranking)
            stored |= dict(zip(leagues, pipeline.execute(), strict=True))
        return rows, stored

    def strangers(self, most: int) -> list[TableRow]:
        """Return keys of the store that PostgreSQL does not know."""
        rows, stored = self._sizes()
        unknown: list[TableRow] = []
        for league in (league for league, count in stored.items() if count > rows[league]):
            ranking = self._board(league).parts[0].ranking
            for entries in chunks(boards_redis().zscan_iter(ranking), CHUNK):
                keys = [TableRow(league, int(member)) for member, _ in entries]
                known = self.expected(keys)
                unknown += [key for key in keys if key not in known]
                if len(unknown) >= most:
                    return unknown[:most]
        return unknown

    def shown(self, value: Any) -> str:
        """Format the value."""
        return shown(value)

    def at_rest(self) -> nullcontext[bool]:
        """Tables may change at any time, because they are written after the commit."""
        return nullcontext(True)


def league_tables() -> Iterator[LeagueTables]:
    """Yield the tables of every gameweek that has some."""
    gameweeks = db.session.scalars(
        select(LeagueVersion.gameweek_id).distinct().order_by(LeagueVersion.gameweek_id)
    )
    for gameweek_id in gameweeks.all():
        yield LeagueTables(gameweek_id)

"""Verifies boards continuously: compares Redis with PostgreSQL at a low rate.

There are two checks. The quick one, every few seconds, asks each part whether it still holds as
many members as were written to it, so that a lost part shows soon. The thorough one goes through
every player of every board, and ends each board with a comparison of the counts under the mode's
lock. Single wrong places are corrected at once, anything else by a rebuild; PostgreSQL answers
until then (`boards.stale_since`). workers/verifier.py calls this; lua/boards.lua records what was
written to a part, and rebuild.py rebuilds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import structlog
from redis import RedisError
from sqlalchemy import ColumnElement, CursorResult, Row, Select, func, select, update

from app.boards.catalogue import queries as catalogue
from app.boards.layouts import redis_functions
from app.boards.layouts.board import Board, open_board
from app.boards.layouts.moving import alone
from app.boards.layouts.ranged import RangeBoard
from app.boards.models import BoardCount, BoardRecord, BoardScore, Mode, ScoreGame
from app.boards.rules import Held
from app.boards.spec import BoardSpec
from app.boards.verification.rebuild import rebuild
from app.core.batch_failures import Failures
from app.core.db import db

log = structlog.get_logger(__name__)

BOARDS = 200  # boards per quick check
CHUNK = 2_000  # players per comparison
FEW = 100  # wrong places that are corrected one by one; with more the board is rebuilt
EVERY = timedelta(seconds=30)  # between two thorough checks of a board


@dataclass
class Pass:
    """A thorough check of a board in progress; `last` is the last player compared."""

    generation: int
    began: datetime
    last: UUID | None = None


@dataclass
class Verifier:
    """The progress of the checks: one per process; a new process begins again."""

    after: int = 0  # the last board of the quick check
    passes: dict[int, Pass] = field(default_factory=dict)  # one at most

    def quick(self, now: datetime) -> int:
        """Check the next boards and mark those that lost something; return how many.

        Commits.

        Raises:
            RedisAway: Redis cannot be reached.
        """
        living = _living(BoardRecord.id > self.after)
        self.after = living[-1][0] if len(living) == BOARDS else 0
        boards = [(board_id, open_board(spec)) for board_id, spec in living]
        calls = [board.wholeness_calls() for _, board in boards]
        answers = iter(
            redis_functions.call(
                [call for board_calls in calls for call in board_calls], measured=False
            )
        )
        lost = 0
        for (board_id, board), asked in zip(boards, calls, strict=True):
            state = board.wholeness_of([next(answers) for _ in asked])
            if state.lost or _lost_split_points(board, state.members):
                lost += _mark(
                    board_id, board.spec, now, "a part holds fewer players than were written to it"
                )
            elif state.uncounted:
                lost += not _agree(board_id, now, verified=None)
        return lost

    def step(self, now: datetime) -> int | None:
        """Compare the next players of the board that has waited the longest.

        Commits. Returns how many players were compared, None if no board is due.

        Raises:
            RedisAway: Redis cannot be reached.
        """
        due = _next_due(now, self.passes)
        if due is None:
            return None
        board_id, spec = due
        going = self.passes.get(board_id)
        if going is None or going.generation != spec.generation:
            self.passes.clear()
            going = self.passes[board_id] = Pass(spec.generation, now)
        players = _players(board_id, going.last)
        wrong = _differ(open_board(spec), {str(row.player_id): _held(row) for row in players})
        if wrong:
            _put_right(board_id, spec.generation, wrong, now)
        if len(players) == CHUNK:
            going.last = players[-1].player_id
        else:
            del self.passes[board_id]
            _agree(board_id, now, verified=going.began)
        return len(players)


def mend(now: datetime, say: Callable[[str, int], None] | None = None) -> int:
    """Rebuild every marked board and return how many; commit after each.

    Raises:
        RedisAway: Redis cannot be reached.
        Exception: A board could not be rebuilt; raised when all others are.
    """
    marked = db.session.scalars(
        select(BoardRecord.id)
        .where(BoardRecord.stale_since.is_not(None), BoardRecord.archived_at.is_(None))
        .order_by(BoardRecord.stale_since, BoardRecord.id)
    ).all()
    db.session.rollback()
    done, failures = 0, Failures("board_not_rebuilt", RedisError)
    for board_id in marked:
        with failures.apart(board_id):
            if (built := rebuild(board_id, now, only_stale=True)) is not None:
                if say is not None:
                    say(built.name, built.players)
                done += 1
    failures.raise_first()
    return done


def _living(*which: ColumnElement[bool]) -> list[tuple[int, BoardSpec]]:
    """List boards that are read from Redis, by id, at most BOARDS."""
    rows = db.session.execute(_boards(*which).order_by(BoardRecord.id).limit(BOARDS)).all()
    specs = [(record.id, catalogue.spec_of(game, mode, record)) for record, mode, game in rows]
    db.session.rollback()
    return specs


def _next_due(now: datetime, passes: dict[int, Pass]) -> tuple[int, BoardSpec] | None:
    """Choose the board whose verification is in progress, else the one verified longest ago."""
    due = BoardRecord.verified_at.is_(None) | (BoardRecord.verified_at <= now - EVERY)
    which = BoardRecord.id.in_(passes) if passes else due
    order = (BoardRecord.verified_at.asc().nulls_first(), BoardRecord.id)
    row = db.session.execute(_boards(which).order_by(*order).limit(1)).one_or_none()
    board = None
    if row is not None:
        record, mode, game = row
        board = record.id, catalogue.spec_of(game, mode, record)
    db.session.rollback()
    if board is None:
        passes.clear()  # it has been archived or marked in the meantime
    return board


def _boards(*which: ColumnElement[bool]) -> Select[BoardRecord, Mode, ScoreGame]:
    return (
        select(BoardRecord, Mode, ScoreGame)
        .join(Mode, Mode.id == BoardRecord.mode_id)
        .join(ScoreGame, ScoreGame.id == Mode.game_id)
        .where(BoardRecord.archived_at.is_(None), BoardRecord.stale_since.is_(None), *which)
        .execution_options(populate_existing=True)
    )


def _lost_split_points(board: Board, members: Sequence[int]) -> bool:
    if not isinstance(board, RangeBoard):
        return False
    beyond_the_first = members[len(board.homes) + 1 :]
    return any(beyond_the_first) and not board.split_points().version


def _players(board_id: int, after: UUID | None) -> Sequence[Row[UUID, int, int, UUID]]:
    rows = select(BoardScore.player_id, BoardScore.score, BoardScore.at, BoardScore.event_id).where(
        BoardScore.board_id == board_id
    )
    if after is not None:
        rows = rows.where(BoardScore.player_id > after)
    players = db.session.execute(rows.order_by(BoardScore.player_id).limit(CHUNK)).all()
    db.session.rollback()
    return players


def _held(row: Row[UUID, int, int, UUID]) -> Held:
    return Held(row.score, row.at, str(row.event_id))


def _differ(board: Board, expected: dict[str, Held]) -> list[str]:
    """Return the members for whom Redis holds something else."""
    stored = board.written_values(expected)
    return [
        member
        for member, holds in expected.items()
        if stored.get(member) != board.spec.budget.encode(holds)
    ]


def _put_right(board_id: int, generation: int, members: Sequence[str], now: datetime) -> None:
    """Check these members again with nobody writing, and correct those who still differ."""
    with alone(board_id) as (record, mode):
        if (
            record.generation != generation
            or record.stale_since is not None
            or record.archived_at is not None
        ):
            return
        spec = catalogue.spec_of(catalogue.game_of(mode), mode, record)
        rows = db.session.execute(
            select(
                BoardScore.player_id, BoardScore.score, BoardScore.at, BoardScore.event_id
            ).where(
                BoardScore.board_id == board_id,
                BoardScore.player_id.in_([UUID(member) for member in members]),
            )
        )
        expected = {str(row.player_id): _held(row) for row in rows}
        board = open_board(spec)
        wrong = _differ(board, expected)
        if not wrong:
            return
        log.warning("board_differs", board=spec.name, players=len(wrong))
        _note(record, now, f"{len(wrong)} players had another score in Redis than in PostgreSQL")
        if len(wrong) > FEW:
            record.stale_since = now
        else:
            board.put({member: expected[member] for member in wrong})


def _agree(board_id: int, now: datetime, *, verified: datetime | None) -> bool:
    """Compare the numbers of players with nobody writing.

    A board that agrees counts its members from then on and, with `verified`, records since when its
    places are known to be right; any other board is marked.
    """
    with alone(board_id) as (record, mode):
        if record.stale_since is not None or record.archived_at is not None:
            return True
        board = open_board(catalogue.spec_of(catalogue.game_of(mode), mode, record))
        rows = (
            db.session.scalar(
                select(func.sum(BoardCount.players)).where(BoardCount.board_id == board_id)
            )
            or 0
        )
        state = board.wholeness()
        homes = sum(state.members[: len(board.homes)])
        parts = homes if board.homes is board.parts else sum(state.members[len(board.homes) :])
        if state.lost or not homes == parts == rows:
            log.warning(
                "board_lost_players",
                board=board.spec.name,
                redis=homes,
                parts=parts,
                postgresql=int(rows),
            )
            _note(record, now, f"Redis held {min(homes, parts)} of {rows} players")
            record.stale_since = now
            return False
        if state.uncounted:
            board.count_members()
        if verified is not None:
            record.verified_at = verified
    return True


def _mark(board_id: int, spec: BoardSpec, now: datetime, fault: str) -> bool:
    """Let PostgreSQL answer from now on, and commit; False if the generation has changed."""
    marked: CursorResult[Any] = db.session.execute(  # type: ignore[assignment]
        update(BoardRecord)
        .where(
            BoardRecord.id == board_id,
            BoardRecord.generation == spec.generation,
            BoardRecord.stale_since.is_(None),
        )
        .values(stale_since=now, fault=fault, fault_at=now, faults=BoardRecord.faults + 1)
    )
    db.session.commit()
    if marked.rowcount:
        log.warning("board_lost_a_part", board=spec.name, generation=spec.generation)
    return bool(marked.rowcount)


def _note(record: BoardRecord, now: datetime, fault: str) -> None:
    record.fault, record.fault_at, record.faults = fault, now, record.faults + 1

"""A board as a shadow banned player sees it: everybody's rows, with their own in its place.

Among equal scores their own comes last. app/accounts/sanctions.py says who is hidden.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from uuid import UUID

from sqlalchemy import text

from app.boards.reads import BoardReads, Row, Standing, View
from app.boards.rules import Aggregation, Ties
from app.boards.services import Reading
from app.boards.sql_board import SqlBoard
from app.core.db import db
from app.scores.standings import folding


def own_place(reading: Reading, player_id: UUID) -> BoardReads:
    """Return the board with this hidden player on it; unchanged if none of their scores counts."""
    assert reading.record is not None
    if reading.record.archived_at is not None:
        return reading.board
    if reading.record.frozen_at is not None and reading.board.standings([str(player_id)]):
        return reading.board  # frozen before they were hidden
    record = own_record(reading, player_id)
    if record is None:
        return reading.board
    key, _ = record
    mode, is_frozen = reading.mode, reading.record.frozen_at is not None
    counts = SqlBoard(reading.record.id, Ties(mode.ties), mode.ordering, frozen=is_frozen)
    return _WithOwn(reading.board, counts, str(player_id), key)


def own_record(reading: Reading, player_id: UUID) -> tuple[int, UUID] | None:
    """Return key and event of the player's record; None if none of their scores counts."""
    mode = reading.mode
    counted = folding.NOW.replace(folding.SEEN, "player_id = :player")
    fold = folding.placed(Aggregation(mode.aggregation), Ties(mode.ties), mode.ordering, counted)
    values = folding.values(mode.id, reading.window) | {"player": player_id}
    statement = text(f"WITH {fold} SELECT score, event_id FROM placed")  # noqa: S608
    row = db.session.execute(statement, values).one_or_none()
    return None if row is None else (int(row.score), row.event_id)


class _WithOwn:
    """BoardReads (app/boards/reads.py) of `board`, with one more member."""

    def __init__(self, board: BoardReads, counts: SqlBoard, member: str, key: int) -> None:
        self._board = board
        self._order = counts.order
        self._key = key
        self._position = counts.count_from(key)
        better = counts.count_from(key + 1)
        score, subscore = self._order.score_of(key), self._order.subscore_of(key)
        dense = counts.ties is Ties.DENSE
        # How many ranks everybody after them moves down.
        self._step = 0 if dense and self._position > better else 1
        rank = (
            self._position + 1
            if counts.ties is Ties.EARLIEST
            else board.rank_of_score(score, subscore)
        )
        self._own = Row(rank, member, score, subscore=subscore)

    def count(self) -> int:
        return self._board.count() + 1

    def standings(self, members: Collection[str]) -> dict[str, Standing]:
        own_row = self._own
        others = self._board.standings([member for member in members if member != own_row.member])
        standings = {member: self._moved(standing) for member, standing in others.items()}
        if own_row.member in members:
            count = self.count()
            share = 100 * (count - own_row.rank + 1) / count
            place = (own_row.rank, own_row.member, own_row.score, share, self._position)
            standings[own_row.member] = Standing(*place, subscore=own_row.subscore)
        return standings

    def page(self, offset: int, limit: int) -> list[Row]:
        before = min(max(self._position - offset, 0), limit)
        rows = list(self._board.page(offset, before)) if before else []
        if before == limit:
            return rows
        if offset <= self._position:
            rows.append(self._own)
        if (left := limit - len(rows)) > 0:
            rows += [
                self._after(row) for row in self._board.page(max(self._position, offset - 1), left)
            ]
        return rows

    def around(self, member: str, k: int) -> list[Row]:
        if member != self._own.member:
            return [
                self._after(row) if self._is_behind(row) else row
                for row in self._board.around(member, k)
            ]
        first = max(0, self._position - k)
        return self.page(first, self._position - first + k + 1)

    def band(self, low: int, high: int, offset: int, limit: int) -> list[Row]:
        rows = self._board.band(low, high, offset, limit)
        return [self._after(row) if self._is_behind(row) else row for row in rows]

    def rank_of_score(self, score: int, subscore: int | None = None) -> int:
        return self._board.rank_of_score(score, subscore)

    def ranks_of_scores(self, scores: Sequence[tuple[int, int | None]]) -> list[int]:
        return self._board.ranks_of_scores(scores)

    def view(self, offset: int, limit: int, member: str | None = None, k: int = 4) -> View:
        me = self.standings([member]).get(member) if member else None
        around: Sequence[Row] = self.around(member, k) if member and me else []
        return View(self.count(), self.page(offset, limit), me, around)

    def _is_behind(self, row: Row) -> bool:
        return self._order.key(row.score, row.subscore) < self._key

    def _after(self, row: Row) -> Row:
        return replace(row, rank=row.rank + self._step)

    def _moved(self, standing: Standing) -> Standing:
        if not self._is_behind(standing):
            return standing
        return replace(standing, rank=standing.rank + self._step, position=standing.position + 1)

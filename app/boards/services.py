"""The entry point for reads of a board: Redis, else PostgreSQL, else the archive."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

import structlog
from flask import current_app

from app.accounts import sanctions
from app.boards.archive.archived_board import ArchivedBoard
from app.boards.archive.services import open_archived
from app.boards.catalogue import queries as catalogue
from app.boards.layouts.board import Board, open_board
from app.boards.layouts.merged_top import top
from app.boards.models import BoardRecord, Mode, ScoreGame
from app.boards.reads import BoardReads, Row, Standing, View
from app.boards.rules import Ties
from app.boards.spec import BoardSpec
from app.boards.sql_board import SqlBoard
from app.boards.windows.rules import InvalidWindowError, Window, parse_window
from app.core import clock
from app.core.blob_store import blob_store
from app.core.redis.clients import RedisAway, boards_are_beside_jobs

log = structlog.get_logger(__name__)

REDIS, POSTGRESQL, ARCHIVE = "redis", "postgresql", "archive"
Answer = TypeVar("Answer")


class Fallback:
    """BoardReads of Redis that fall back to PostgreSQL if Redis is away or lost part of the board.

    After each answer every part is checked to hold all that was written to it. `source` names
    the store that answered last.
    """

    def __init__(self, redis: Board, sql: BoardReads) -> None:
        self._redis = redis
        self._sql = sql
        self.source = REDIS

    def top(self, limit: int, now: datetime) -> View:
        """Read the first `limit` rows; see Reading.top."""

        def read(board: BoardReads) -> View:
            if not isinstance(board, Board) or len(board.parts) == 1:
                return board.view(0, limit)
            merged = top(board, limit, now)
            details = board.details({row.member for row in merged.rows})
            return View(merged.count, merged.rows, details=details, as_of=merged.as_of)

        return self.ask(read)

    def ask(self, read: Callable[[BoardReads], Answer]) -> Answer:
        """Return what `read` finds, all from one store, and whether that store's board is whole."""
        if self.source == REDIS:
            try:
                answer = read(self._redis)
                if self._is_whole():
                    return answer
                log.warning("board_not_whole", board=self._redis.spec.name)
            except RedisAway as error:
                log.warning("boards_redis_away", reason=type(error).__name__)
            self.source = POSTGRESQL
        return read(self._sql)

    def _is_whole(self) -> bool:
        """Compare the number of players if the number written is unknown (a new or lost board)."""
        state = self._redis.wholeness()
        if state.lost:
            return False
        return (
            not state.uncounted or sum(state.members[: len(self._redis.homes)]) >= self._sql.count()
        )

    def changes(self) -> dict[str, str] | None:
        """Return Board.changes; None if they are incomplete, on another Redis, or Redis is away."""
        if not (self._redis.in_one_place and boards_are_beside_jobs()):
            return None
        try:
            return self._redis.changes()
        except RedisAway:
            return None

    def remembered(self, members: Collection[str]) -> dict[str, str]:
        """Return what is cached of these members; nothing while Redis is away."""
        try:
            return self._redis.details(members) if self.source == REDIS else {}
        except RedisAway as error:
            log.warning("boards_redis_away", reason=type(error).__name__)
            return {}

    def remember(self, details: Mapping[str, str], seconds: int) -> None:
        """Cache details beside the board; nothing while Redis is away."""
        if self.source == REDIS and details:
            try:
                self._redis.remember(details, seconds)
            except RedisAway as error:
                log.warning("boards_redis_away", reason=type(error).__name__)

    def count(self) -> int:
        """Return the number of players on the board."""
        return self.ask(lambda board: board.count())

    def standings(self, members: Collection[str]) -> dict[str, Standing]:
        """Return the standing of each of these members that is on the board."""
        return self.ask(lambda board: board.standings(members))

    def page(self, offset: int, limit: int) -> list[Row]:
        """Return rows of the board from `offset` on."""
        return self.ask(lambda board: board.page(offset, limit))

    def around(self, member: str, k: int) -> list[Row]:
        """Return the member's row with up to `k` rows on either side."""
        return self.ask(lambda board: board.around(member, k))

    def band(self, low: int, high: int, offset: int, limit: int) -> list[Row]:
        """Return rows with scores from `low` to `high`, best first."""
        return self.ask(lambda board: board.band(low, high, offset, limit))

    def rank_of_score(self, score: int, subscore: int | None = None) -> int:
        """Return the rank that a newcomer with this score would get."""
        return self.ask(lambda board: board.rank_of_score(score, subscore))

    def ranks_of_scores(self, scores: Sequence[tuple[int, int | None]]) -> list[int]:
        """Return the ranks that newcomers with these scores would get."""
        return self.ask(lambda board: board.ranks_of_scores(scores))

    def view(self, offset: int, limit: int, member: str | None = None, k: int = 4) -> View:
        """Return a page together with a member's own place and neighbours."""
        return self.ask(lambda board: board.view(offset, limit, member, k))


@dataclass(frozen=True)
class Reading:
    """An open board; `record` is None while nobody has a score in the window.

    `as_of` is when it was opened; whatever it answers stood then or later, unless an answer says
    otherwise.
    """

    game: ScoreGame
    mode: Mode
    window: Window
    record: BoardRecord | None
    spec: BoardSpec | None
    board: BoardReads
    as_of: datetime = field(default_factory=clock.now)

    @property
    def source(self) -> str:
        """The store that answered the last read: redis, postgresql or archive."""
        if isinstance(self.board, ArchivedBoard):
            return ARCHIVE
        return self.board.source if isinstance(self.board, Fallback) else POSTGRESQL

    def top(self, limit: int) -> View:
        """Read the first `limit` rows (1 to MERGED_ROWS), without anybody's own place.

        A board in many parts is read from its merged top, a few seconds old; `as_of` has
        the moment.
        """
        if isinstance(self.board, Fallback):
            return self.board.top(limit, self.as_of)
        return self.board.view(0, limit)

    def changes(self) -> dict[str, str] | None:
        """Return the board's change counter in Redis; None if the page may not be cached.

        Ask before reading the board.
        """
        return self.board.changes() if isinstance(self.board, Fallback) else None

    def remembered(self, members: Collection[str]) -> dict[str, str]:
        """Return what is kept beside the board to show of these members."""
        return self.board.remembered(members) if isinstance(self.board, Fallback) else {}

    def remember(self, details: Mapping[str, str], seconds: int) -> None:
        """Keeps what to show of members beside the board, where it is in Redis."""
        if isinstance(self.board, Fallback):
            self.board.remember(details, seconds)


# in app.extensions: shows a board to a player who is hidden from all others
OWN_PLACE = "boards.own_place"


FindBoard = Callable[[Mode, str], BoardRecord | None]


def read(
    game: ScoreGame,
    mode: Mode,
    window_id: str,
    *,
    live: bool = False,
    find_board: FindBoard = catalogue.find_board,
) -> Reading:
    """Open the mode's board in this window. Raises InvalidWindowError if the mode has no such one.

    A frozen board as it stood then; `live`, which is for staff alone: as it is. Who is shadow
    banned finds themselves. `find_board`: catalogue/known.py has one that needs no database.
    """
    reading = _read(game, mode, window_id, live, find_board)
    viewer = sanctions.shadowed_viewer()
    if viewer is None or reading.record is None:
        return reading
    return replace(reading, board=current_app.extensions[OWN_PLACE](reading, viewer))


def _read(
    game: ScoreGame, mode: Mode, window_id: str, live: bool, find_board: FindBoard
) -> Reading:
    window = parse_window(window_id, mode.calendar)
    if window.kind not in mode.windows:
        raise InvalidWindowError(
            f"{mode.title} has no {window.kind} boards, only {', '.join(mode.windows)}."
        )
    record = find_board(mode, window.window_id)
    if record is None:
        return Reading(game, mode, window, None, None, SqlBoard(0, Ties(mode.ties), mode.ordering))
    spec = catalogue.spec_of(game, mode, record)
    if record.frozen_at is not None and not live:
        frozen = SqlBoard(record.id, spec.ties, spec.order, frozen=True)
        return Reading(game, mode, window, record, spec, frozen, record.frozen_at)
    if record.archived_at is not None and record.blob is None:
        raise InvalidWindowError(f"{mode.title} is being deleted.")
    if record.archived_at is not None:
        return Reading(game, mode, window, record, spec, open_archived(blob_store(), record))
    sql = SqlBoard(record.id, spec.ties, spec.order)
    if record.stale_since is not None:
        return Reading(game, mode, window, record, spec, sql)
    return Reading(game, mode, window, record, spec, Fallback(open_board(spec), sql))

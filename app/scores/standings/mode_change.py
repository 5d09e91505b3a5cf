"""Changes a mode's aggregation or tie policy: first a preview, then for good (PRODUCT D3, G5).

The change rewrites the mode's boards in PostgreSQL from their attempts, in one transaction in which
nobody writes scores of the mode; then each board is rebuilt in Redis, and read from PostgreSQL
until it is. Archived boards stay as they were closed. Each change leaves a row with who and why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

import redis
import structlog
from sqlalchemy import select, text

from app.boards.catalogue import queries as catalogue
from app.boards.catalogue.rules import NewMode, mode_faults
from app.boards.models import BoardRecord, Mode, ModeChange
from app.boards.rules import Aggregation, Budget, Ties
from app.boards.verification.rebuild import rebuild
from app.boards.windows.rules import parse_window
from app.core.db import db
from app.core.refusals import Refusal
from app.scores.archive import months
from app.scores.models import ArchivedStanding
from app.scores.standings import folding
from app.scores.standings.waiting_scores import forget_waiting

log = structlog.get_logger(__name__)

SHOWN = 20  # moves per board in a preview
MAX_REASON = 500


@dataclass(frozen=True)
class Policy:
    """How scores count and how ties rank: what decides who stands where."""

    aggregation: str
    ties: str


@dataclass(frozen=True)
class Move:
    """A player who moves; ranks and scores are None without a place."""

    player_id: UUID
    rank_before: int | None
    rank_after: int | None
    score_before: int | None
    score_after: int | None


@dataclass(frozen=True)
class BoardPreview:
    """What would change on one board.

    `moved` is the number of players whose rank changes, `rescored` of those whose score does.
    `moves` has the longest moves first, then by player.
    """

    window_id: str
    players: int
    moved: int
    rescored: int
    moves: Sequence[Move]


@dataclass(frozen=True)
class Preview:
    """What the change would do now; `archived` is the number of boards that stay as they are."""

    mode_id: UUID
    before: Policy
    after: Policy
    boards: Sequence[BoardPreview]
    archived: int

    @property
    def moved(self) -> int:
        """Changed ranks on all boards."""
        return sum(board.moved for board in self.boards)


def preview(mode_id: UUID, after: Policy, *, limit: int = SHOWN) -> Preview | list[Refusal]:
    """Preview who moves from which rank to which, board by board, or return why it is refused.

    Only reads. Looks at every attempt of the mode, which takes seconds for a million.
    """
    try:
        mode = db.session.get(Mode, mode_id, populate_existing=True)
        if mode is None:
            return [_no_mode(mode_id)]
        return _refusals(mode, after) or _preview(mode, after, limit)
    finally:
        db.session.rollback()


def apply(
    previewed: Preview, *, reason: str, by: int | None, now: datetime
) -> ModeChange | list[Refusal]:
    """Make the previewed change and commit; scores that came since then take part in it.

    Refuses if the mode has changed since the preview. While Redis is away the boards are read from
    PostgreSQL until the consumer rebuilds them.
    """
    reason = reason.strip()
    if not 1 <= len(reason) <= MAX_REASON:
        return [
            Refusal(
                "no_reason",
                "reason",
                f"Give a reason of 1 to {MAX_REASON} characters. It is kept.",
            )
        ]
    try:
        mode = catalogue.lock_modes([previewed.mode_id], exclusive=True).get(previewed.mode_id)
        if mode is None:
            return [_no_mode(previewed.mode_id)]
        if _policy(mode) != previewed.before:
            text = f"The mode is now {mode.aggregation}, {mode.ties}. Check a new preview."
            return [Refusal("changed_meanwhile", "mode", text)]
        if refused := _refusals(mode, previewed.after):
            return refused
        moved = _preview(mode, previewed.after, 0).moved
        mode.aggregation, mode.ties = previewed.after.aggregation, previewed.after.ties
        boards = _boards(mode, archived=False)
        for board in boards:
            rewrite(mode, board)
            board.stale_since = now
        change = ModeChange(
            mode_id=mode.id,
            member_id=by,
            reason=reason,
            aggregation_before=previewed.before.aggregation,
            ties_before=previewed.before.ties,
            aggregation=mode.aggregation,
            ties=mode.ties,
            moved=moved,
            created_at=now,
        )
        db.session.add(change)
        db.session.commit()
    finally:
        db.session.rollback()
    log.info(
        "mode_changed",
        mode=str(mode.id),
        aggregation=mode.aggregation,
        ties=mode.ties,
        moved=moved,
        by=by,
    )
    try:
        for board in boards:
            rebuild(board.id, now, only_stale=True)
    except redis.RedisError as error:
        log.warning("boards_wait", mode=str(mode.id), reason=type(error).__name__)
    return change


def _policy(mode: Mode) -> Policy:
    return Policy(mode.aggregation, mode.ties)


def _no_mode(mode_id: UUID) -> Refusal:
    return Refusal("unknown", "mode", f"There is no mode {mode_id}. Look it up again.")


def _boards(mode: Mode, *, archived: bool) -> list[BoardRecord]:
    """Return the mode's boards in the order of their windows."""
    there = BoardRecord.archived_at.is_not(None) if archived else BoardRecord.archived_at.is_(None)
    query = (
        select(BoardRecord)
        .where(BoardRecord.mode_id == mode.id, there)
        .order_by(BoardRecord.window_id)
    )
    return list(db.session.scalars(query.execution_options(populate_existing=True)))


def _refusals(mode: Mode, after: Policy) -> list[Refusal]:
    """Return every reason why the mode cannot be changed like this."""
    if after == _policy(mode):
        return [
            Refusal(
                "no_change",
                "mode",
                f"The mode is already {mode.aggregation}, {mode.ties}. Choose something else.",
            )
        ]
    asked = NewMode(
        slug=mode.slug,
        title=mode.title,
        aggregation=after.aggregation,
        ties=after.ties,
        min_score=mode.min_score,
        max_score=mode.max_score,
        time_zone=mode.time_zone,
        windows=mode.windows,
        order=mode.order,
        subscore=mode.subscore,
    )
    refusals = [
        Refusal("bad_mode", fault.field, f"{fault.field}: {fault.text}")
        for fault in mode_faults(asked)
    ]
    if refusals:
        return refusals
    if after.aggregation != mode.aggregation and (cold := _archived_months(mode)):
        return [Refusal("archived", "aggregation", months.sentence(cold))]
    limit = Budget().limit
    for board in _boards(mode, archived=False):
        statement = f"""WITH {_placed(mode, after)} SELECT count(*) AS players,
          max(abs(score)) AS worst FROM placed
            WHERE abs(score) > :limit"""  # noqa: S608
        row = db.session.execute(text(statement), {**_values(mode, board), "limit": limit}).one()
        if row.players:
            reason = (
                f"{board.window_id} would have scores of up to {row.worst}, outside the exact "
                f"range of ±{limit}. Choose another aggregation, or roll back scores."
            )
            refusals.append(Refusal("out_of_range", "aggregation", reason))
    return refusals


def _archived_months(mode: Mode) -> list[date]:
    """Return the archived months whose scores count on the mode's live boards.

    Stored is what they come to by the present aggregation; another one needs their attempts.
    """
    query = (
        select(ArchivedStanding.month)
        .join(BoardRecord, BoardRecord.id == ArchivedStanding.board_id)
        .where(BoardRecord.mode_id == mode.id)
        .distinct()
    )
    return list(db.session.scalars(query))


def _preview(mode: Mode, after: Policy, limit: int) -> Preview:
    boards = [_board_preview(mode, board, after, limit) for board in _boards(mode, archived=False)]
    return Preview(mode.id, _policy(mode), after, boards, len(_boards(mode, archived=True)))


def _board_preview(mode: Mode, board: BoardRecord, after: Policy, limit: int) -> BoardPreview:
    return compare(mode, board, _placed(mode, after), _values(mode, board), limit)


def compare_attempts(
    mode: Mode, board: BoardRecord, counted: str, more: dict[str, Any], limit: int
) -> BoardPreview:
    """Compute the board as it would be if only the attempts that `counted` selects counted.

    `more` has values of the statement beside folding's own.
    """
    placed = folding.placed(
        Aggregation(mode.aggregation),
        Ties(mode.ties),
        mode.ordering,
        folding.with_archived(counted),
    )
    return compare(mode, board, placed, _values(mode, board) | more, limit)


def compare(
    mode: Mode, board: BoardRecord, placed: str, values: dict[str, Any], limit: int
) -> BoardPreview:
    """Compare the board with `placed`, WITH parts that compute the board as it would be."""
    moves = f"""WITH {placed}, old AS (
          SELECT player_id, score, {folding.RANKS[Ties(mode.ties)]} AS rank FROM board_scores
            WHERE board_id = :board
        ), compared AS (
          SELECT player_id, old.rank AS was, placed.rank AS will, old.score AS had,
            placed.score AS has
          FROM old FULL JOIN placed USING (player_id)
        )"""  # noqa: S608
    values = {**values, "board": board.id}
    counts = """ SELECT count(*) AS players, count(*) FILTER (WHERE was IS DISTINCT
      FROM will) AS moved,
        count(*) FILTER (WHERE had IS DISTINCT FROM has) AS rescored FROM compared"""
    row = db.session.execute(text(moves + counts), values).one()
    listed = """ SELECT * FROM compared WHERE was IS DISTINCT FROM will
        ORDER BY abs(was - will) DESC NULLS FIRST, player_id LIMIT :most_moves"""
    rows = (
        db.session.execute(text(moves + listed), {**values, "most_moves": limit}).all()
        if limit
        else []
    )
    score_of = mode.ordering.score_of
    shown_moves = [
        Move(
            move.player_id,
            move.was,
            move.will,
            *(None if key is None else score_of(int(key)) for key in (move.had, move.has)),
        )
        for move in rows
    ]
    return BoardPreview(board.window_id, row.players, row.moved, row.rescored, shown_moves)


def rewrite(mode: Mode, board: BoardRecord) -> None:
    """Rewrite what the board holds in PostgreSQL by the mode's policy, with what waits for it."""
    forget_waiting([board.id])
    values = {**_values(mode, board), "board": board.id}
    db.session.execute(text("DELETE FROM board_scores WHERE board_id = :board"), values)
    db.session.execute(text("DELETE FROM board_counts WHERE board_id = :board"), values)
    insert = f"""WITH {_placed(mode, _policy(mode))}
        INSERT INTO board_scores (board_id, player_id, score, tie, at, event_id)
        SELECT :board, player_id, CAST(score AS bigint), tie, at, event_id
          FROM placed"""  # noqa: S608
    db.session.execute(text(insert), values)
    counts = """INSERT INTO board_counts (board_id, score, players)
        SELECT board_id, score, count(*) FROM board_scores WHERE board_id = :board
          GROUP BY board_id, score"""
    db.session.execute(text(counts), values)


def _placed(mode: Mode, policy: Policy) -> str:
    return folding.placed(
        Aggregation(policy.aggregation),
        Ties(policy.ties),
        mode.ordering,
        folding.with_archived(folding.NOW),
    )


def _values(mode: Mode, board: BoardRecord) -> dict[str, Any]:
    return folding.values(mode.id, parse_window(board.window_id, mode.calendar))

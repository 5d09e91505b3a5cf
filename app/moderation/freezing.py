"""Freezing a public board while moderators investigate, and thawing it again (PRODUCT D10).

While it is frozen, every public read gets the rows of that moment: pages, API, small boards,
responses to scores. The change feed, and therefore webhooks, gets nothing until it thaws, and then
every difference. Scores go on counting. Leagues' tables and tournaments are never frozen
(docs/decisions/0043-what-a-freeze-holds.md). Reads are in app/boards/services.py.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

import redis
import structlog
from sqlalchemy import select, text

from app.accounts.models import Member
from app.audit import log as audit
from app.audit.acts import Act
from app.boards.catalogue import queries as catalogue
from app.boards.layouts import merged_top
from app.boards.layouts.board import open_board
from app.boards.layouts.moving import alone
from app.boards.models import BoardRecord, Mode, ScoreGame
from app.core.db import db
from app.core.refusals import Refusal
from app.moderation.models import BoardFreeze
from app.moderation.rules import reason_fault

log = structlog.get_logger(__name__)

_KEEP = (
    """INSERT INTO frozen_scores (board_id, player_id, score, tie, at, event_id)
       SELECT board_id, player_id, score, tie, at, event_id FROM board_scores
         WHERE board_id = :board""",
    """INSERT INTO frozen_counts (board_id, score, players)
       SELECT board_id, score, players FROM board_counts WHERE board_id = :board""",
)
_DROP = (
    "DELETE FROM frozen_scores WHERE board_id = :board",
    "DELETE FROM frozen_counts WHERE board_id = :board",
)
_TELL = text("""
    INSERT INTO board_changes (integrator_id, board_id, player_id, score)
    SELECT g.integrator_id, :board, player_id, now.score
    FROM (SELECT * FROM board_scores WHERE board_id = :board) now
    FULL JOIN (SELECT * FROM frozen_scores WHERE board_id = :board) was USING (player_id)
    CROSS JOIN boards b JOIN score_modes m ON m.id = b.mode_id JOIN score_games g
      ON g.id = m.game_id
    WHERE b.id = :board AND g.integrator_id IS NOT NULL AND b.archived_at IS NULL
      AND now.score IS DISTINCT FROM was.score
""")


def freeze(board_id: int, *, by: int, reason: str, now: datetime) -> BoardFreeze | Refusal:
    """Show the public the board as it stands now. Commits."""
    if fault := reason_fault(reason):
        return fault
    with alone(board_id) as (record, mode):
        if record.archived_at is not None:
            return Refusal(
                "archived",
                "board",
                "The board is closed and archived. It can no longer change.",
            )
        if record.frozen_at is not None:
            return Refusal("frozen", "board", "The board is already frozen.")
        for statement in _KEEP:
            db.session.execute(text(statement), {"board": board_id})
        record.frozen_at = now
        board_freeze = BoardFreeze(
            board_id=board_id, reason=reason.strip(), frozen_by=by, frozen_at=now
        )
        db.session.add(board_freeze)
        db.session.flush()
        subject = f"board:{_name(record, mode)}"
        audit.record(Act.BOARD_FROZEN, actor_id=by, subject=subject, reason=reason.strip())
    return board_freeze


def thaw(board_id: int, *, by: int, reason: str, now: datetime) -> BoardFreeze | Refusal:
    """Show the public the current board again, and feed the differences. Commits."""
    if fault := reason_fault(reason):
        return fault
    with alone(board_id) as (record, mode):
        standing = select(BoardFreeze).where(
            BoardFreeze.board_id == board_id, BoardFreeze.thawed_at.is_(None)
        )
        board_freeze: BoardFreeze | None = db.session.scalar(standing)
        if record.frozen_at is None or board_freeze is None:
            return Refusal("not_frozen", "board", "The board is not frozen.")
        db.session.execute(_TELL, {"board": board_id})
        for statement in _DROP:
            db.session.execute(text(statement), {"board": board_id})
        record.frozen_at = None
        board_freeze.thawed_by, board_freeze.thawed_at = by, now
        board = open_board(catalogue.spec_of(catalogue.game_of(mode), mode, record))
        audit.record(
            Act.BOARD_THAWED,
            actor_id=by,
            subject=f"board:{_name(record, mode)}",
            reason=reason.strip(),
        )
    try:
        merged_top.forget(board)
    except redis.RedisError as error:  # a merged top is at most a few seconds old
        log.warning("top_not_forgotten", board=board_id, reason=type(error).__name__)
    return board_freeze


def standing(games: Collection[UUID] | None) -> Sequence[tuple[BoardFreeze, str, str]]:
    """Return every freeze that stands, with the board's name and who froze it.

    With `games`, only those of these games.
    """
    query = (
        select(BoardFreeze, ScoreGame.slug, Mode.slug, BoardRecord.window_id, Member.display_name)
        .join(BoardRecord, BoardRecord.id == BoardFreeze.board_id)
        .join(Mode, Mode.id == BoardRecord.mode_id)
        .join(ScoreGame, ScoreGame.id == Mode.game_id)
        .outerjoin(Member, Member.id == BoardFreeze.frozen_by)
        .where(BoardFreeze.thawed_at.is_(None))
        .order_by(BoardFreeze.frozen_at, BoardFreeze.id)
    )
    if games is not None:
        query = query.where(ScoreGame.id.in_(games))
    rows = db.session.execute(query).all()
    return [
        (freeze, f"{game}:{mode}:{window}", by or "") for freeze, game, mode, window, by in rows
    ]


def _name(record: BoardRecord, mode: Mode) -> str:
    return f"{catalogue.game_of(mode).slug}:{mode.slug}:{record.window_id}"

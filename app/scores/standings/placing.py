"""Recomputes players' places on all boards of their modes, in PostgreSQL and then in Redis.

For callers that change what counts of many attempts, or whom boards show: rollbacks and sanctions
(app/moderation). `recount` runs in the caller's transaction, which holds the modes; `show` comes
after its commit and may be repeated. Archived boards are left alone. corrections.py changes one
attempt, mode_change.py a mode's policy.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from uuid import UUID

import redis
import structlog
from sqlalchemy import select, text, update

from app.accounts.models import Player
from app.accounts.players import names_of
from app.boards.catalogue import queries as catalogue
from app.boards.layouts import merged_top
from app.boards.models import BoardRecord, Mode
from app.boards.player_names import KEEP_SECONDS
from app.boards.windows.rules import parse_window
from app.core.db import db, transaction
from app.scores.standings import board_scores, mode_change
from app.scores.standings.board_scores import OnBoard
from app.scores.standings.mode_boards import on_board

log = structlog.get_logger(__name__)

# players whose places are written one by one; with more a board is rewritten and rebuilt whole
MOST_PUT = 500


def modes_of(players: Collection[UUID]) -> set[UUID]:
    """Return the modes in which these players have attempts, or had some on live boards."""
    query = text(
        "SELECT mode_id FROM score_attempts WHERE player_id = ANY(:players)"
        " UNION SELECT b.mode_id FROM archived_standings s JOIN boards b ON b.id = s.board_id"
        " WHERE s.player_id = ANY(:players)"
    )
    return set(db.session.scalars(query, {"players": list(players)}))


def hold(players: Collection[UUID]) -> dict[UUID, Mode]:
    """Lock these players and the modes of their attempts until the transaction ends.

    No score of theirs is counted meanwhile. Modes come first, as everywhere; the lock is taken
    again if a first score of a mode came in between.
    """
    while True:
        modes = catalogue.lock_modes(modes_of(players), exclusive=True)
        db.session.execute(
            text("SELECT id FROM players WHERE id = ANY(:players) ORDER BY id FOR UPDATE"),
            {"players": list(players)},
        )
        if modes_of(players) <= modes.keys():
            return modes
        db.session.rollback()


def living_boards(mode: Mode) -> list[OnBoard]:
    """Return every board of the mode that is not archived, by window."""
    records = db.session.scalars(
        select(BoardRecord)
        .where(BoardRecord.mode_id == mode.id, BoardRecord.archived_at.is_(None))
        .order_by(BoardRecord.window_id)
        .execution_options(populate_existing=True)
    )
    return [
        on_board(mode, record, parse_window(record.window_id, mode.calendar)) for record in records
    ]


def show_name(player_id: UUID) -> None:
    """Show the player's present name on every living board, and commit.

    While Redis does not answer this is left to a scheduled job (workers/jobs/show_sanctions.py).
    """
    try:
        note_name_shown(player_id, put_name(player_id))
    except redis.RedisError as error:
        log.warning("name_waits", player_id=str(player_id), reason=type(error).__name__)
    finally:
        db.session.rollback()


def put_name(player_id: UUID) -> str:
    """Write the player's present name to every living board; return the name.

    Only reads PostgreSQL. Redis errors are raised.
    """
    db.session.rollback()  # what was read before may be older than the name
    name = names_of([player_id]).get(player_id, "")
    for mode_id in modes_of([player_id]):
        for board in living_boards(db.session.get_one(Mode, mode_id)):
            board.redis.rename(str(player_id), name, KEEP_SECONDS)
    db.session.rollback()
    return name


def note_name_shown(player_id: UUID, name: str) -> None:
    """Record that this name is shown everywhere, unless there is a newer one; commit."""
    which = (Player.id == player_id, Player.display_name == name, Player.name_waits)
    db.session.execute(update(Player).where(*which).values(name_waits=False))
    db.session.commit()


def waiting_names(most: int) -> Sequence[UUID]:
    """Return players whose names boards may not show yet."""
    player_ids = db.session.scalars(
        select(Player.id).where(Player.name_waits).order_by(Player.id).limit(most)
    ).all()
    db.session.rollback()
    return player_ids


def recount(mode: Mode, players: Collection[UUID], now: datetime) -> None:
    """Recompute what the mode's boards hold of these players.

    The caller holds the mode exclusively and commits.

    Raises:
        OutOfRangeError: A total would leave the range in which a board is exact.
    """
    boards = living_boards(mode)
    if len(players) <= MOST_PUT:
        board_scores.recompute(boards, players)
        return
    for board in boards:
        mode_change.rewrite(mode, board.record)
        board.record.stale_since = now


def show(mode_ids: Iterable[UUID], players: Collection[UUID]) -> None:
    """Put to Redis what PostgreSQL holds of these players.

    Commits after each mode; a second run changes nothing. Stale boards are left to their rebuild.
    Redis errors are raised.
    """
    for mode_id in sorted(mode_ids):
        with transaction():
            mode = catalogue.lock_modes([mode_id], exclusive=True).get(mode_id)
            boards = living_boards(mode) if mode is not None else []
            fresh = [board for board in boards if board.record.stale_since is None]
            standings = board_scores.held_now(
                [(board.id, player) for board in fresh for player in players]
            )
            for board in fresh:
                board.redis.put(
                    {str(player): standings.get((board.id, player)) for player in players}
                )
                merged_top.forget(board.redis)

"""Deletes a game or a mode with its boards, archives and scores (decision 0038).

First it is marked: once that is committed nobody finds it and no score of it counts. Then a job
deletes it in steps. Each step commits, and the next run finds every unfinished step, so the process
may die at any line. The slug is free when all of it is gone. Only the audit keeps who deleted it,
when, and what it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import structlog
from sqlalchemy import func, select, text

from app.audit import log as audit
from app.audit.acts import Act
from app.boards.archive import services as archive
from app.boards.catalogue import queries as catalogue
from app.boards.layouts.moving import alone, drop_all
from app.boards.models import BoardRecord, Mode, ScoreGame
from app.core import clock
from app.core.batch_failures import Failures
from app.core.blob_store import BlobStore
from app.core.db import db, only_run, transaction
from app.core.postgres.advisory_locks import Lock
from app.core.refusals import Refusal
from app.scores.archive import months
from app.scores.feed import changes as feed
from app.scores.feed.changes import Told

log = structlog.get_logger(__name__)

CHUNK = 10_000  # rows per step
NOT_ARCHIVED, NOT_REPEATED = "not_archived", "not_repeated"
# The tables with most of the rows; the rest is deleted with the row of the board or mode.
OF_BOARDS = (
    "board_scores",
    "waiting_scores",
    "board_counts",
    "frozen_scores",
    "frozen_counts",
    "board_changes",
    "archived_standings",
)


@dataclass(frozen=True)
class Deleted:
    """What a run has deleted for good."""

    games: int
    modes: int


def ask_for_mode(
    game: ScoreGame, mode_id: UUID, slug: str, *, by: int, now: datetime
) -> datetime | list[Refusal]:
    """Mark the mode for deletion and commit; return since when, or why it cannot be deleted.

    Marking it again changes nothing. Waits for anybody who is writing scores of the mode.

    `slug` is the mode's own slug, repeated as a confirmation.
    """
    with transaction():
        mode = catalogue.lock_modes([mode_id], exclusive=True)[mode_id]
        if mode.deleting_at is None:
            refused = _refusals(
                mode.slug, slug, is_archived=(mode.archived_at or game.archived_at) is not None
            )
            if refused:
                return refused
            _mark([mode], now)
            audit.record(
                Act.MODE_DELETED,
                actor_id=by,
                subject=f"mode:{game.slug}:{mode.slug}",
                details=_what([mode]),
            )
        since: datetime = mode.deleting_at or now
    return since


def ask_for_game(game_id: UUID, slug: str, *, by: int, now: datetime) -> datetime | list[Refusal]:
    """Mark the game with all its modes; see ask_for_mode."""
    with transaction():
        query = select(ScoreGame).where(ScoreGame.id == game_id).with_for_update()
        game = db.session.scalars(query.execution_options(populate_existing=True)).one()
        if game.deleting_at is None:
            refused = _refusals(game.slug, slug, is_archived=game.archived_at is not None)
            if refused:
                return refused
            modes = mark_game(game, now)
            audit.record(
                Act.GAME_DELETED, actor_id=by, subject=f"game:{game.slug}", details=_what(modes)
            )
        since: datetime = game.deleting_at or now
    return since


def mark_game(game: ScoreGame, now: datetime) -> list[Mode]:
    """Mark the game with its modes in the caller's transaction; return the modes."""
    modes = _locked_modes(game)
    game.deleting_at = game.deleting_at or now
    _mark([mode for mode in modes if mode.deleting_at is None], now)
    return modes


def delete_marked(store: BlobStore, now: datetime) -> Deleted:
    """Delete everything that is marked; commit after each step. A second run changes nothing.

    A game or mode that fails stops no other: it is logged, and its error is raised at the end.

    Raises:
        BoardArchiveBusyError: Boards are being archived.
        BlobStoreError: The blob store failed.
        RedisError: Redis failed.
    """
    games = modes = 0
    failures = Failures("not_deleted")
    with only_run(
        Lock.BOARD_ARCHIVE,
        archive.BoardArchiveBusyError("Boards are being archived. Wait until that ends."),
    ):
        marked = db.session.scalars(
            select(ScoreGame).where(ScoreGame.deleting_at.is_not(None)).order_by(ScoreGame.id)
        )
        marked_games = [(game.id, game.slug) for game in marked.all()]
        for game_id, slug in marked_games:
            # a mode that was created while the game was being marked
            with failures.apart(f"game {slug}"), transaction():
                game = db.session.get_one(ScoreGame, game_id)
                _mark([mode for mode in _locked_modes(game) if mode.deleting_at is None], now)
        left = select(Mode.id).where(Mode.deleting_at.is_not(None)).order_by(Mode.id)
        mode_ids = db.session.scalars(left).all()
        db.session.rollback()
        for mode_id in mode_ids:
            with failures.apart(f"mode {mode_id}"):
                _take_away(mode_id, store)
                modes += 1
        for game_id, slug in marked_games:
            with failures.apart(f"game {slug}"):
                games += _finish_game(game_id)
    failures.raise_first()
    return Deleted(games, modes)


def _refusals(slug: str, repeated: str, *, is_archived: bool) -> list[Refusal]:
    if not is_archived:
        text_ = "Archive it first. Deletion cannot be undone."
        return [Refusal(NOT_ARCHIVED, "slug", text_)]
    if repeated != slug:
        return [Refusal(NOT_REPEATED, "slug", f"Repeat the slug {slug!r} to confirm the deletion.")]
    return []


def _locked_modes(game: ScoreGame) -> list[Mode]:
    ids = db.session.scalars(select(Mode.id).where(Mode.game_id == game.id)).all()
    return list(catalogue.lock_modes(ids, exclusive=True).values())


def _mark(modes: Sequence[Mode], now: datetime) -> None:
    """Detach the boards: no process verifies, moves or archives them, and the feed skips them."""
    for mode in modes:
        mode.deleting_at = now
    db.session.flush()
    db.session.execute(
        text(
            "UPDATE boards SET archived_at = :now, stale_since = NULL"
            " WHERE mode_id = ANY(:modes) AND archived_at IS NULL"
        ),
        {"now": now, "modes": [mode.id for mode in modes]},
    )


def _what(modes: Sequence[Mode]) -> dict[str, object]:
    """Describe the mode for the audit."""
    ids = [mode.id for mode in modes]
    boards = db.session.scalar(select(func.count()).where(BoardRecord.mode_id.in_(ids))) or 0
    return {"modes": sorted(mode.slug for mode in modes), "boards": boards}


def _take_away(mode_id: UUID, store: BlobStore) -> None:
    mode = db.session.get_one(Mode, mode_id, populate_existing=True)
    game = catalogue.game_of(mode)
    folder = f"{archive.FOLDER}/game={game.slug}/mode={mode.slug}"
    boards = db.session.scalars(
        select(BoardRecord.id).where(BoardRecord.mode_id == mode_id).order_by(BoardRecord.id)
    ).all()
    db.session.rollback()
    for board_id in boards:
        for table in OF_BOARDS:
            _delete_rows(table, "board_id", board_id)
        with alone(board_id) as (record, of):
            drop_all(record, of)
            db.session.delete(record)
    for name in store.names(folder):
        store.delete(name)
    _delete_rows("competitions", "mode_id", mode_id, 1)
    _delete_rows("score_attempts", "mode_id", mode_id)
    with transaction():
        mode_locked = catalogue.lock_modes([mode_id], exclusive=True)[mode_id]
        subject = f"mode:{game.slug}:{mode_locked.slug}"
        if game.integrator_id is not None:
            feed.tell(
                game.integrator_id, [Told(feed.MODE_DELETED, None, game.slug, mode_locked.slug, "")]
            )
        db.session.delete(mode_locked)
        db.session.flush()
        months.rewrite_all(clock.now())  # removes the mode's attempts from archived months
        audit.record(Act.MODE_GONE, actor_id=None, subject=subject)
    log.info("mode_deleted", mode=subject)


def _finish_game(game_id: UUID) -> int:
    with transaction():
        query = select(ScoreGame).where(ScoreGame.id == game_id).with_for_update()
        game = db.session.scalars(query.execution_options(populate_existing=True)).one()
        if db.session.scalar(select(func.count()).where(Mode.game_id == game_id)):
            return 0  # created in the meantime: left to the next run
        if game.integrator_id is not None:
            feed.tell(game.integrator_id, [Told(feed.GAME_DELETED, None, game.slug, "", "")])
        db.session.delete(game)
        db.session.flush()
        audit.record(Act.GAME_GONE, actor_id=None, subject=f"game:{game.slug}")
    log.info("game_deleted", game=game.slug)
    return 1


def _delete_rows(table: str, column: str, of: object, chunk: int = CHUNK) -> int:
    """Delete rows in steps of one transaction each; return how many."""
    statement = text(
        f"DELETE FROM {table} WHERE ctid = ANY(ARRAY("  # noqa: S608
        f"SELECT ctid FROM {table} WHERE {column} = :of LIMIT :chunk))"
    )
    deleted = 0
    while True:
        with transaction():
            done: int = db.session.execute(statement, {"of": of, "chunk": chunk}).rowcount  # type: ignore[attr-defined]
        deleted += done
        if done < chunk:
            return deleted

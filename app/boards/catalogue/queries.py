"""Finds games, modes and boards, and turns a board's row into a BoardSpec.

A score game is a namespace: each mode belongs to one game. app/boards/services.py reads boards.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

from sqlalchemy import exists, func, select
from sqlalchemy.dialects.postgresql import insert

from app.boards.catalogue.titles import is_uuid
from app.boards.models import BoardRecord, Mode, ScoreGame
from app.boards.rules import Aggregation, Budget, Ties
from app.boards.spec import BoardSpec
from app.boards.windows.retention import keep_days
from app.boards.windows.rules import Window
from app.core.db import db
from app.core.errors import UserError
from app.core.restore_epoch import epoch


class BoardNotFoundError(UserError):
    """There is no board of this name, or Redis has lost it."""


def games(integrator_id: int | None = None) -> list[ScoreGame]:
    """Return the games by title, then slug: those of one integrator, or all."""
    query = select(ScoreGame).where(ScoreGame.deleting_at.is_(None))
    query = query.order_by(func.lower(ScoreGame.title), ScoreGame.slug)
    if integrator_id is not None:
        query = query.where(ScoreGame.integrator_id == integrator_id)
    return list(db.session.scalars(query))


def game_of(mode: Mode) -> ScoreGame:
    """Return the game of a mode."""
    game = db.session.get(ScoreGame, mode.game_id)
    assert game is not None  # a foreign key
    return game


def modes(game: ScoreGame) -> list[Mode]:
    """Return the game's modes by title, then slug."""
    query = select(Mode).where(Mode.game_id == game.id, Mode.deleting_at.is_(None))
    query = query.order_by(func.lower(Mode.title), Mode.slug)
    return list(db.session.scalars(query))


def listed_modes(game: ScoreGame) -> list[Mode]:
    """Return the game's modes that a public list may name, by title, then slug."""
    return [mode for mode in modes(game) if mode.hidden_at is None and not mode.private]


def is_archived(mode: Mode) -> bool:
    """Whether the mode takes no more scores, because it or its game is archived."""
    return (mode.archived_at or game_of(mode).archived_at) is not None


def has_scores(mode: Mode) -> bool:
    """Whether any score has reached the mode."""
    return db.session.scalar(select(exists().where(BoardRecord.mode_id == mode.id))) or False


def find_game(name: str, *, deleting: bool = False) -> ScoreGame | None:
    """Find the game by slug or UUID; with `deleting` also while it is being deleted."""
    by = ScoreGame.id == UUID(name) if is_uuid(name) else ScoreGame.slug == name
    game = db.session.scalar(select(ScoreGame).where(by))
    return game if game is not None and (deleting or game.deleting_at is None) else None


def find_mode(game: ScoreGame, name: str, *, deleting: bool = False) -> Mode | None:
    """Find the game's mode by slug or UUID; with `deleting` also while it is being deleted."""
    by = Mode.id == UUID(name) if is_uuid(name) else Mode.slug == name
    mode = db.session.scalar(select(Mode).where(Mode.game_id == game.id, by))
    return mode if mode is not None and (deleting or mode.deleting_at is None) else None


def find_game_and_mode(game: str, mode: str) -> tuple[ScoreGame, Mode] | None:
    """Find the game and its mode in one statement; None if either is missing.

    As PostgreSQL has them now, also if the session has read them before.
    """
    of_game = ScoreGame.id == UUID(game) if is_uuid(game) else ScoreGame.slug == game
    of_mode = Mode.id == UUID(mode) if is_uuid(mode) else Mode.slug == mode
    query = select(ScoreGame, Mode).join(Mode, Mode.game_id == ScoreGame.id).where(of_game, of_mode)
    row = db.session.execute(query.execution_options(populate_existing=True)).one_or_none()
    if row is None or row[0].deleting_at is not None or row[1].deleting_at is not None:
        return None
    return row[0], row[1]


def find_board(mode: Mode, window_id: str) -> BoardRecord | None:
    """Find the mode's board in this window; None if it has no scores."""
    return db.session.scalar(
        select(BoardRecord).where(
            BoardRecord.mode_id == mode.id, BoardRecord.window_id == window_id
        )
    )


def board_named(key: str) -> BoardRecord:
    """Find the board that commands call `game:mode:window`.

    Raises:
        BoardNotFoundError: There is no such board.
    """
    game_name, _, mode_and_window = key.partition(":")
    mode_name, _, window_id = mode_and_window.partition(":")
    game = find_game(game_name)
    mode = find_mode(game, mode_name) if game else None
    board = find_board(mode, window_id) if mode else None
    if board is not None:
        return board
    raise BoardNotFoundError(
        f"There is no board {key}. Write it as game:mode:window, e.g. bowl:season:weekly:2026-W14."
    )


def archived_among(mode: Mode, window_ids: Collection[str]) -> set[str]:
    """Return which of these windows have archived boards: no score counts there any more."""
    if not window_ids:
        return set()
    query = select(BoardRecord.window_id).where(
        BoardRecord.mode_id == mode.id,
        BoardRecord.window_id.in_(window_ids),
        BoardRecord.archived_at.is_not(None),
    )
    return set(db.session.scalars(query))


def boards_before(mode: Mode, window: Window, limit: int) -> list[str]:
    """Return window ids of the mode's boards of this kind, newest first, without this window."""
    query = select(BoardRecord.window_id).where(
        BoardRecord.mode_id == mode.id,
        BoardRecord.window_id.startswith(f"{window.kind}:"),
        BoardRecord.window_id != window.window_id,
    )
    return list(db.session.scalars(query.order_by(BoardRecord.origin.desc()).limit(limit)))


def board_for(mode: Mode, window: Window) -> BoardRecord:
    """Return the mode's board in this window; it is created if it is missing.

    Runs in the caller's transaction.
    """
    if (record := find_board(mode, window.window_id)) is not None:
        return record
    # the window of all time never closes
    days = keep_days([window.kind], mode.keep_days).get(window.kind, 0)
    values = {
        "mode_id": mode.id,
        "window_id": window.window_id,
        "layout": mode.layout,
        "shards": mode.shards,
        "origin": window.starts or mode.created_at,
        "closes_at": window.ends,
        "expires_at": window.ends and window.ends + timedelta(days=days),
    }
    db.session.execute(
        insert(BoardRecord).values(values).on_conflict_do_nothing(constraint="uq_boards_window")
    )
    record = find_board(mode, window.window_id)
    assert record is not None
    return record


def lock_modes(mode_ids: Collection[UUID], *, exclusive: bool) -> dict[UUID, Mode]:
    """Load the modes by id and lock them until the caller's transaction ends.

    Writers of scores take the shared lock; anything else that changes what boards hold takes the
    exclusive one. The modes are locked in the order of their ids, so that two callers never wait
    for each other. Unknown ids are left out.
    """
    query = select(Mode).where(Mode.id.in_(mode_ids)).order_by(Mode.id)
    locked = query.with_for_update(read=not exclusive).execution_options(populate_existing=True)
    return {mode.id: mode for mode in db.session.scalars(locked)}


def spec_of(game: ScoreGame, mode: Mode, record: BoardRecord) -> BoardSpec:
    """Describe where the board lies in Redis and how it counts."""
    spec = BoardSpec(
        game=game.slug,
        mode=mode.slug,
        window=record.window_id,
        aggregation=Aggregation(mode.aggregation),
        ties=Ties(mode.ties),
        budget=Budget(tied=mode.ties == Ties.EARLIEST),
        order=mode.ordering,
        layout=record.layout,
        shards=record.shards,
        generation=record.generation,
        timeline=epoch(),
    )
    if record.next_generation is None:
        return spec
    assert record.next_layout is not None  # a constraint of the table
    assert record.next_shards is not None
    following = replace(
        spec,
        layout=record.next_layout,
        shards=record.next_shards,
        generation=record.next_generation,
    )
    return replace(spec, next=following)

"""Where a mode's scores count, and where a player stands there."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import select, tuple_

from app.accounts import sanctions
from app.boards import catalogue, services, windows
from app.boards.board import open_board
from app.boards.models import BoardRecord, Mode
from app.boards.reads import BoardReads
from app.boards.windows import Window
from app.core.db import db
from app.scores.own_place import own_place
from app.scores.standings import OnBoard


@dataclass(frozen=True)
class Standing:
    """`rank` None: they have no place (yet). `score` in the mode's smallest unit."""

    rank: int | None
    score: int | None
    total: int
    subscore: int | None = None


def windows_of(mode: Mode, at: datetime) -> list[Window]:
    """The mode's windows that a score of that moment counts in."""
    return windows.windows_of(mode.windows, at, mode.calendar)


class Boards:
    """Every board that a batch of scores needs, read once. Good while the caller holds the modes' rows."""

    def __init__(self) -> None:
        self._known: dict[tuple[UUID, str], OnBoard | None] = {}

    def of(self, moments: Iterable[tuple[Mode, datetime]]) -> list[list[OnBoard]]:
        """For each (mode, moment) the boards that a score of then counts on; missing ones are made.

        A board that was archived is left out: nothing counts on it any more.
        """
        wanted = [(mode, windows_of(mode, at)) for mode, at in moments]
        missing = {(mode.id, one.window_id): (mode, one) for mode, found in wanted for one in found}
        missing = {key: value for key, value in missing.items() if key not in self._known}
        records = _records(missing)
        for key, (mode, window) in sorted(missing.items()):
            record = records.get(key) or catalogue.board_for(mode, window)
            self._known[key] = None if record.archived_at else on_board(mode, record, window)
        boards = [[self._known[mode.id, one.window_id] for one in found] for mode, found in wanted]
        return [[board for board in found if board is not None] for found in boards]


def on_board(mode: Mode, record: BoardRecord, window: Window) -> OnBoard:
    spec = catalogue.spec_of(catalogue.game_of(mode), mode, record)
    how = spec.aggregation, spec.ties, spec.budget, spec.order
    return OnBoard(record, *how, window.starts, window.ends, open_board(spec))


def _records(keys: Collection[tuple[UUID, str]]) -> dict[tuple[UUID, str], BoardRecord]:
    if not keys:
        return {}
    found = db.session.scalars(
        select(BoardRecord)
        .where(tuple_(BoardRecord.mode_id, BoardRecord.window_id).in_(list(keys)))
        .execution_options(populate_existing=True)
    )
    return {(record.mode_id, record.window_id): record for record in found}


def first_window(mode: Mode, at: datetime) -> str:
    """The window that answers name: the shortest of the mode's at that moment."""
    return windows_of(mode, at)[0].window_id  # a mode keeps its kinds in that order


def standing(mode: Mode, window_id: str, player_id: UUID, *, is_hidden: bool | None = None) -> Standing:
    """Where the player stands now; from whichever store answers. `is_hidden`: where it is known."""
    reading = services.read(catalogue.game_of(mode), mode, window_id)
    board = reading.board
    if is_hidden is None:
        is_hidden = bool(sanctions.hidden_among([player_id]))
    if is_hidden and sanctions.shadowed_viewer() != player_id:
        board = own_place(reading, player_id)
    member = str(player_id)
    view = board.view(0, 1, member, 0)
    if view.me is None:
        return Standing(None, None, view.count)
    return Standing(view.me.rank, view.me.score, view.count, view.me.subscore)


def provisional(mode: Mode, window_id: str, player_id: UUID, score: int, subscore: int | None = None) -> int:
    """The rank that the player will have once this score counts, if nothing else comes before it."""
    board = services.read(catalogue.game_of(mode), mode, window_id).board
    sent = mode, str(player_id), score, subscore
    if isinstance(board, services.Fallback):
        return board.ask(lambda read: _provisional(read, *sent))
    return _provisional(board, *sent)


def _provisional(board: BoardReads, mode: Mode, member: str, score: int, subscore: int | None) -> int:
    found = board.view(0, 1, member, 0).me
    order = mode.ordering
    held, key = None if found is None else order.key(found.score, found.subscore), order.key(score, subscore)
    if found is not None and held is not None and mode.aggregation == "highest" and held >= key:
        return found.rank
    if held is not None and mode.aggregation == "sum":
        key += held
    rank = board.rank_of_score(order.score_of(key), order.subscore_of(key))
    # The player is among those before them where a new score takes them down.
    is_counted = held is not None and (held > key or (mode.ties == "earliest" and held == key))
    return rank - 1 if is_counted and mode.ties != "dense" else rank

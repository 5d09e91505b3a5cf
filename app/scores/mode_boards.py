"""Where a mode's scores count, and where a player stands there."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import select, tuple_

from app.boards import catalogue, services, windows
from app.boards.board import open_board
from app.boards.models import BoardRecord, Mode
from app.boards.windows import Window
from app.core.db import db
from app.scores.standings import OnBoard

SHORTEST_FIRST = ("daily", "weekly", "monthly", "all-time")


@dataclass(frozen=True)
class Standing:
    """`rank` None: they have no place (yet). `score` in the mode's smallest unit."""

    rank: int | None
    score: int | None
    total: int


def windows_of(mode: Mode, at: datetime) -> list[Window]:
    """The mode's windows that a score of that moment counts in."""
    return windows.windows_of(mode.windows, at, mode.time_zone)


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
    return OnBoard(record, spec.aggregation, spec.ties, spec.budget, window.starts, window.ends, open_board(spec))


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
    kind = min(mode.windows, key=SHORTEST_FIRST.index)
    return windows.window_of(kind, at, mode.time_zone).window_id


def standing(mode: Mode, window_id: str, player_id: UUID) -> Standing:
    """Where the player stands now; from whichever store answers."""
    board = services.read(catalogue.game_of(mode), mode, window_id).board
    member = str(player_id)
    view = board.view(0, 1, member, 0)
    return Standing(view.me.rank if view.me else None, view.me.score if view.me else None, view.count)


def provisional(mode: Mode, window_id: str, player_id: UUID, score: int) -> int:
    """The rank that the player will have once this score counts, if nothing else comes before it."""
    board = services.read(catalogue.game_of(mode), mode, window_id).board
    held = board.standings([str(player_id)]).get(str(player_id))
    if held is not None and mode.aggregation == "highest" and held.score >= score:
        return held.rank
    total = held.score + score if held is not None and mode.aggregation == "sum" else score
    rank = board.rank_of_score(total)
    # The player is among those before them where a new score takes them down.
    is_counted = held is not None and (held.score > total or (mode.ties == "earliest" and held.score == total))
    return rank - 1 if is_counted and mode.ties != "dense" else rank

"""Games, modes and boards from the page cache, for readers.

The rows belong to no session and are read only. Whoever changes one of them invalidates it
(app/core/page_cache), so the next reader sees the change. queries.py finds rows that somebody wants
to change, and those that a transaction has changed itself.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, TypeVar

import msgspec
from sqlalchemy import JSON
from sqlalchemy.inspection import inspect

from app.boards.catalogue import queries as catalogue
from app.boards.models import BoardRecord, Mode, ScoreGame
from app.core.page_cache.values import CachedValue, cached_value

Row = TypeVar("Row", ScoreGame, Mode, BoardRecord)


def find_game_and_mode(game: str, mode: str) -> tuple[ScoreGame, Mode] | None:
    """Find the game and its mode by slug or UUID; None if either is missing."""

    def load() -> CachedValue[Any]:
        rows = catalogue.find_game_and_mode(game, mode)
        if rows is None:
            return CachedValue(None, ())
        return CachedValue({"game": _values(rows[0]), "mode": _values(rows[1])}, ("catalogue",))

    values = cached_value(f"mode:{_COLUMNS}:{game}:{mode}", _BOTH | None, load)
    if values is None:
        return None
    return _row(ScoreGame, values.game), _row(Mode, values.mode)


def find_board(mode: Mode, window_id: str) -> BoardRecord | None:
    """Find the mode's board in this window; None if it has no scores."""

    def load() -> CachedValue[Any]:
        record = catalogue.find_board(mode, window_id)
        if record is None:
            return CachedValue(None, ("boards",))
        return CachedValue(_values(record), board_tags(record))

    values = cached_value(f"board:{_COLUMNS}:{mode.id}:{window_id}", _BOARD | None, load)
    return None if values is None else _row(BoardRecord, values)


def board_tags(record: BoardRecord) -> tuple[str, ...]:
    """Return the cache tags on which a board's row depends."""
    return "boards", f"board:{record.id}", f"verified:{record.id}"


def _columns_of(model: Any) -> Any:
    """Return a struct of the model's columns, to which JSON is decoded."""
    return msgspec.defstruct(
        f"{model.__name__}Columns",
        [
            (name, Any if isinstance(column.type, JSON) else column.type.python_type | None)
            for name, column in inspect(model).columns.items()
        ],
    )


_GAME, _MODE, _BOARD = (_columns_of(model) for model in (ScoreGame, Mode, BoardRecord))
_BOTH: Any = msgspec.defstruct("GameAndMode", [("game", _GAME), ("mode", _MODE)])
# In each key: while an installation is upgraded, the other release may have other columns.
_COLUMNS = blake2b(
    repr([columns.__annotations__ for columns in (_GAME, _MODE, _BOARD)]).encode(), digest_size=8
).hexdigest()


def _values(row: ScoreGame | Mode | BoardRecord) -> dict[str, Any]:
    return {name: getattr(row, name) for name, _ in inspect(type(row)).columns.items()}


def _row(model: type[Row], values: Any) -> Row:
    return model(**msgspec.structs.asdict(values))

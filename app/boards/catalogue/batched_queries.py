"""Finds the game and mode of a score for many requests at once (app/core/request_batching.py).

The rows belong to no session and are read only. queries.py finds rows that somebody wants to
change.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import ColumnElement, and_, or_, select

from app.boards.catalogue.titles import is_uuid
from app.boards.models import Mode, ScoreGame
from app.core.db import db
from app.core.db.autocommit import begin_autocommit
from app.core.request_batching import batched


def game_and_mode(game: str, mode: str) -> tuple[ScoreGame, Mode] | None:
    """Find the game and mode by slug or UUID; None if either is missing."""
    return _found((_key(game), _key(mode)))


Key = UUID | str


def _key(name: str) -> Key:
    return UUID(name) if is_uuid(name) else name


def _find(asked: Sequence[tuple[Key, Key]]) -> list[tuple[ScoreGame, Mode] | None]:
    begin_autocommit()
    named = [
        and_(_named(ScoreGame, game), _named(Mode, mode))
        for game, mode in sorted(set(asked), key=str)
    ]
    query = select(ScoreGame, Mode).join(Mode, Mode.game_id == ScoreGame.id).where(or_(*named))
    by_names: dict[tuple[Key, Key], tuple[ScoreGame, Mode]] = {}
    for game, mode in db.session.execute(query):
        if game.deleting_at is None and mode.deleting_at is None:
            by_names |= {
                (game_name, mode_name): (game, mode)
                for game_name in (game.id, game.slug)
                for mode_name in (mode.id, mode.slug)
            }
    return [by_names.get(names) for names in asked]


def _named(model: type[ScoreGame] | type[Mode], name: Key) -> ColumnElement[bool]:
    return model.id == name if isinstance(name, UUID) else model.slug == name


_found = batched(_find)

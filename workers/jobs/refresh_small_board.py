"""Job: refresh the cached board of a long list of friends, or of a guild (PRODUCT D8)."""

from __future__ import annotations

from uuid import UUID

from app.boards.catalogue import queries as catalogue
from app.boards.groups import small_board
from app.core import clock
from app.core.db import db
from app.fantasy.leagues import guilds
from workers.context import in_app


@in_app
def run(kind: str, name: str, game_slug: str, mode_slug: str, window_id: str) -> None:
    """Do nothing if the game or mode is gone. Running twice changes nothing."""
    game = catalogue.find_game(game_slug)
    mode = catalogue.find_mode(game, mode_slug) if game else None
    if game is None or mode is None:
        return
    if kind == small_board.FRIENDS:
        group = small_board.friends_of(UUID(name))
    else:
        group = guilds.guild_of(name)
    small_board.refresh(small_board.ModeWindow(game, mode, window_id), group, clock.now())
    db.session.rollback()

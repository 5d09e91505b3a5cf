"""Where a mode's scores count, and where a player stands there: the one import of the boards' catalogue and reads."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.boards.models import Mode, ScoreGame
from app.core.db import db

SHORTEST_FIRST = ("daily", "weekly", "monthly", "all-time")


@dataclass(frozen=True)
class Standing:
    """`rank` None: he has no place (yet). `score` in the mode's smallest unit."""

    rank: int | None
    score: int | None
    total: int


def game_of(mode: Mode) -> ScoreGame:
    game = db.session.get(ScoreGame, mode.game_id)
    assert game is not None  # a foreign key
    return game


def first_window(mode: Mode, at: datetime) -> str:
    """The window that answers name: the shortest of the mode's at that moment."""
    from app.boards.windows import window_of

    kind = min(mode.windows, key=SHORTEST_FIRST.index)
    window: str = window_of(kind, at, mode.time_zone).window_id
    return window


def standing(mode: Mode, window_id: str, player_id: UUID) -> Standing:
    """Where the player stands now; from whichever store answers."""
    from app.boards.services import read

    board = read(game_of(mode), mode, window_id).board
    member = str(player_id)
    view = board.view(0, 1, member, 0)
    return Standing(view.me.rank if view.me else None, view.me.score if view.me else None, view.count)


def provisional(mode: Mode, window_id: str, player_id: UUID, score: int) -> int:
    """The rank that the player will have once this score counts, if nothing else comes before it."""
    from app.boards.services import read

    board = read(game_of(mode), mode, window_id).board
    held = board.standings([str(player_id)]).get(str(player_id))
    if held is not None and mode.aggregation == "highest" and held.score >= score:
        return held.rank
    total = held.score + score if held is not None and mode.aggregation == "sum" else score
    rank = board.rank_of_score(total)
    # The player himself is among those before him where a new score takes him down.
    counts_himself = held is not None and (held.score > total or (mode.ties == "earliest" and held.score == total))
    return rank - 1 if counts_himself and mode.ties != "dense" else rank

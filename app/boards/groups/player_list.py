"""Any list of players on a board: where each stands on the whole of it, and among themselves.

For guilds, parties and lobbies that a game keeps itself. Nothing of the list is kept. Not here:
friends and leagues, whose lists are Pressbox's own (small_board.py).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from app.boards import ranking
from app.boards.ranking import Place
from app.boards.reads import Standing
from app.boards.rules import Ties
from app.boards.services import Reading

MOST_PLAYERS = 500  # of one list: one look into the board


@dataclass(frozen=True)
class Listed:
    """`rank_among`: from 1 among those of the list that have a score, by the board's ties."""

    standing: Standing
    rank_among: int


def player_list(reading: Reading, players: Collection[UUID]) -> list[Listed]:
    """Those of these players who have a score, in the board's order; doubles once.

    Raises ValueError for more than MOST_PLAYERS.
    """
    if len(players) > MOST_PLAYERS:
        raise ValueError(f"{len(players)} players in one list; ask for {MOST_PLAYERS} at most")
    standings = (
        reading.board.standings(sorted({str(player) for player in players})) if players else {}
    )
    in_order = sorted(standings.values(), key=lambda standing: (standing.rank, standing.position))
    order = reading.mode.ordering
    entries = [
        (standing.member, order.key(standing.score, standing.subscore)) for standing in in_order
    ]
    among = ranking.rows(Ties(reading.mode.ties), order, entries, Place(0, 0, 0))
    return [Listed(standing, row.rank) for standing, row in zip(in_order, among, strict=True)]

"""Any list of players on a board: where each stands on the whole board, and among the list.

For guilds, parties and lobbies that a game keeps itself; the list is not stored. small_board.py
ranks friends and leagues, whose lists are Pressbox's own.
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

MOST_PLAYERS = 500  # per list: one read of the board


@dataclass(frozen=True)
class Listed:
    """A player's standing, and their rank from 1 among those of the list who have a score."""

    standing: Standing
    rank_among: int


def player_list(reading: Reading, players: Collection[UUID]) -> list[Listed]:
    """Rank the players of the list who have a score, in the board's order, each once.

    Raises:
        ValueError: There are more than MOST_PLAYERS.
    """
    if len(players) > MOST_PLAYERS:
        raise ValueError(f"{len(players)} players in one list; the limit is {MOST_PLAYERS}")
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

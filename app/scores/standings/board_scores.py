"""What boards hold of players in PostgreSQL: folding attempts, counting by score, recomputing.

After every commit a row of `board_scores` is the fold of the player's clean attempts in the board's
window (app/boards/rules.py), unless the player is hidden, and `board_counts` is their number by
score. The consumer (apply.py), corrections and placing call this; the caller holds the mode's row
and commits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import select, text

from app.accounts.sanctions import hidden_among
from app.boards.layouts.board import Board
from app.boards.models import BoardRecord
from app.boards.order import Order
from app.boards.rules import Aggregation, Attempt, Budget, Held, Ties, add
from app.core.clock import to_us
from app.core.db import db
from app.scores.models import ArchivedStanding, ScoreAttempt
from app.scores.standings.waiting_scores import Place, forget_waiting


@dataclass(frozen=True, eq=False)
class OnBoard:
    """A board as writers need it: its row, its window [starts, ends) and its board in Redis.

    A window without `ends` never closes. Scores are published every `update_seconds`, or at once.
    """

    record: BoardRecord
    aggregation: Aggregation
    ties: Ties
    budget: Budget
    order: Order
    starts: datetime | None
    ends: datetime | None
    redis: Board
    update_seconds: int

    @property
    def id(self) -> int:
        """The id of the board's row."""
        return self.record.id


# As arrays: a list of a thousand pairs takes longer to write out than to look up.
_HELD = text("""
    SELECT board_id, player_id, score, at, event_id FROM board_scores
    JOIN unnest(CAST(:boards AS bigint[]), CAST(:players AS uuid[])) AS wanted(board_id, player_id)
      USING (board_id, player_id)
""")


def held_now(places: Collection[Place]) -> dict[Place, Held]:
    """Return what PostgreSQL holds at these places; places without a row are left out."""
    if not places:
        return {}
    rows = db.session.execute(
        _HELD,
        {
            "boards": [board for board, _ in places],
            "players": [str(player) for _, player in places],
        },
    )
    return {
        (row.board_id, row.player_id): Held(row.score, row.at, str(row.event_id)) for row in rows
    }


_STORE = text("""
    INSERT INTO board_scores AS held (board_id, player_id, score, tie, at, event_id)
    SELECT * FROM unnest(
      CAST(:boards AS bigint[]), CAST(:players AS uuid[]), CAST(:scores AS bigint[]),
        CAST(:ties AS bigint[]),
      CAST(:ats AS bigint[]), CAST(:events AS uuid[])) AS new(board_id, player_id, score, tie, at,
        event_id)
    ORDER BY board_id, player_id
    ON CONFLICT (board_id, player_id) DO UPDATE
    SET score = excluded.score, tie = excluded.tie, at = excluded.at, event_id = excluded.event_id
""")
_REMOVE = text("""
    DELETE FROM board_scores
    WHERE (board_id, player_id) IN (SELECT * FROM unnest(CAST(:boards AS bigint[]),
      CAST(:players AS uuid[])))
""")
# In one statement and in order, so that two writers of a board wait for each other without a
# deadlock. A count that reaches 0 is deleted by the writer that holds its lock anyway.
_COUNT = text("""
    INSERT INTO board_counts AS held (board_id, score, players)
    SELECT * FROM unnest(CAST(:boards AS bigint[]), CAST(:scores AS bigint[]),
      CAST(:changes AS bigint[]))
      AS new(board_id, score, players)
    ORDER BY board_id, score
    ON CONFLICT (board_id, score) DO UPDATE SET players = held.players + excluded.players
""")
_EMPTY = text("""
    DELETE FROM board_counts
    WHERE players = 0
      AND (board_id, score) IN (SELECT * FROM unnest(CAST(:boards AS bigint[]),
        CAST(:scores AS bigint[])))
""")


def store(
    boards: Mapping[int, OnBoard], before: Mapping[Place, Held], after: Mapping[Place, Held | None]
) -> None:
    """Write what these places hold after a change; None removes a row.

    `before` is what PostgreSQL holds of them now.
    """
    changed = {
        place: standing for place, standing in after.items() if standing != before.get(place)
    }
    stored = [(place, standing) for place, standing in changed.items() if standing is not None]
    if stored:
        db.session.execute(
            _STORE,
            {
                "boards": [place[0] for place, _ in stored],
                "players": [str(place[1]) for place, _ in stored],
                "scores": [standing.score for _, standing in stored],
                "ties": [_tie(boards[place[0]], standing) for place, standing in stored],
                "ats": [standing.at for _, standing in stored],
                "events": [standing.event for _, standing in stored],
            },
        )
    if removed := [place for place, standing in changed.items() if standing is None]:
        db.session.execute(
            _REMOVE,
            {
                "boards": [board for board, _ in removed],
                "players": [str(player) for _, player in removed],
            },
        )
    counts: Counter[tuple[int, int]] = Counter()
    for place, standing in changed.items():
        if (was := before.get(place)) is not None:
            counts[place[0], was.score] -= 1
        if standing is not None:
            counts[place[0], standing.score] += 1
    _count({key: change for key, change in counts.items() if change})


def _count(changes: Mapping[tuple[int, int], int]) -> None:
    if not changes:
        return
    columns: dict[str, Any] = {
        "boards": [board for board, _ in changes],
        "scores": [score for _, score in changes],
    }
    db.session.execute(_COUNT, columns | {"changes": list(changes.values())})
    if any(change < 0 for change in changes.values()):
        db.session.execute(_EMPTY, columns)


def _tie(board: OnBoard, standing: Held) -> int:
    return standing.at if board.ties is Ties.EARLIEST else 0


def folded(board: OnBoard, players: Collection[UUID]) -> dict[UUID, Held]:
    """Fold the players' clean attempts in the board's window, from the attempts alone.

    Those of archived months are folded already. Hidden players are left out.
    """
    visible = set(players) - hidden_among(players)
    columns = ("player_id", "event_id", "score", "subscore", "achieved_at")
    counted = select(*(getattr(ScoreAttempt, name) for name in columns)).where(
        ScoreAttempt.mode_id == board.record.mode_id,
        ScoreAttempt.player_id.in_(visible),
        ScoreAttempt.fraud_state == "clean",
        ScoreAttempt.rolled_back_at.is_(None),
    )
    if board.starts is not None:
        counted = counted.where(ScoreAttempt.achieved_at >= board.starts)
    if board.ends is not None:
        counted = counted.where(ScoreAttempt.achieved_at < board.ends)
    archived = select(*(getattr(ArchivedStanding, name) for name in columns)).where(
        ArchivedStanding.board_id == board.id, ArchivedStanding.player_id.in_(visible)
    )
    standings: dict[UUID, Held] = {}
    for row in db.session.execute(counted.union_all(archived)):
        attempt = Attempt(
            to_us(row.achieved_at), str(row.event_id), board.order.key(row.score, row.subscore)
        )
        standings[row.player_id] = add(board.aggregation, standings.get(row.player_id), attempt)
    return standings


def recompute(boards: Iterable[OnBoard], players: Collection[UUID]) -> None:
    """Set these players' rows of the boards to the fold of their attempts, also of waiting ones.

    The caller holds the mode exclusively.

    Raises:
        OutOfRangeError: A total would leave the range in which a board is exact.
    """
    known = {board.id: board for board in boards}
    places = [(board, player) for board in known for player in players]
    after: dict[Place, Held | None] = dict.fromkeys(places)
    for board in known.values():
        for player, standing in folded(board, players).items():
            board.budget.encode(standing)  # refuses what is out of range
            after[board.id, player] = standing
    store(known, held_now(places), after)
    forget_waiting(known, players)

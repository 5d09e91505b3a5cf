"""Reads of a board from PostgreSQL while Redis is away; counts per score replace ranking the table.

A rank is the sum of the counts above plus an index range among equals; a page starts at the score
that the counts lead to. No read ranks or sorts the board (tests look at the plans).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import Row as SqlRow
from sqlalchemy import text

from app.boards import ranking
from app.boards.order import Order
from app.boards.ranking import Place
from app.boards.reads import Row, Standing, View, check_page
from app.boards.rules import Ties
from app.core.db import db

COUNT = "SELECT coalesce(sum(players), 0) FROM board_counts WHERE board_id = :board"
ABOVE = """
    SELECT coalesce(sum(players), 0) AS players, count(*) AS scores
    FROM board_counts WHERE board_id = :board AND score > :score
"""
STANDINGS = """
    SELECT s.player_id, s.score, s.tie, above.players, above.scores, equals.players AS equals
    FROM board_scores s
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(c.players), 0) AS players, count(*) AS scores
      FROM board_counts c WHERE c.board_id = :board AND c.score > s.score) above
    CROSS JOIN LATERAL (
      SELECT count(*) AS players FROM board_scores e
      WHERE e.board_id = :board AND e.score = s.score AND (e.tie, e.player_id) < (s.tie,
        s.player_id)
    ) equals
    WHERE s.board_id = :board AND s.player_id = ANY(CAST(:players AS uuid[]))
"""
# The score at a position, and what stands above it: a running sum over the counts that ends when
# it is reached.
SCORE_AT = """
    SELECT score, above, scores FROM (
      SELECT score, players, sum(players) OVER down - players AS above, row_number()
        OVER down - 1 AS scores
      FROM board_counts WHERE board_id = :board WINDOW down AS (ORDER BY score DESC ROWS UNBOUNDED
        PRECEDING)
    ) running WHERE above + players > :position LIMIT 1
"""
FROM_SCORE = """
    SELECT player_id, score FROM board_scores WHERE board_id = :board AND score <= :score
    ORDER BY score DESC, tie, player_id OFFSET :skip LIMIT :limit
"""
BEFORE = """
    (SELECT player_id, score FROM board_scores
     WHERE board_id = :board AND score = :score AND (tie, player_id) < (:tie, CAST(:player AS uuid))
     ORDER BY score, tie DESC, player_id DESC LIMIT :k)
    UNION ALL
    (SELECT player_id, score FROM board_scores WHERE board_id = :board AND score > :score
     ORDER BY score, tie DESC, player_id DESC LIMIT :k)
    LIMIT :k
"""
AFTER = """
    (SELECT player_id, score FROM board_scores
     WHERE board_id = :board AND score = :score AND (tie, player_id) >= (:tie,
       CAST(:player AS uuid))
     ORDER BY score DESC, tie, player_id LIMIT :k)
    UNION ALL
    (SELECT player_id, score FROM board_scores WHERE board_id = :board AND score < :score
     ORDER BY score DESC, tie, player_id LIMIT :k)
    LIMIT :k
"""


ABOVE_EACH = f"""
    SELECT above.* FROM unnest(CAST(:scores AS bigint[])) WITH ORDINALITY AS asked (score, number)
    CROSS JOIN LATERAL ({ABOVE.replace(":score", "asked.score")}) AS above ORDER BY asked.number
"""  # noqa: S608


TRIES = 5  # if a member's score changes between two statements of `around`


class SqlBoard:
    """BoardReads (reads.py) of the row `board_id` of `boards`; empty if there is no such board.

    Its tables hold keys (order.py) in their columns `score`. With `frozen` it is read as it stood
    when it was frozen.
    """

    def __init__(self, board_id: int, ties: Ties, order: Order, *, frozen: bool = False) -> None:
        self.board_id = board_id
        self.ties = ties
        self.order = order
        self.frozen = frozen

    def count(self) -> int:
        """Return the number of players on the board."""
        return int(self._all(COUNT)[0][0])

    def standings(self, members: Collection[str]) -> dict[str, Standing]:
        """Return the standing of each of these members that is on the board."""
        rows = self._found(members)
        count = self.count() if rows else 0
        return {
            str(row.player_id): ranking.standing(
                self.ties, self.order, (str(row.player_id), row.score), _place(row), count
            )
            for row in rows
        }

    def page(self, offset: int, limit: int) -> list[Row]:
        """Return rows of the board from `offset` on."""
        check_page(offset, limit)
        starts = self._all(SCORE_AT, position=offset)
        if not starts:
            return []
        start = starts[0]
        rows = self._all(FROM_SCORE, score=start.score, skip=int(offset - start.above), limit=limit)
        return self._rows(rows, Place(offset, int(start.above), start.scores))

    def around(self, member: str, k: int) -> list[Row]:
        """Return the member's row with up to `k` rows on either side."""
        for _ in range(TRIES):
            rows = self._found([member])
            if not rows:
                return []
            (me,) = rows
            here = {"score": me.score, "tie": me.tie, "player": str(me.player_id)}
            ahead = self._all(BEFORE, k=k, **here)[::-1]
            behind = self._all(AFTER, k=k + 1, **here)
            if behind and (behind[0].player_id, behind[0].score) == (me.player_id, me.score):
                above = self._all(ABOVE, score=(ahead or behind)[0].score)[0]
                place = Place(_place(me).before - len(ahead), int(above.players), above.scores)
                return self._rows([*ahead, *behind], place)
        return []

    def band(self, low: int, high: int, offset: int, limit: int) -> list[Row]:
        """Return rows with scores from `low` to `high`, best first."""
        worst, best = self.order.keys_of(low, high)
        start, end = (int(self._all(ABOVE, score=key)[0].players) for key in (best, worst - 1))
        count = min(limit, end - start - offset)
        return self.page(start + offset, count) if count > 0 else []

    def rank_of_score(self, score: int, subscore: int | None = None) -> int:
        """Return the rank that a newcomer with this score would get."""
        return self.ranks_of_scores([(score, subscore)])[0]

    def ranks_of_scores(self, scores: Sequence[tuple[int, int | None]]) -> list[int]:
        """Return the ranks that newcomers with these scores would get."""
        keys = [self.order.key(score, subscore) for score, subscore in scores]
        if self.ties is Ties.EARLIEST:
            keys = [key - 1 for key in keys]
        rows = self._all(ABOVE_EACH, scores=keys) if keys else ()
        return [
            int(above.scores if self.ties is Ties.DENSE else above.players) + 1 for above in rows
        ]

    def view(self, offset: int, limit: int, member: str | None = None, k: int = 4) -> View:
        """Return a page together with a member's own place and neighbours."""
        me = self.standings([member]).get(member) if member else None
        around = self.around(member, k) if member and me else []
        return View(self.count(), self.page(offset, limit), me, around)

    def _found(self, members: Collection[str]) -> Sequence[SqlRow[Any]]:
        players = [member for member in members if _is_uuid(member)]
        return self._all(STANDINGS, players=players) if players else []

    def _rows(self, rows: Sequence[SqlRow[Any]], first: Place) -> list[Row]:
        return ranking.rows(
            self.ties, self.order, [(str(row.player_id), row.score) for row in rows], first
        )

    def _all(self, statement: str, **values: Any) -> Sequence[SqlRow[Any]]:
        if self.frozen:
            statement = statement.replace("board_scores", "frozen_scores").replace(
                "board_counts", "frozen_counts"
            )
        return db.session.execute(text(statement), {"board": self.board_id, **values}).all()

    def count_from(self, key: int) -> int:
        """Return how many players have this key or a better one."""
        return int(self._all(ABOVE, score=key - 1)[0].players)


def _place(row: SqlRow[Any]) -> Place:
    return Place(int(row.players) + row.equals, int(row.players), row.scores)


def _is_uuid(member: str) -> bool:
    try:
        UUID(member)
    except ValueError:
        return False
    return True

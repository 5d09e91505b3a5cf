"""Boards and scores as they were: a player's history on a board, a board as of a moment, and who moved since.

Worked out from the attempts, each time whole: seconds for a million, so this is no page that everybody opens. What
counted at a moment follows from when attempts came into PostgreSQL, when they were taken back, and by the states that
corrections noted; the mode's policy is today's. Works for archived boards too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text

from app.boards import catalogue
from app.boards.models import Mode
from app.boards.reads import Row, check_page
from app.boards.rules import Aggregation, Budget, Ties
from app.boards.windows import Window
from app.core.db import db
from app.scores import folding


@dataclass(frozen=True)
class Played:
    """One attempt. `state`: clean, flagged, rejected or rolled_back; `held`: what the player holds on the board after
    it, None before their first that counts. Scores in the mode's smallest unit."""

    event_id: UUID
    attempt_id: UUID
    at: datetime
    score: int
    state: str
    held: int | None


@dataclass(frozen=True)
class Snapshot:
    """Some rows of a board as it stood then, and how many players were on it."""

    then: datetime
    count: int
    rows: Sequence[Row]


@dataclass(frozen=True)
class Moved:
    """A player at two moments; None where they had no place (yet, or any more)."""

    player_id: UUID
    rank_before: int | None
    rank_after: int | None
    score_before: int | None
    score_after: int | None


_HELD = {
    Aggregation.HIGHEST: "max(score) FILTER (WHERE counts) OVER so_far",
    Aggregation.SUM: "sum(score) FILTER (WHERE counts) OVER so_far",
    # Of those with the same number of counted ones before, only the first counted.
    Aggregation.LATEST: "max(score) FILTER (WHERE counts) OVER (PARTITION BY counted)",
}


def history(
    mode: Mode, window: Window, player_id: UUID, offset: int, limit: int, *, counted_only: bool = False
) -> list[Played]:
    """The player's attempts in the window with what they came to, the newest first. `counted_only`: those that count
    now, which is what others than the player and the game's integrator may know of."""
    check_page(offset, limit)
    statement = f"""
        WITH attempts AS (
          SELECT event_id, attempt_id, achieved_at, score, fraud_state = 'clean' AND rolled_back_at IS NULL AS counts,
            CASE WHEN rolled_back_at IS NULL THEN fraud_state ELSE 'rolled_back' END AS state
          FROM score_attempts
          WHERE {folding.IN_WINDOW} AND player_id = :player
        ), counted AS (
          SELECT *, count(*) FILTER (WHERE counts) OVER (ORDER BY achieved_at, event_id) AS counted FROM attempts
        )
        SELECT event_id, attempt_id, achieved_at, score, state, {_HELD[Aggregation(mode.aggregation)]} AS held
        FROM counted WHERE counts OR NOT :counted_only
        WINDOW so_far AS (ORDER BY achieved_at, event_id)
        ORDER BY achieved_at DESC, event_id DESC OFFSET :offset LIMIT :limit"""  # noqa: S608
    values = folding.values(mode.id, window, Budget())
    values |= {"player": player_id, "offset": offset, "limit": limit, "counted_only": counted_only}
    return [
        Played(row.event_id, row.attempt_id, row.achieved_at, row.score, row.state, _int(row.held))
        for row in db.session.execute(text(statement), values)
    ]


def board_at(mode: Mode, window: Window, then: datetime, offset: int, limit: int) -> Snapshot:
    """The board as it stood at that moment: rows from position `offset` in the board's order."""
    check_page(offset, limit)
    statement = f"""WITH {_placed(mode, "placed", "then")}
        SELECT player_id, score, rank, total FROM (SELECT count(*) AS total FROM placed) AS counted
        LEFT JOIN LATERAL (
          SELECT * FROM placed ORDER BY score DESC, tie_second, player_id OFFSET :offset LIMIT :limit
        ) AS page ON true
        ORDER BY score DESC, tie_second, player_id"""  # noqa: S608
    values = {**_values(mode, window), "then": then, "offset": offset, "limit": limit}
    found = db.session.execute(text(statement), values).all()
    rows = [Row(row.rank, str(row.player_id), int(row.score)) for row in found if row.player_id is not None]
    return Snapshot(then, found[0].total, rows)


def movement(mode: Mode, window: Window, since: datetime, until: datetime, offset: int, limit: int) -> list[Moved]:
    """Everybody who had a place at one of the two moments, in the order of the later board; then those who are on it
    no more, in the order of the board at `since`."""
    check_page(offset, limit)
    statement = f"""WITH {_placed(mode, "old", "since")}, {_placed(mode, "new", "until")}
        SELECT player_id, old.rank AS was, new.rank AS is_now, old.score AS had, new.score AS has
        FROM old FULL JOIN new USING (player_id)
        ORDER BY new.score DESC NULLS LAST, new.tie_second, old.score DESC, old.tie_second, player_id
        OFFSET :offset LIMIT :limit"""  # noqa: S608
    values = {**_values(mode, window), "since": since, "until": until, "offset": offset, "limit": limit}
    return [
        Moved(row.player_id, row.was, row.is_now, _int(row.had), _int(row.has))
        for row in db.session.execute(text(statement), values)
    ]


def _placed(mode: Mode, name: str, then: str) -> str:
    """The board at the moment that the statement's value `then` says, as `name`."""
    counted = folding.THEN.replace(":then", f":{then}")
    return folding.placed(Aggregation(mode.aggregation), Ties(mode.ties), counted, name)


def _values(mode: Mode, window: Window) -> dict[str, Any]:
    return folding.values(mode.id, window, catalogue.budget(mode.ties, window.kind, window.starts or mode.created_at))


def _int(score: Any) -> int | None:
    return None if score is None else int(score)

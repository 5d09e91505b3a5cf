"""Whole boards worked out from their attempts in one SQL statement, ranked; for changes and history, not for pages.

The statements begin with WITH parts that end in `placed` (player_id, score, at, event_id, tie_second, rank), by the
rules of app/boards/rules.py. `score` is numeric there: no sum overflows before somebody has looked at it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from app.boards.rules import Aggregation, Budget, Ties
from app.boards.windows import Window

# Attempts of :mode in the window, those that count now, or those that counted at :then.
IN_WINDOW = """mode_id = :mode
  AND (CAST(:starts AS timestamptz) IS NULL OR achieved_at >= :starts)
  AND (CAST(:ends AS timestamptz) IS NULL OR achieved_at < :ends)"""
NOW = f"""SELECT player_id, event_id, score, achieved_at FROM score_attempts
WHERE {IN_WINDOW} AND fraud_state = 'clean' AND rolled_back_at IS NULL"""  # noqa: S608
# A correction notes the state before it, so the first one after :then has the state at :then.
THEN = f"""SELECT player_id, event_id, score, achieved_at FROM score_attempts a
WHERE {IN_WINDOW} AND ingested_at <= :then AND (rolled_back_at IS NULL OR rolled_back_at > :then)
  AND coalesce((SELECT c.before FROM score_corrections c WHERE c.event_id = a.event_id AND c.created_at > :then
                ORDER BY c.id LIMIT 1), fraud_state) = 'clean'"""  # noqa: S608

_FOLDS = {
    Aggregation.HIGHEST: """SELECT DISTINCT ON (player_id) player_id, CAST(score AS numeric) AS score, achieved_at,
  event_id FROM {counted} ORDER BY player_id, score DESC, achieved_at, event_id""",
    Aggregation.LATEST: """SELECT DISTINCT ON (player_id) player_id, CAST(score AS numeric) AS score, achieved_at,
  event_id FROM {counted} ORDER BY player_id, achieved_at DESC, event_id DESC""",
    Aggregation.SUM: """SELECT player_id, sum(score) AS score, max(achieved_at) AS achieved_at,
  (array_agg(event_id ORDER BY achieved_at DESC, event_id DESC))[1] AS event_id FROM {counted} GROUP BY player_id""",
}
RANKS = {
    Ties.SHARED: "rank() OVER (ORDER BY score DESC)",
    Ties.DENSE: "dense_rank() OVER (ORDER BY score DESC)",
    Ties.EARLIEST: "row_number() OVER (ORDER BY score DESC, tie_second, player_id)",
}


def placed(aggregation: Aggregation, ties: Ties, counted: str, name: str = "placed") -> str:
    """The WITH parts that make `name` of the attempts that `counted` (NOW or THEN) selects. Values: `values`."""
    fold = _FOLDS[aggregation].format(counted=f"{name}_counted")
    return f"""{name}_counted AS ({counted}), {name}_folded AS ({fold}), {name}_timed AS (
  SELECT player_id, score, event_id, CAST(extract(epoch FROM achieved_at) * 1000000 AS bigint) AS at
  FROM {name}_folded
), {name}_seconds AS (
  SELECT *, CAST(least(greatest(floor((at - :origin) / 1000000.0), 0), :last_second) AS int) AS tie_second
  FROM {name}_timed
), {name} AS (SELECT *, {RANKS[ties]} AS rank FROM {name}_seconds)"""  # noqa: S608


def values(mode_id: UUID, window: Window, budget: Budget) -> dict[str, Any]:
    """The values that the statements take of a board."""
    starts: datetime | None = window.starts
    return {
        "mode": mode_id,
        "starts": starts,
        "ends": window.ends,
        "origin": budget.origin,
        "last_second": (1 << budget.tie_bits) - 1,
    }

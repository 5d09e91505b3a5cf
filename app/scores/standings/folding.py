"""Ranks whole boards from their attempts in one SQL statement, for changes and history.

Attempts of archived months take part as what they came to on the board (ArchivedStanding).

The statements begin with WITH parts that end in `placed` (player_id, score, at, event_id, tie,
rank), by the rules of app/boards/rules.py. `score` is the key (app/boards/order.py), as a numeric,
so that no sum overflows before it is checked. Too slow for pages.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from app.accounts.sanctions import VIEWER
from app.boards.order import Order
from app.boards.rules import Aggregation, Ties
from app.boards.windows.rules import Window

# Attempts of :mode in the window: those that count now, or those that counted at :then.
IN_WINDOW = """mode_id = :mode
  AND (CAST(:starts AS timestamptz) IS NULL OR achieved_at >= :starts)
  AND (CAST(:ends AS timestamptz) IS NULL OR achieved_at < :ends)"""
# Players who are hidden now are on no board, whatever its moment.
SEEN = "player_id NOT IN (SELECT id FROM players WHERE hidden_at IS NOT NULL)"
NOW = f"""SELECT player_id, event_id, score, subscore, achieved_at FROM score_attempts
WHERE {IN_WINDOW} AND fraud_state = 'clean' AND rolled_back_at IS NULL AND {SEEN}"""  # noqa: S608
# The same for a read of the past, in which shadow banned players find themselves; and of a
# frozen board, which nobody leaves and to which nobody returns in the meantime.
_VIEWER = f"player_id IS NOT DISTINCT FROM CAST({VIEWER} AS uuid)"
SEEN_BY_VIEWER = f"({SEEN} OR {_VIEWER})"
SEEN_AT_FREEZE = f"""(player_id NOT IN (SELECT player_id FROM sanctions WHERE imposed_at <= :frozen
  AND (lifted_at IS NULL OR lifted_at > :frozen)) OR {_VIEWER})"""  # noqa: S608
# The latest of what was taken back and restored by :then says which; before :then there may have
# been neither. A correction notes the state before it, so the first one after :then has the state
# at :then.
THEN = f"""SELECT player_id, event_id, score, subscore, achieved_at FROM score_attempts a
WHERE {IN_WINDOW} AND {SEEN_BY_VIEWER} AND ingested_at <= :then
  AND coalesce((SELECT c.action = 'restore' FROM score_corrections c WHERE c.event_id = a.event_id
                AND c.action IN ('roll_back', 'restore') AND c.created_at <= :then
                  ORDER BY c.id DESC LIMIT 1), true)
  AND coalesce((SELECT c.before FROM score_corrections c WHERE c.event_id = a.event_id
    AND c.created_at > :then
                ORDER BY c.id LIMIT 1), fraud_state) = 'clean'"""  # noqa: S608

# What the attempts of archived months came to on the board; `with_archived` joins them.
_ARCHIVED = f"""SELECT player_id, event_id, score, subscore, achieved_at FROM archived_standings
WHERE board_id = (SELECT id FROM boards WHERE mode_id = :mode AND window_id = :window)
  AND {SEEN}"""  # noqa: S608
# The same for a moment of the past. Nothing of the month has changed since `settled_at`.
_ARCHIVED_THEN = f"""{_ARCHIVED.replace(SEEN, SEEN_BY_VIEWER)}
  AND month IN (SELECT month FROM score_months WHERE settled_at <= :then)"""  # noqa: S608

_FOLDS = {
    Aggregation.HIGHEST: """SELECT DISTINCT ON (player_id) player_id,
      CAST(score AS numeric) AS score, achieved_at,
  event_id FROM {counted} ORDER BY player_id, score DESC, achieved_at, event_id""",
    Aggregation.LATEST: """SELECT DISTINCT ON (player_id) player_id,
      CAST(score AS numeric) AS score, achieved_at,
  event_id FROM {counted} ORDER BY player_id, achieved_at DESC, event_id DESC""",
    Aggregation.SUM: """SELECT player_id, sum(score) AS score, max(achieved_at) AS achieved_at,
  (array_agg(event_id ORDER BY achieved_at DESC, event_id DESC))[1] AS event_id FROM {counted}
    GROUP BY player_id""",
}
RANKS = {
    Ties.SHARED: "rank() OVER (ORDER BY score DESC)",
    Ties.DENSE: "dense_rank() OVER (ORDER BY score DESC)",
    Ties.EARLIEST: "row_number() OVER (ORDER BY score DESC, tie, player_id)",
}


def with_archived(counted: str) -> str:
    """Add the attempts of archived months to those that `counted`, NOW or THEN, selects."""
    archived = _ARCHIVED_THEN if ":then" in counted else _ARCHIVED
    return f"{counted} UNION ALL {archived}"


def placed(
    aggregation: Aggregation, ties: Ties, order: Order, counted: str, name: str = "placed"
) -> str:
    """Return the WITH parts that compute `name` from the attempts that `counted` selects.

    `counted` is NOW or THEN; `values` gives the values.
    """
    fold = _FOLDS[aggregation].format(counted=f"{name}_counted")
    keyed = f"SELECT player_id, event_id, {order.sql()} AS score, achieved_at FROM ({counted}) sent"  # noqa: S608
    return f"""{name}_counted AS ({keyed}), {name}_folded AS ({fold}), {name}_timed AS (
  SELECT player_id, score, event_id, CAST(extract(epoch FROM achieved_at) * 1000000 AS bigint) AS at
  FROM {name}_folded
), {name}_tied AS (
  SELECT *, {"at" if ties is Ties.EARLIEST else "CAST(0 AS bigint)"} AS tie FROM {name}_timed
), {name} AS (SELECT *, {RANKS[ties]} AS rank FROM {name}_tied)"""  # noqa: S608


def values(mode_id: UUID, window: Window) -> dict[str, Any]:
    """Return the values that the statements need for a board."""
    starts: datetime | None = window.starts
    return {
        "mode": mode_id,
        "window": window.window_id,
        "starts": starts,
        "ends": window.ends,
    }

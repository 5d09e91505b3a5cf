"""Boards and scores as they were: a player's history, a board at a moment, and who moved since.

Computed from all the attempts each time, which takes seconds for a million: not for pages that
everybody opens. What counted at a moment follows from when attempts reached PostgreSQL, when they
were taken back, and the states that corrections recorded; the mode's policy is today's. Works for
archived boards too. A player's history includes archived months. A whole board includes them as
they were when they were archived; for a moment before, they have to be brought back first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
from sqlalchemy import text

from app.boards.catalogue import queries as catalogue
from app.boards.models import Mode
from app.boards.order import Order
from app.boards.reads import Row, RowRange, check_page
from app.boards.rules import Aggregation, Ties
from app.boards.windows.rules import Window
from app.core.blob_store import blob_store
from app.core.db import db
from app.scores.archive import months
from app.scores.archive.months import ScoresArchivedError
from app.scores.archive.reads import attempts_in_window
from app.scores.standings import folding


@dataclass(frozen=True)
class Played:
    """One attempt and what it led to.

    `state` is clean, flagged, rejected or rolled_back. `counted` is what the player holds on the
    board after it, None before their first attempt that counts. Scores are in the mode's smallest
    unit, with subscores in modes that have one.
    """

    event_id: UUID
    attempt_id: UUID
    at: datetime
    score: int
    state: str
    counted: int | None
    subscore: int | None = None
    counted_subscore: int | None = None
    metadata: Mapping[str, Any] | None = None
    session_id: str | None = None


@dataclass(frozen=True)
class Snapshot:
    """Some rows of a board as it stood at a moment, and how many players were on it.

    `events` has the event of each row's record.
    """

    then: datetime
    count: int
    rows: Sequence[Row]
    events: Mapping[str, UUID]


@dataclass(frozen=True)
class Moved:
    """A player at two moments; None where they had no place."""

    player_id: UUID
    rank_before: int | None
    rank_after: int | None
    score_before: int | None
    score_after: int | None
    subscore_before: int | None = None
    subscore_after: int | None = None


# Keys (app/boards/order.py): the greatest is the best.
_HELD = {
    Aggregation.HIGHEST: "max(key) FILTER (WHERE counts) OVER so_far",
    Aggregation.SUM: "sum(key) FILTER (WHERE counts) OVER so_far",
    # Of attempts with equally many counted ones before, only the first counted.
    Aggregation.LATEST: "max(key) FILTER (WHERE counts) OVER (PARTITION BY counted)",
}


# In this statement `score_attempts` also has the player's attempts of archived months.
_WITH_ARCHIVED = """score_attempts AS (
  SELECT event_id, attempt_id, player_id, mode_id, achieved_at, score, subscore, score_metadata,
    session_id, fraud_state, rolled_back_at, ingested_at
  FROM score_attempts WHERE mode_id = :mode AND player_id = :player
  UNION ALL
  SELECT event_id, attempt_id, player_id, mode_id, achieved_at, score, subscore,
    CAST(score_metadata AS json), session_id, fraud_state, rolled_back_at, ingested_at
  FROM json_to_recordset(CAST(:archived AS json)) AS archived(event_id uuid, attempt_id uuid,
    player_id uuid, mode_id uuid, achieved_at timestamptz, score int8, subscore int8,
    score_metadata text, session_id text, fraud_state text, rolled_back_at timestamptz,
    ingested_at timestamptz)
), """
_encode = msgspec.json.Encoder().encode


def history(
    mode: Mode,
    window: Window,
    player_id: UUID,
    rows: RowRange,
    *,
    counted_only: bool = False,
) -> list[Played]:
    """Return the player's attempts in the window with what they led to, newest first.

    With `counted_only` only those that count on the board as it is shown: others than the player
    and the game's integrator may know no more.
    """
    check_page(rows.offset, rows.limit)
    frozen = _frozen_at(mode, window)
    archived = attempts_in_window(blob_store(), mode.id, player_id, window.starts, window.ends)
    counts = "fraud_state = 'clean' AND rolled_back_at IS NULL"
    state = "CASE WHEN rolled_back_at IS NULL THEN fraud_state ELSE 'rolled_back' END"
    if counted_only:
        counted = folding.NOW if frozen is None else _then("frozen", frozen)
        state = "'clean'"  # of the attempts that are returned
        counts = f"event_id IN (SELECT event_id FROM ({counted} AND player_id = :player) counting)"  # noqa: S608
    statement = f"""
        WITH {_WITH_ARCHIVED if archived else ""} attempts AS (
          SELECT event_id, attempt_id, session_id, achieved_at, score, subscore, score_metadata,
            {mode.ordering.sql()} AS key,
            {counts} AS counts, {state} AS state
          FROM score_attempts
          WHERE {folding.IN_WINDOW} AND player_id = :player
        ), counted AS (
          SELECT *, count(*) FILTER (WHERE counts) OVER (ORDER BY achieved_at, event_id) AS counted
            FROM attempts
        )
        SELECT event_id, attempt_id, session_id, achieved_at, score, subscore, score_metadata,
          state, {_HELD[Aggregation(mode.aggregation)]} AS held
        FROM counted WHERE counts OR NOT :counted_only
        WINDOW so_far AS (ORDER BY achieved_at, event_id)
        ORDER BY achieved_at DESC, event_id DESC OFFSET :offset LIMIT :limit"""  # noqa: S608
    values = folding.values(mode.id, window)
    values |= {
        "player": player_id,
        "offset": rows.offset,
        "limit": rows.limit,
        "counted_only": counted_only,
    }
    if frozen is not None:
        values["frozen"] = frozen
    if archived:
        values["archived"] = _encode(archived).decode()
    attempts = []
    for row in db.session.execute(text(statement), values):
        counted_score, subscore = _of_key(mode.ordering, row.held)
        sent = (row.event_id, row.attempt_id, row.achieved_at, row.score, row.state)
        carried = row.score_metadata if mode.takes_metadata else None
        attempts.append(
            Played(
                *sent,
                counted_score,
                row.subscore,
                subscore,
                carried,
                session_id=row.session_id,
            )
        )
    return attempts


def board_at(mode: Mode, window: Window, then: datetime, offset: int, limit: int) -> Snapshot:
    """Return rows of the board as it stood at that moment, from position `offset` on.

    Raises:
        ScoresArchivedError: That takes attempts of archived months.
    """
    check_page(offset, limit)
    frozen = _frozen_at(mode, window)
    then = then if frozen is None else min(then, frozen)
    _check_archived(mode, window, [then])
    statement = f"""WITH {_placed(mode, "placed", "then", frozen)}
        SELECT player_id, event_id, score, rank, total FROM (SELECT count(*) AS total
          FROM placed) AS counted
        LEFT JOIN LATERAL (
          SELECT * FROM placed ORDER BY score DESC, tie, player_id OFFSET :offset LIMIT :limit
        ) AS page ON true
        ORDER BY score DESC, tie, player_id"""  # noqa: S608
    values = {**_values(mode, window, frozen), "then": then, "offset": offset, "limit": limit}
    rows_found = db.session.execute(text(statement), values).all()
    placed = [row for row in rows_found if row.player_id is not None]
    rows = [_row(mode.ordering, row) for row in placed]
    return Snapshot(
        then, rows_found[0].total, rows, {str(row.player_id): row.event_id for row in placed}
    )


def movement(
    mode: Mode, window: Window, since: datetime, until: datetime, rows: RowRange
) -> list[Moved]:
    """Compare two moments: everybody with a place at either, in the order of the later board.

    Players who are no longer on it follow in the order of the board at `since`.

    Raises:
        ScoresArchivedError: That takes attempts of archived months.
    """
    check_page(rows.offset, rows.limit)
    frozen = _frozen_at(mode, window)
    if frozen is not None:
        since, until = min(since, frozen), min(until, frozen)
    _check_archived(mode, window, [since, until])
    statement = f"""WITH {_placed(mode, "old", "since", frozen)},
      {_placed(mode, "new", "until", frozen)}
        SELECT player_id, old.rank AS was, new.rank AS is_now, old.score AS had, new.score AS has
        FROM old FULL JOIN new USING (player_id)
        ORDER BY new.score DESC NULLS LAST, new.tie, old.score DESC, old.tie, player_id
        OFFSET :offset LIMIT :limit"""  # noqa: S608
    values = {
        **_values(mode, window, frozen),
        "since": since,
        "until": until,
        "offset": rows.offset,
        "limit": rows.limit,
    }
    moves = []
    for row in db.session.execute(text(statement), values):
        (had, had_subscore), (has, has_subscore) = (
            _of_key(mode.ordering, row.had),
            _of_key(mode.ordering, row.has),
        )
        moves.append(
            Moved(row.player_id, row.was, row.is_now, had, has, had_subscore, has_subscore)
        )
    return moves


def _frozen_at(mode: Mode, window: Window) -> datetime | None:
    """Return when the board was frozen, if it is: its past ends there."""
    record = catalogue.find_board(mode, window.window_id)
    return record.frozen_at if record is not None else None


def _check_archived(mode: Mode, window: Window, moments: Sequence[datetime]) -> None:
    """Raise ScoresArchivedError if a moment needs attempts of months that are archived.

    It does if scores of the month were there, and the month changed afterwards or the board no
    longer holds what they came to.
    """
    records = months.archived_between(window.starts, window.ends)
    if not records:
        return
    board = catalogue.find_board(mode, window.window_id)
    is_live = board is not None and board.archived_at is None
    needed = {
        record.month
        for record in records
        for then in moments
        if months.start_of(record.month) <= then and not (is_live and record.settled_at <= then)
    }
    if needed:
        raise ScoresArchivedError(months.sentence(needed))


def _then(then: str, frozen: datetime | None, counted: str = folding.THEN) -> str:
    """Select the attempts that counted at the moment of the statement's value `then`."""
    counted = counted.replace(":then", f":{then}")
    return (
        counted
        if frozen is None
        else counted.replace(folding.SEEN_BY_VIEWER, folding.SEEN_AT_FREEZE)
    )


def _placed(mode: Mode, name: str, then: str, frozen: datetime | None) -> str:
    """Compute the board at that moment, as `name`."""
    return folding.placed(
        Aggregation(mode.aggregation),
        Ties(mode.ties),
        mode.ordering,
        _then(then, frozen, folding.with_archived(folding.THEN)),
        name,
    )


def _values(mode: Mode, window: Window, frozen: datetime | None) -> dict[str, Any]:
    return folding.values(mode.id, window) | ({} if frozen is None else {"frozen": frozen})


def _row(order: Order, row: Any) -> Row:
    key = int(row.score)
    return Row(row.rank, str(row.player_id), order.score_of(key), subscore=order.subscore_of(key))


def _of_key(order: Order, key: Any) -> tuple[int | None, int | None]:
    """Return score and subscore of a key; both None without one."""
    return (None, None) if key is None else (order.score_of(int(key)), order.subscore_of(int(key)))

"""Standings of modes that update their boards in batches, from acceptance to the next update.

In such a mode (`update_seconds` above 0, seed 003 sections 4.4 and 4.12) an accepted score is
stored at once, but what the player holds with it waits here, one row per board and player, until
the mode's next update (app/scores/processing/batched_updates.py). `board_scores` and Redis stay as
they were until then. board_scores.recompute replaces what waits, so corrections, sanctions and
rollbacks show at once. The caller holds the mode's row and commits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from uuid import UUID

from sqlalchemy import delete, select, text

from app.boards.models import BoardRecord, WaitingScore
from app.boards.rules import Held
from app.core.db import db

Place = tuple[int, UUID]  # board, player

_STORE = text("""
    INSERT INTO waiting_scores (board_id, player_id, score, at, event_id, due_at)
    SELECT * FROM unnest(
      CAST(:boards AS bigint[]), CAST(:players AS uuid[]), CAST(:scores AS bigint[]),
      CAST(:ats AS bigint[]), CAST(:events AS uuid[]), CAST(:dues AS timestamptz[]))
      AS new(board_id, player_id, score, at, event_id, due_at)
    ORDER BY board_id, player_id
    ON CONFLICT (board_id, player_id) DO UPDATE
    SET score = excluded.score, at = excluded.at, event_id = excluded.event_id
""")
_HELD = text("""
    SELECT board_id, player_id, score, at, event_id FROM waiting_scores
    JOIN unnest(CAST(:boards AS bigint[]), CAST(:players AS uuid[])) AS wanted(board_id, player_id)
      USING (board_id, player_id)
""")


def next_update(now: datetime, seconds: int) -> datetime:
    """Return the mode's first update after `now`: updates are multiples of `seconds` since 1970.

    Worked example: with 30 seconds, a score of 20:00:07 and one of 20:00:29 are both published at
    20:00:30, and one of exactly 20:00:30 at 20:01:00.
    """
    return datetime.fromtimestamp((int(now.timestamp()) // seconds + 1) * seconds, UTC)


def waiting_now(places: Collection[Place]) -> dict[Place, Held]:
    """Return what waits for these places; places without a row are left out."""
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


def store_waiting(standings: Mapping[Place, Held], due_at: Mapping[int, datetime]) -> None:
    """Let these standings wait until `due_at` of their board.

    A row that waits already keeps its own moment.
    """
    if not standings:
        return
    db.session.execute(
        _STORE,
        {
            "boards": [board for board, _ in standings],
            "players": [str(player) for _, player in standings],
            "scores": [standing.score for standing in standings.values()],
            "ats": [standing.at for standing in standings.values()],
            "events": [standing.event for standing in standings.values()],
            "dues": [due_at[board] for board, _ in standings],
        },
    )


def forget_waiting(boards: Iterable[int], players: Collection[UUID] | None = None) -> None:
    """Delete what waits for these players on these boards, or for everybody with None."""
    statement = delete(WaitingScore).where(WaitingScore.board_id.in_(list(boards)))
    if players is not None:
        statement = statement.where(WaitingScore.player_id.in_(players))
    db.session.execute(statement.execution_options(synchronize_session=False))


def updates_of(mode_id: UUID, window_id: str, players: Collection[UUID]) -> dict[UUID, datetime]:
    """Return when the board will show the latest score of each player for whom one waits."""
    rows = db.session.execute(
        select(WaitingScore.player_id, WaitingScore.due_at)
        .join(BoardRecord, BoardRecord.id == WaitingScore.board_id)
        .where(
            BoardRecord.mode_id == mode_id,
            BoardRecord.window_id == window_id,
            WaitingScore.player_id.in_(players),
        )
    )
    return dict(rows.all())

"""The SQL for the scores that count in a competition's window, in the board's order.

Settlement, reads and preview share it. Ranks are computed in rules.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import text

from app.accounts.sanctions import SEEN_PLAYER
from app.boards.models import Mode
from app.boards.rules import Aggregation, Ties
from app.competitions.models import Competition, CompetitionWindow
from app.core.db import db
from app.scores.standings import folding

CHUNK = 5_000

# If attempts are limited, the scores of those taken in the window count, otherwise all scores since
# the player joined.
_COUNTED = f"""SELECT a.player_id, a.event_id, a.score, a.subscore, a.achieved_at
FROM competition_entries e
JOIN score_attempts a ON a.player_id = e.player_id AND a.mode_id = :mode
WHERE e.competition_id = :competition AND e.window_number = :window
  AND (CAST(:tier AS int) IS NULL OR e.tier = :tier) AND (CAST(:cohort AS int) IS NULL
    OR e.cohort = :cohort)
  AND a.achieved_at >= :starts AND a.achieved_at < :ends
  AND a.fraud_state = 'clean' AND a.rolled_back_at IS NULL AND {SEEN_PLAYER.format("a.player_id")}
  AND CASE WHEN :limited THEN EXISTS (SELECT FROM competition_attempts t
                                      WHERE t.entry_id = e.id AND t.attempt_id = a.attempt_id)
      ELSE a.achieved_at >= e.counts_from END"""  # noqa: S608


@dataclass(frozen=True)
class Seated:
    """A player in a window, in the order of tier, cohort and board.

    Players without a score come last, by seat. `key`: see app/boards/order.py.
    """

    entry_id: int
    player_id: UUID
    tier: int
    cohort: int
    score: int | None
    key: int | None


def policy(competition: Competition) -> tuple[Aggregation, Ties]:
    """How scores count and ties rank in a competition that is or was live."""
    assert competition.aggregation is not None
    assert competition.ties is not None
    return Aggregation(competition.aggregation), Ties(competition.ties)


def seated(
    competition: Competition,
    window: CompetitionWindow,
    *,
    tier: int | None = None,
    cohort: int | None = None,
) -> Iterator[Seated]:
    """All players of the window, or of one tier or cohort, with the scores that count now."""
    aggregation, ties = policy(competition)
    order = db.session.get_one(Mode, competition.mode_id).ordering
    statement = f"""WITH {folding.placed(aggregation, ties, order, _COUNTED)}
        SELECT e.id, e.player_id, e.tier, e.cohort, p.score
        FROM competition_entries e LEFT JOIN placed p ON p.player_id = e.player_id
        WHERE e.competition_id = :competition AND e.window_number = :window
          AND (CAST(:tier AS int) IS NULL OR e.tier = :tier) AND (CAST(:cohort AS int) IS NULL
            OR e.cohort = :cohort)
        ORDER BY e.tier, e.cohort, p.score DESC NULLS LAST, p.tie,
          CASE WHEN p.score IS NULL THEN e.seat END, e.player_id"""  # noqa: S608
    values: dict[str, Any] = {
        "mode": competition.mode_id,
        "competition": competition.id,
        "window": window.number,
        "starts": window.starts_at,
        "ends": window.ends_at,
        "limited": competition.declaration["attempts"] is not None,
        "tier": tier,
        "cohort": cohort,
    }
    for row in db.session.execute(text(statement).execution_options(yield_per=CHUNK), values):
        key = None if row.score is None else int(row.score)
        score = None if key is None else order.score_of(key)
        yield Seated(row.id, row.player_id, row.tier, row.cohort, score, key)

"""What the objectives of the API count.

Every operation that takes scores, and every read of a leaderboard.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from flask import Flask

from app.api.operations import OPERATIONS, POST
from app.core import metrics
from app.ops.usage import READS, SCORES
from app.scores.submission import bulk
from app.scores.submission.claims import Refused, Unavailable
from tests.api.conftest import callers
from tests.worlds.callers import Callers

__all__ = ["callers"]


def send(callers: Callers) -> int:
    score = {"player_id": str(callers.player_id), "attempt_id": str(uuid4()), "raw_score": 5}
    return callers.game_server.post(
        f"{callers.mode_path}/scores/bulk", json={"scores": [score]}
    ).status_code


@pytest.mark.parametrize(
    ("outcome", "is_good"),
    [
        (Refused([]), True),
        (Unavailable(5, "The log does not answer.", "unavailable"), False),
        (Unavailable(5, "Sixty a minute.", "limited"), True),
    ],
)
def test_bulk_counts_and_a_score_that_we_could_not_take_in_is_a_failure(
    callers: Callers, monkeypatch: pytest.MonkeyPatch, outcome: Any, is_good: bool
) -> None:
    """Seed 003, 7: availability of POST /scores.

    Game servers send in bulk, whose answer is 200 whatever became of the scores in it.
    """
    counted: list[tuple[str, bool]] = []
    monkeypatch.setattr(metrics, "count", lambda name, *, good: counted.append((name, good)))
    monkeypatch.setattr(bulk, "submit_bulk", lambda *_args, **_named: [outcome])
    assert send(callers) == 200
    assert counted == [(metrics.SCORE_API, is_good)]


def test_every_operation_that_takes_scores_and_every_board_is_counted(app: Flask) -> None:
    """A new operation is counted or left out on purpose, never forgotten."""
    takes_scores = {
        f"api.{op.id}"
        for op in OPERATIONS
        if op.method == POST and op.path.endswith(("/scores", "/bulk"))
    }
    assert takes_scores == SCORES
    assert {f"api.{op.id}" for op in OPERATIONS} >= READS
    ids = {
        f"api.{op.id}"
        for op in OPERATIONS
        if "leaderboard" in op.path and not op.path.endswith(("freeze", "thaw"))
    }
    # These read more than a page of a board: a player's scores, other moments, and guilds summed
    # up.
    slower = {
        "get_player_history",
        "get_leaderboard_at",
        "get_rank_movement",
        "rank_guilds",
        "rank_guild_members",
    }
    slower |= {"get_tournament_leaderboard", "get_percentiles"}
    assert ids - READS == {f"api.{name}" for name in slower}

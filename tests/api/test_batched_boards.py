"""Answers about scores of a mode that updates its boards every so many seconds."""

from __future__ import annotations

from typing import Any

from app.scores.processing import batched_updates
from tests.worlds.callers import Callers
from tests.worlds.score_log import Log, later, score_event


def test_an_answer_says_when_the_score_is_on_the_boards(callers: Callers) -> None:
    """Rank and effective score are those of the board, which does not have the score before."""
    changed = callers.game_server.patch(callers.mode_path, json={"update_seconds": 30})
    assert changed.status_code == 200, changed.text
    event = score_event(callers.mode, callers.player_id, 70, later(1))
    log = Log()
    log.put(event)
    log.consume()
    body = {"attempt_id": str(event.attempt_id), "raw_score": 70, "attempt_token": "used"}
    bulk = {"scores": [{"player_id": str(callers.player_id)} | body]}
    del bulk["scores"][0]["attempt_token"]
    path = f"{callers.mode_path}/scores"
    answer = callers.player.post(path, json=body)
    assert answer.status_code == 200, answer.text
    assert answer.json == {
        "status": "committed",
        "player_id": str(callers.player_id),
        "effective_score": None,
        "window_id": "daily:2026-04-05",
        "rank": None,
        "total_ranked": 0,
        "on_boards_at": "2026-04-05T22:00:30Z",
    }
    outcome = outcome_of(callers, bulk)
    assert (outcome["status"], outcome["on_boards_at"]) == ("committed", "2026-04-05T22:00:30Z")
    batched_updates.publish_due(later(30))
    answer = callers.player.post(path, json=body)
    assert answer.json == {
        "status": "committed",
        "player_id": str(callers.player_id),
        "effective_score": 70,
        "window_id": "daily:2026-04-05",
        "rank": 1,
        "total_ranked": 1,
    }
    assert outcome_of(callers, bulk)["on_boards_at"] is None


def outcome_of(callers: Callers, bulk: dict[str, Any]) -> dict[str, Any]:
    answer = callers.game_server.post(f"{callers.mode_path}/scores/bulk", json=bulk)
    assert answer.status_code == 200, answer.text
    return dict(answer.json["outcomes"][0])  # type: ignore[index]

"""A mode's anti-cheat limits are given with it and changed with it.

They hold for the next score everywhere.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from app.audit.models import AuditEntry
from app.core import clock
from app.core.db import db
from app.scores.models import ScoreAttempt
from app.scores.processing.apply import Batch
from tests.worlds.callers import Callers, got
from tests.worlds.score_log import Log, score_event

PROMISED = {"per_minute": 60, "per_hour": 1_200, "reach": 6}
SLOW = {"per_minute": 2, "per_hour": 9, "reach": 4}


def make(callers: Callers, status: int = 201, **fields: Any) -> Any:
    answer = callers.game_server.post(
        "/v1/games/dice/modes", json={"slug": "slow", "title": "Slow", **fields}
    )
    assert answer.status_code == status, answer.text
    return answer.json


def patch(callers: Callers, status: int = 200, **fields: Any) -> Any:
    answer = callers.game_server.patch(callers.mode_path, json=fields)
    assert answer.status_code == status, answer.text
    return answer.json


def acts() -> list[tuple[str, dict[str, Any]]]:
    query = (
        select(AuditEntry)
        .where(AuditEntry.act.in_(["mode.limits_set", "mode.changed"]))
        .order_by(AuditEntry.id)
    )
    return [(row.act, row.details) for row in db.session.scalars(query)]


def test_a_mode_is_made_with_limits_of_its_own(callers: Callers) -> None:
    assert make(callers, limits=SLOW)["limits"] == SLOW
    assert got(callers.game_server, "/v1/games/dice/modes/slow/limits") == SLOW
    assert acts() == [("mode.limits_set", SLOW)]
    listed = got(callers.app.test_client(), "/v1/games/dice/modes")["modes"]
    assert {mode["slug"]: mode["limits"] for mode in listed} == {"ranked": PROMISED, "slow": SLOW}


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"per_minute": 0, "per_hour": 9, "reach": 4}, "limits.per_minute"),
        ({"per_minute": 9, "per_hour": 8, "reach": 4}, "limits.per_hour"),
        ({"per_minute": 1, "per_hour": 10_001, "reach": 4}, "limits.per_hour"),
        ({"per_minute": 1, "per_hour": 9, "reach": 101}, "limits.reach"),
        ({"per_minute": 1, "per_hour": 9}, "limits"),
    ],
)
def test_limits_out_of_bounds_are_refused_by_name_and_nothing_is_made(
    callers: Callers, wrong: dict[str, int], field: str
) -> None:
    refused = make(callers, 400, limits=wrong)
    assert [error["field"] for error in refused["errors"]] == [field]
    assert [
        error["field"] for error in patch(callers, 400, limits=wrong, title="New")["errors"]
    ] == [field]
    assert [mode["title"] for mode in got(callers.game_server, "/v1/games/dice")["modes"]] == [
        "Ranked"
    ]
    assert acts() == []


def test_limits_change_with_the_mode_and_go_back_to_the_promised_ones(callers: Callers) -> None:
    assert patch(callers, limits=SLOW, title="Slow")["limits"] == SLOW
    assert patch(callers, limits=SLOW)["limits"] == SLOW  # nothing new, nothing for the audit
    assert patch(callers, title="Slow", hidden=False)["limits"] == SLOW
    assert patch(callers, limits=None)["limits"] == PROMISED
    assert acts() == [
        ("mode.changed", {"title": ["Ranked", "Slow"], "limits": [PROMISED, SLOW]}),
        ("mode.changed", {"limits": [SLOW, PROMISED]}),
    ]


def test_new_limits_hold_for_the_next_score_in_a_process_that_judged_by_the_old_ones(
    callers: Callers,
) -> None:
    log, begin = Log(), clock.now() - timedelta(minutes=1)

    def states() -> list[str]:
        query = select(ScoreAttempt.fraud_state).order_by(ScoreAttempt.achieved_at)
        return list(db.session.scalars(query))

    def send(second: int) -> None:
        log.put(
            score_event(callers.mode, callers.player_id, 50, at=begin + timedelta(seconds=second))
        )
        batch = Batch(clock.now())  # the judge that runs
        batch.take(log.messages[0][log.committed[0] :])
        batch.write()
        log.committed = [len(log.messages[0])]

    for second in range(3):
        send(second)
    assert states() == ["clean", "clean", "clean"]
    patch(callers, limits=SLOW)
    send(3)
    assert states() == ["clean", "clean", "clean", "flagged"]
    patch(callers, limits=None)
    send(4)
    assert states() == ["clean", "clean", "clean", "flagged", "clean"]

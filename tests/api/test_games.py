"""Games and modes are changed, hidden and archived by their integrator.

What scores count by stands.
"""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select

from app.audit.models import AuditEntry
from app.core.db import db
from tests.worlds.callers import Callers, got
from tests.worlds.claims import claim, codes, send
from tests.worlds.score_log import Log, score_event


def patch(callers: Callers, path: str, status: int = 200, **changes: Any) -> Any:
    answer = callers.game_server.patch(path, json=changes)
    assert answer.status_code == status, answer.text
    return answer.json


def test_a_mode_changes_wholly_until_the_first_score_and_then_what_looks_forward(
    callers: Callers,
) -> None:
    path = callers.mode_path
    refusals = patch(
        callers,
        path,
        ties="dense",
        windows=["all-time", "weekly"],
        time_zone="Europe/Berlin",
        decimals=1,
    )
    assert (refusals["ties"], refusals["windows"], refusals["time_zone"]) == (
        "dense",
        ["weekly", "all-time"],
        "Europe/Berlin",
    )
    log = Log()
    log.put(score_event(callers.mode, callers.player_id, 50))
    log.consume()
    refused = patch(callers, path, 409, ties="shared", title="Other", decimals=1, shards=4)
    assert [(error["field"], error["code"]) for error in refused["errors"]] == [
        ("ties", "has_scores"),
        ("shards", "has_scores"),
    ]
    refusals = patch(
        callers,
        path,
        title="Other",
        max_score=2_000_000,
        keep_days={"weekly": 5},
        late_hours=0,
        ties="dense",
    )
    assert (refusals["title"], refusals["max_score"], refusals["late_hours"]) == (
        "Other",
        2_000_000,
        0,
    )
    assert refusals["keep_days"]["weekly"] == 5
    board = got(callers.app.test_client(), callers.board)
    assert [row["score"] for row in board["entries"]] == [5]


def test_a_change_is_made_wholly_or_not_at_all(callers: Callers) -> None:
    refused = patch(callers, callers.mode_path, 400, title="New", min_score=2_000_000)
    assert [error["field"] for error in refused["errors"]] == ["max_score"]
    assert [mode["title"] for mode in got(callers.game_server, "/v1/games/dice")["modes"]] == [
        "Ranked"
    ]


def test_the_audit_keeps_what_was_changed_and_nothing_where_nothing_was(callers: Callers) -> None:
    patch(callers, callers.mode_path, title="Duel", hidden=True)
    patch(callers, callers.mode_path, title="Duel", hidden=True)
    patch(callers, "/v1/games/dice", archived=True)
    query = (
        select(AuditEntry)
        .where(AuditEntry.act.in_(["mode.changed", "game.changed"]))
        .order_by(AuditEntry.id)
    )
    entries = [
        (row.act, row.actor_id, row.subject, row.details) for row in db.session.scalars(query)
    ]
    assert entries == [
        (
            "mode.changed",
            callers.owner.id,
            "mode:dice:ranked",
            {"title": ["Ranked", "Duel"], "hidden": [False, True]},
        ),
        ("game.changed", callers.owner.id, "game:dice", {"archived": [False, True]}),
    ]


def test_what_is_hidden_is_in_no_list_and_read_by_its_address(callers: Callers) -> None:
    client = callers.app.test_client()
    assert "Ranked" in client.get("/boards").text
    patch(callers, callers.mode_path, hidden=True)
    assert got(client, "/v1/games/dice/modes")["modes"] == []
    assert "Ranked" not in client.get("/boards").text
    (mine,) = got(callers.game_server, "/v1/games/dice")["modes"]
    assert mine["hidden_at"] is not None
    assert got(client, callers.board)["entries"] == []
    patch(callers, callers.mode_path, hidden=False)
    patch(callers, "/v1/games/dice", hidden=True)
    assert "Dice House" not in client.get("/boards").text
    assert patch(callers, "/v1/games/dice", hidden=False)["hidden_at"] is None
    assert "Dice House" in client.get("/boards").text


@pytest.mark.parametrize("path", ["/v1/games/dice", "/v1/games/dice/modes/ranked"])
def test_what_is_archived_takes_no_scores_and_is_read_on(callers: Callers, path: str) -> None:
    patch(callers, path, archived=True)
    issued = callers.game_server.post(
        f"{callers.mode_path}/attempts", json={"player_id": str(callers.player_id)}
    )
    assert issued.status_code == 409, issued.text
    (outcome,) = send(claim(callers.mode, callers.player_id, 5))
    assert codes(outcome) == ["archived"]
    assert got(callers.app.test_client(), callers.board)["entries"] == []
    assert patch(callers, path, archived=False)["archived_at"] is None
    issued = callers.game_server.post(
        f"{callers.mode_path}/attempts", json={"player_id": str(callers.player_id)}
    )
    assert issued.status_code == 201, issued.text


def test_anothers_game_cannot_be_changed_or_seen_whole(callers: Callers, others: Callers) -> None:
    patch(others, callers.mode_path, 404, title="Mine")
    patch(others, "/v1/games/dice", 404, title="Mine")
    assert got(others.game_server, "/v1/games/dice", 404)["status"] == 404

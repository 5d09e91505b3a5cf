"""The feed and webhooks over the API: each integrator's own alone."""

from __future__ import annotations

import pytest

from app.accounts import api_keys
from tests.worlds.callers import Callers, new_key
from tests.worlds.integrator_boards import ANN, all_time_board, put

HOOK = {"url": "https://example.com/hook", "events": ["score.changed"]}


def test_the_feed_goes_on_from_next_and_shows_ones_own(callers: Callers, others: Callers) -> None:
    board, strange = all_time_board(callers.mode), all_time_board(others.mode)
    key = callers.key
    put(board, ANN, 1)
    put(strange, ANN, 2)
    client = callers.signed(key)
    first = client.get("/v1/feed").json
    assert first
    assert [(change["raw_score"], change["game"]) for change in first["changes"]] == [(1, "dice")]
    put(board, ANN, 3)
    second = client.get(f"/v1/feed?since={first['next']}").json
    assert second
    assert [change["raw_score"] for change in second["changes"]] == [3]
    last = client.get(f"/v1/feed?since={second['next']}&wait=1").json
    assert last
    assert (last["changes"], last["more"]) == ([], False)


def test_a_bad_token_and_a_key_without_the_scope_are_refused(callers: Callers) -> None:
    answer = callers.game_server.get("/v1/feed?since=nonsense")
    assert answer.status_code == 400
    assert answer.json
    assert answer.json["errors"][0]["field"] == "since"
    lesser = callers.signed(new_key(callers.integrator, callers.owner, "webhooks:manage"))
    assert lesser.get("/v1/feed").status_code == 403
    assert lesser.get("/v1/webhooks").status_code == 200
    assert callers.player.get("/v1/feed").status_code == 401
    assert {"feed:read", "webhooks:manage"} <= set(api_keys.SCOPES)


def test_a_webhooks_secret_is_shown_once(callers: Callers, others: Callers) -> None:
    created = callers.game_server.post("/v1/webhooks", json=HOOK)
    assert created.status_code == 201
    assert created.json
    assert created.json["secret"].startswith("whsec_")
    (listed,) = callers.game_server.get("/v1/webhooks").json["webhooks"]  # type: ignore[index]
    assert listed["webhook_id"] == created.json["webhook_id"]
    assert "secret" not in listed
    path = f"/v1/webhooks/{created.json['webhook_id']}"
    for answer in (
        others.game_server.delete(path),
        others.game_server.get(f"{path}/deliveries"),
        others.game_server.post(f"{path}/deliveries/1/replay"),
        callers.game_server.post(f"{path}/deliveries/1/replay"),
    ):
        assert answer.status_code == 404
    assert callers.game_server.get(f"{path}/deliveries").json == {"deliveries": []}
    assert callers.game_server.delete(path).status_code == 204
    assert callers.game_server.get("/v1/webhooks").json == {"webhooks": []}


def test_a_private_address_is_refused_at_its_field_with_the_remedy(callers: Callers) -> None:
    answer = callers.game_server.post("/v1/webhooks", json={"url": "https://127.0.0.1/"})
    assert answer.status_code == 400
    assert answer.json
    (error,) = answer.json["errors"]
    assert error["detail"].startswith("Use a public address. To send to")
    assert "the operator can set WEBHOOKS_PRIVATE=1" in error["detail"]


@pytest.mark.parametrize("path", ["/v1/feed/stream", "/v1/feed/events"])
def test_a_stream_needs_a_key_and_a_token_of_this_feed(callers: Callers, path: str) -> None:
    assert callers.game_server.get(f"{path}?since=x").status_code == 400
    assert callers.player.get(path).status_code == 401

"""Pages of other sites: a game's own origins, and nobody's cookies."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.worlds.callers import Callers

PLAY = "https://play.example.com"
ALLOW = "Access-Control-Allow-Origin"


def preflight(client: FlaskClient, path: str, method: str, origin: str = PLAY) -> TestResponse:
    headers = {"Origin": origin, "Access-Control-Request-Method": method}
    return client.options(
        path, headers=headers | {"Access-Control-Request-Headers": "authorization"}
    )


@pytest.fixture
def page(callers: Callers) -> FlaskClient:
    answer = callers.game_server.put(
        "/v1/games/dice/origins", json={"origins": [PLAY, "http://localhost:5173", PLAY]}
    )
    assert answer.json == {"origins": ["http://localhost:5173", PLAY]}
    return callers.app.test_client()


def test_a_page_of_the_games_origin_may_read_and_send(
    page: FlaskClient, callers: Callers, others: Callers
) -> None:
    board = page.get(callers.board, headers={"Origin": PLAY})
    assert (board.status_code, board.headers[ALLOW]) == (200, PLAY)
    assert "ETag" in board.headers["Access-Control-Expose-Headers"]
    asked = preflight(page, f"{callers.mode_path}/scores", "POST")
    assert (asked.status_code, asked.headers[ALLOW]) == (204, PLAY)
    assert "Authorization" in asked.headers["Access-Control-Allow-Headers"]
    assert "POST" in asked.headers["Access-Control-Allow-Methods"]
    assert "Access-Control-Allow-Credentials" not in asked.headers
    refused = page.post(f"{callers.mode_path}/scores", json={}, headers={"Origin": PLAY})
    assert (refused.status_code, refused.headers[ALLOW]) == (401, PLAY), "the page is to read why"
    assert ALLOW in page.post("/v1/tokens/refresh", json={}, headers={"Origin": PLAY}).headers
    assert ALLOW not in page.get(others.board, headers={"Origin": PLAY}).headers, "another game"


@pytest.mark.parametrize(
    "origin", ["https://evil.example.com", "null", "https://play.example.com.evil.com", "*"]
)
def test_others_are_told_nothing(page: FlaskClient, callers: Callers, origin: str) -> None:
    answer = page.get(callers.board, headers={"Origin": origin})
    assert ALLOW not in answer.headers
    assert "Origin" in answer.headers["Vary"]
    assert ALLOW not in preflight(page, f"{callers.mode_path}/scores", "POST", origin).headers
    assert ALLOW not in preflight(page, "/v1/tokens/refresh", "POST", origin).headers


def test_what_a_key_signs_and_the_pages_of_people_are_for_no_page_of_others(
    page: FlaskClient,
) -> None:
    for path, method in (
        ("/v1/webhooks", "POST"),
        ("/v1/games/dice/modes", "POST"),
        ("/v1/games/dice/origins", "PUT"),
    ):
        assert ALLOW not in preflight(page, path, method).headers, path
    assert ALLOW in preflight(page, "/v1/games/dice/modes", "GET").headers
    assert ALLOW not in page.get("/boards", headers={"Origin": PLAY}).headers


@pytest.mark.parametrize(
    "origin",
    [
        "*",
        "null",
        "play.example.com",
        "http://play.example.com",
        "https://play.example.com/",
        "https://play.example.com:443",
        "https://Play.example.com",
        "https://user@play.example.com",
        "https://play.example.com:x",
        "https://*.example.com",
        "http://localhost.example.com",
    ],
)
def test_an_origin_that_no_browser_sends_is_refused_at_its_place(
    callers: Callers, origin: str
) -> None:
    answer = callers.game_server.put("/v1/games/dice/origins", json={"origins": [PLAY, origin]})
    assert answer.status_code == 400
    assert [error["field"] for error in answer.json["errors"]] == ["origins[1]"]  # type: ignore[index]
    assert callers.game_server.get("/v1/games/dice/origins").json == {"origins": []}


def test_another_integrators_game_is_not_there(callers: Callers, others: Callers) -> None:
    path = f"/v1/games/{others.game.slug}/origins"
    assert callers.game_server.put(path, json={"origins": [PLAY]}).status_code == 404

"""Reads cost little to repeat: 304 while nothing changed, compressed for who takes it."""

from __future__ import annotations

import gzip
import json

from tests.worlds.callers import Callers
from tests.worlds.integrator_boards import ANN, all_time_board, put

GZIP = {"Accept-Encoding": "gzip"}


def test_a_board_that_did_not_move_is_a_304_whenever_it_is_asked(callers: Callers) -> None:
    client = callers.app.test_client()
    first = client.get(callers.board)
    assert first.status_code == 200
    assert first.headers["ETag"].startswith('W/"')
    again = client.get(callers.board, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]
    assert client.get(callers.board).json["as_of"] != first.json["as_of"], (
        "that it is fresher alone changes no tag"
    )  # type: ignore[index]


def test_what_changed_is_answered_whole(callers: Callers) -> None:
    board = all_time_board(callers.mode)
    first = callers.game_server.get("/v1/feed")
    put(board, ANN, 1)
    again = callers.game_server.get("/v1/feed", headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 200
    assert again.headers["ETag"] != first.headers["ETag"]


def test_a_long_answer_is_compressed_and_a_short_one_is_not(callers: Callers) -> None:
    for number in range(20):
        mode = {"slug": f"mode-{number}", "title": f"Mode {number}"}
        assert callers.game_server.post("/v1/games/dice/modes", json=mode).status_code == 201
    client = callers.app.test_client()
    plain = client.get("/v1/games/dice/modes")
    small = client.get("/v1/games/dice/modes", headers=GZIP)
    assert "Content-Encoding" not in plain.headers
    assert small.headers["Content-Encoding"] == "gzip"
    assert {"Accept-Encoding", "Origin"} <= set(small.headers["Vary"].replace(" ", "").split(","))
    assert len(small.data) < len(plain.data) / 4
    assert json.loads(gzip.decompress(small.data)) == plain.json
    assert small.headers["ETag"] == plain.headers["ETag"]
    assert "Content-Encoding" not in callers.game_server.get("/v1/games", headers=GZIP).headers


def test_what_is_refused_has_no_tag(callers: Callers) -> None:
    assert "ETag" not in callers.app.test_client().get("/v1/games/nothing/modes").headers

"""Boards that everybody may read: answered before Flask, and never with somebody's own answer."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest
import redis
from flask import Flask
from werkzeug.test import TestResponse

from app.api import answers, shared_answers
from app.core.page_cache.tags import TagStore
from app.core.redis.clients import jobs_redis
from tests.api.test_statements_of_reads import BOARD, play
from tests.worlds.callers import Callers, got


@contextmanager
def flask_not_asked() -> Iterator[None]:
    """No request reaches Flask."""
    with patch.object(Flask, "full_dispatch_request", side_effect=AssertionError):
        yield


def read_twice(callers: Callers, path: str = BOARD, **headers: str) -> list[TestResponse]:
    """The answer of the operation, and then the shared one."""
    client = callers.app.test_client()
    client.get(path, headers=headers)  # puts the names beside the board
    first = client.get(path, headers=headers)
    # in a thread, as the server calls it: outside of every context
    with flask_not_asked(), ThreadPoolExecutor(1) as thread:
        again = thread.submit(client.get, path, headers=headers).result()
    return [first, again]


def test_a_shared_answer_has_body_and_headers_of_the_operation(callers: Callers) -> None:
    play(callers, 7)
    first, again = read_twice(callers)
    assert (first.status_code, again.status_code) == (200, 200)
    assert sorted(first.headers) == sorted([*again.headers, ("Date", first.headers["Date"])])
    assert without_moment(first) == without_moment(again)
    assert again.headers["Content-Length"] == str(len(again.data))


def without_moment(answer: TestResponse) -> dict[str, Any]:
    assert answer.json is not None
    return {name: value for name, value in answer.json.items() if name not in ("as_of", "age_ms")}


def test_a_shared_answer_is_compressed_for_who_takes_it(
    callers: Callers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "SMALLEST_COMPRESSED", 100)
    play(callers, 7)
    query = f"{BOARD}?around_player_id={callers.player_id}"
    plain, _ = read_twice(callers, query)
    first, again = read_twice(callers, query, **{"Accept-Encoding": "gzip"})
    assert first.headers["Content-Encoding"] == again.headers["Content-Encoding"] == "gzip"
    assert len(again.data) < len(plain.data)
    assert json.loads(gzip.decompress(again.data))["player"]["rank"] == 1


def test_a_client_that_has_the_answer_gets_a_304(callers: Callers) -> None:
    play(callers, 7)
    first, _ = read_twice(callers)
    with flask_not_asked():
        again = callers.app.test_client().get(
            BOARD, headers={"If-None-Match": first.headers["ETag"]}
        )
    assert (again.status_code, again.data, again.headers["ETag"]) == (
        304,
        b"",
        first.headers["ETag"],
    )
    assert "Content-Type" not in again.headers
    play(callers, 8)
    fresh = callers.app.test_client().get(BOARD, headers={"If-None-Match": first.headers["ETag"]})
    assert fresh.status_code == 200
    assert fresh.json is not None
    assert fresh.json["entries"][0]["score"] == 8


def test_a_banned_player_is_gone_at_once(callers: Callers) -> None:
    play(callers, 7)
    read_twice(callers)
    answer = callers.game_server.post(
        f"/v1/games/dice/players/{callers.player_id}/ban",
        json={"reason": "Scores of a bot"},
    )
    assert answer.status_code == 200, answer.text
    assert got(callers.app.test_client(), BOARD)["entries"] == []


def test_without_redis_the_operation_answers(callers: Callers) -> None:
    play(callers, 7)
    read_twice(callers)
    with patch.object(TagStore, "lookup", side_effect=redis.ConnectionError):
        assert got(callers.app.test_client(), BOARD)["entries"][0]["score"] == 7


@pytest.mark.parametrize("header", shared_answers.OWN_HEADERS)
def test_requests_that_may_have_an_answer_of_their_own_reach_the_operation(
    callers: Callers, header: str
) -> None:
    play(callers, 7)
    read_twice(callers)
    client = callers.app.test_client(use_cookies=False)
    with flask_not_asked(), pytest.raises(AssertionError):
        client.get(BOARD, environ_base={header: "x"})


def test_an_answer_that_must_be_another_version_is_refused(callers: Callers) -> None:
    play(callers, 7)
    client = callers.app.test_client()
    client.get(BOARD)
    assert client.get(BOARD, headers={"If-Match": '"another"'}).status_code == 412


def test_an_answer_is_not_kept_with_a_query_of_any_length(callers: Callers) -> None:
    play(callers, 7)
    longest = f"limit=200&offset=1000000000&around_player_id={callers.player_id}&nearby=50"
    read_twice(callers, f"{BOARD}?{longest}")
    entries = len(jobs_redis().keys("polls:entry:answer:*"))
    assert got(callers.app.test_client(), f"{BOARD}?{'&' * 10_000}")["total_ranked"] == 1
    assert len(jobs_redis().keys("polls:entry:answer:*")) == entries

"""Whatever goes wrong, the answer is a problem that says what to do, and nothing private."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.core.http.rate_limits import limiter
from app.embedded.stack import Stack
from tests.waiting import patience
from tests.worlds.callers import Callers

ROOT = Path(__file__).parents[2]


def problem(answer: TestResponse, status: int) -> dict[str, object]:
    assert answer.status_code == status, answer.text
    assert answer.content_type == "application/problem+json"
    body = answer.json
    assert isinstance(body, dict)
    assert body.keys() == {"type", "title", "status", "detail", "errors"}
    assert body["status"] == status
    return body


def test_an_unknown_address_and_a_wrong_method_are_problems(client: FlaskClient) -> None:
    assert "openapi.json" in str(problem(client.get("/v1/nothing"), 404)["detail"])
    wrong = client.delete("/v1/games")
    problem(wrong, 405)
    assert {"GET", "POST"} <= set(wrong.headers["Allow"].split(", "))


@pytest.mark.parametrize(
    "address",
    ["/api/v1/draft-leagues/join", "/api/v1/draft-leagues/row/trades/preview"],
)
def test_a_word_of_an_address_is_no_name(client: FlaskClient, address: str) -> None:
    """As the OpenAPI document lists the methods of each path: `{league}` is not the word `join`."""
    assert sorted(client.get(address).headers["Allow"].split(", ")) == ["OPTIONS", "POST"]


def test_all_faults_come_at_once_each_with_its_field(callers: Callers) -> None:
    refused = problem(
        callers.game_server.post("/v1/games", json={"slug": "Not a slug", "sloog": 1}), 400
    )
    faults = refused["errors"]
    assert isinstance(faults, list)
    assert sorted((fault["in"], fault["field"], fault["code"]) for fault in faults) == [
        ("body", "sloog", "unknown"),
        ("body", "slug", "invalid"),
        ("body", "title", "missing"),
    ]
    assert all(str(fault["field"]) in str(fault["detail"]) for fault in faults)


@pytest.mark.parametrize(
    ("body", "content_type", "status", "words"),
    [
        ("{", "application/json", 400, "not JSON"),
        ("[]", "application/json", 400, "must be a JSON object"),
        ("", "application/json", 400, "The body is missing"),
        ('{"slug": "\\ud800"}', "application/json", 400, "not JSON"),
        ("slug=a", "application/x-www-form-urlencoded", 415, "Content-Type: application/json"),
        (f'{{"slug": "{"a" * 70_000}"}}', "application/json", 413, "too large"),
        ("[" * 50_000, "application/json", 400, "not JSON"),
    ],
    ids=["cut off", "a list", "empty", "half a character", "a form", "too large", "too deep"],
)
def test_a_body_that_cannot_be_read_says_why(
    callers: Callers, body: str, content_type: str, status: int, words: str
) -> None:
    answer = callers.game_server.post("/v1/games", data=body, content_type=content_type)
    assert words in str(problem(answer, status)["detail"])


def test_too_many_calls_get_the_time_to_wait(app: Flask, client: FlaskClient) -> None:
    limiter.enabled = True
    # Twice the limit and one: where Redis hesitates in between, the process has counted some by
    # itself.
    answers = [client.post("/v1/tokens/refresh", json={"refresh_token": "x"}) for _ in range(121)]
    assert [answer.status_code for answer in answers[:60]] == [401] * 60
    problem(answers[-1], 429)
    assert 0 < int(answers[-1].headers["Retry-After"]) <= 60


CALLS = """
from app import create_app
from app.core.logs.configuration import configure_logging
from app.setting_reading import settings_from_env
from app.settings import Settings

configure_logging("INFO", "test")
client = create_app(settings_from_env()).test_client()
answers = [client.post("/v1/tokens/refresh", json={"refresh_token": "x"}) for _ in range(62)]
print([answer.status_code for answer in answers], answers[-1].headers["Retry-After"])
"""


def test_with_redis_away_calls_are_taken_and_each_process_counts_for_itself(
    app: Flask, stack: Stack, nobody_listens: int, tmp_path: Path
) -> None:
    settings = stack.settings
    stores = {
        "DATABASE_URL": settings.database_url,
        "REDIS_URL": f"redis://127.0.0.1:{nobody_listens}/0",
        "KAFKA_BOOTSTRAP_SERVERS": settings.kafka,
        "PRESSBOX_VAR": str(tmp_path),
    }
    command = [sys.executable, "-c", CALLS]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | stores,
        capture_output=True,
        text=True,
        timeout=patience(120),
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str([401] * 60 + [429] * 2)), done.stdout


def test_a_fault_of_ours_gives_a_number_and_nothing_else(
    app: Flask, callers: Callers, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(*_: object) -> None:
        raise RuntimeError("a secret text")

    monkeypatch.setattr("app.boards.catalogue.queries.games", break_down)
    app.config["PROPAGATE_EXCEPTIONS"] = False
    try:
        answer = callers.game_server.get("/v1/games")
    finally:
        app.config["PROPAGATE_EXCEPTIONS"] = None
    assert "secret" not in str(problem(answer, 500)["detail"])
    assert "number" in answer.text


def test_a_name_given_twice_or_unknown_is_refused(client: FlaskClient, callers: Callers) -> None:
    twice = client.get(f"{callers.board}?limit=1&limit=2")
    assert "2 times" in str(problem(twice, 400)["detail"])
    unknown = client.get(f"{callers.board}?limt=1")
    assert "The query has no field limt" in str(problem(unknown, 400)["detail"])
    long = client.get(f"{callers.board}?{'x' * 5_000}=1")
    assert len(str(problem(long, 400)["detail"])) < 1_000


def test_a_cookie_alone_signs_nothing_that_writes(
    app: Flask, sign_in: Callable[..., FlaskClient]
) -> None:
    member = sign_in()
    app.config["WTF_CSRF_ENABLED"] = True
    assert "X-CSRFToken" in str(problem(member.post("/v1/tokens/mine"), 403)["detail"])
    page = member.get("/integrators").text
    token = page.split('name="csrf_token"', 1)[1].split('value="', 1)[1].split('"', 1)[0]
    assert member.post("/v1/tokens/mine", headers={"X-CSRFToken": token}).status_code == 200


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (b'{"slug": "a", "title": "A", "slug": "b"}', "slug"),
        (b'{"slug": "a", "title": "A", "\\u0073lug": "a"}', "slug"),
        (b'{"slug": "a", "title": "A", "other": [{"x": 1, "x": 1}]}', "x"),
    ],
)
def test_a_name_that_is_given_twice_is_refused(callers: Callers, body: bytes, name: str) -> None:
    """Parsers disagree about repeated names (RFC 8259, section 4), so both are refused."""
    answer = callers.game_server.post("/v1/games", data=body, content_type="application/json")
    assert answer.status_code == 400
    assert [(fault["field"], fault["code"]) for fault in answer.json["errors"]] == [
        (name, "repeated")
    ]


@pytest.mark.parametrize("headers", [{"Content-Encoding": "gzip"}, {"Content-Encoding": "br"}, {}])
def test_a_compressed_body_is_refused_by_its_encoding(
    callers: Callers, headers: dict[str, str]
) -> None:
    """RFC 9110, 15.5.16: 415, and Accept-Encoding says what is taken."""
    body = gzip.compress(b'{"slug": "a", "title": "A"}')
    answer = callers.game_server.post(
        "/v1/games", data=body, content_type="application/json", headers=headers
    )
    assert (answer.status_code, answer.headers["Accept-Encoding"]) == (415, "identity")
    assert "compressed" in answer.json["detail"]
    plain = {"Content-Encoding": "identity"}
    taken = callers.game_server.post("/v1/games", json={"slug": "a-b", "title": "A"}, headers=plain)
    assert taken.status_code == 201

"""The Python client is the document in methods.

The example and the guide run as they are printed.
"""

from __future__ import annotations

import inspect
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from app.accounts import api_keys
from app.api.document import document
from app.core import clock
from app.scores.webhooks import rules as webhook_rules
from clients import generate
from tests.api.live.serving import served
from tests.http_server import running
from tests.waiting import patience
from tests.worlds.callers import Callers, new_key

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "clients" / "python"))

from pressbox_client import ApiError, Client  # noqa: E402

NOT_FOR_SERVERS = {"create_own_token"}  # signed by a browser's cookie
OPERATIONS = {
    described["operationId"]: (path, described)
    for path, methods in document()["paths"].items()
    for described in methods.values()
}


def python_name(name: str) -> str:
    """Of a header or of a field: `X-Device-Id` is x_device_id, `goalKeeper` is goal_keeper."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().replace("-", "_")


def test_the_methods_are_made_from_the_document() -> None:
    modules = generate.python()
    assert {path.name for path in generate.OPERATIONS.glob("*.py")} == {
        path.name for path in modules
    }
    for path, text in modules.items():
        assert path.read_text() == text, f"{path.name} is old: run `python -m clients.generate`"


@pytest.mark.parametrize("operation", sorted(OPERATIONS.keys() - NOT_FOR_SERVERS))
def test_every_operation_is_a_method_with_the_same_parameters(operation: str) -> None:
    path, described = OPERATIONS[operation]
    expected = {
        python_name(parameter["name"]): parameter["required"]
        for parameter in described.get("parameters", ())
    }
    if "requestBody" in described:
        name = described["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition(
            "/"
        )[2]
        schema = document()["components"]["schemas"][name]
        expected |= {
            python_name(field): field in schema["required"] for field in schema["properties"]
        }
    method = getattr(Client, operation)
    parameters = dict(inspect.signature(method).parameters)
    del parameters["self"]
    required = {
        name: parameter.default is inspect.Parameter.empty for name, parameter in parameters.items()
    }
    for name, parameter in parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            (optional,) = get_args(get_type_hints(method)[name])
            required |= dict.fromkeys(optional.__annotations__, False)
            del required[name]
    assert required == expected
    by_keyword = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)
    positional = [
        name for name, parameter in parameters.items() if parameter.kind not in by_keyword
    ]
    assert positional == [python_name(name) for name in re.findall(r"{(\w+)}", path)]


def test_a_keyword_that_the_document_has_not_is_refused_before_anything_is_sent() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument: agregation"):
        Client("http://127.0.0.1:1").create_mode(
            "dice", slug="ranked", title="Ranked", agregation="sum"
        )  # type: ignore[call-arg]


def test_the_client_has_nothing_that_the_document_has_not() -> None:
    methods = {
        name
        for name, _ in inspect.getmembers(Client, inspect.isfunction)
        if not name.startswith("_")
    }
    assert methods == OPERATIONS.keys() - NOT_FOR_SERVERS


class Stubborn(BaseHTTPRequestHandler):
    """Answers 503, then 429, then what it was asked."""

    received: list[tuple[str, bytes]] = []  # noqa: RUF012

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.received.append((self.headers["Idempotency-Key"], body))
        status = {1: 503, 2: 429}.get(len(self.received), 200)
        self.send_response(status)
        if status != 200:
            self.send_header("Retry-After", "7")
        self.end_headers()
        self.wfile.write(json.dumps({"status": status}).encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def stubborn() -> Iterator[str]:
    Stubborn.received.clear()
    with running(HTTPServer(("127.0.0.1", 0), Stubborn)) as address:
        yield address


def test_a_busy_server_is_asked_again_with_the_same_key_after_as_long_as_it_says(
    stubborn: str,
) -> None:
    waited: list[float] = []
    client = Client(stubborn, token="t", sleep=waited.append)
    answer = client.submit_score("g", "m", attempt_id="a-1", attempt_token="x", raw_score=1)
    assert answer == {"status": 200}
    assert waited == [7.0, 7.0]
    assert len(set(Stubborn.received)) == 1
    assert Stubborn.received[0][0] == "a-1"


def test_points_keep_their_key_over_all_tries(stubborn: str) -> None:
    Client(stubborn, key="k", sleep=lambda _: None).add_points(user_id="ann", points=3)
    assert len(Stubborn.received) == 3
    assert len(set(Stubborn.received)) == 1


def test_a_refresh_token_is_sent_once(stubborn: str) -> None:
    with pytest.raises(ApiError):
        Client(stubborn, sleep=lambda _: None).refresh_token(refresh_token="r")
    assert len(Stubborn.received) == 1


def test_a_server_that_stays_busy_is_given_up(stubborn: str) -> None:
    with pytest.raises(ApiError) as given_up:
        Client(stubborn, token="t", tries=2, sleep=lambda _: None).submit_score(
            "g", "m", attempt_id="a", attempt_token="x", raw_score=1
        )
    assert given_up.value.status == 429


@pytest.mark.usefixtures("consumer")
def test_the_client_plays_a_whole_game(callers: Callers) -> None:
    with served(callers.app) as url:
        server, game = Client(url, key=callers.key), callers.game.slug
        assert [game["slug"] for game in server.list_games()["games"]] == [game]
        server.create_mode(
            game, slug="sum", title="Sum", aggregation="sum", decimals=2, ties="earliest"
        )
        assert [mode["slug"] for mode in server.list_modes(game)["modes"]] == ["ranked", "sum"]
        player = server.register_player(game, external_id="p 9/1", display_name="Zoë")["player_id"]
        pair = server.create_token(player_id=player)
        token = server.refresh_token(refresh_token=pair["refresh_token"])["access_token"]
        for points in (150, 275):
            attempt = server.issue_attempt(game, "sum", player_id=player, score_cap=300)
            sent = {name: attempt[name] for name in ("attempt_id", "attempt_token")}
            Client(url, token=token).submit_score(
                game, "sum", **sent, raw_score=points, wait="committed"
            )
        place = server.get_player_rank(game, "sum", "all-time", player)
        assert (place["player"]["rank"], place["player"]["score"]) == (1, 4.25)
        board = server.get_leaderboard(game, "sum", "all-time", limit=5, around_player_id=player)
        assert board["entries"][0]["display_name"] == "Zoë"
        assert (
            server.get_score_band(game, "sum", "all-time", low=425, high=425)["entries"]
            == board["entries"]
        )
        with pytest.raises(ApiError) as refused:
            server.create_mode(game, slug="sum", title="Sum again")
        assert refused.value.status == 409


@pytest.mark.usefixtures("consumer")
def test_the_example_game_server_runs_twice(callers: Callers) -> None:
    with served(callers.app) as url:
        for _ in range(2):
            done = subprocess.run(
                [sys.executable, str(ROOT / "examples" / "game_server.py"), url],
                env=os.environ | {"PRESSBOX_KEY": callers.key},
                capture_output=True,
                text=True,
                timeout=patience(60),
                check=False,
            )
            assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("Nova: committed, rank ")
    assert lines[1].startswith("vex: committed, rank ")
    assert len(lines) == 4


@pytest.mark.usefixtures("consumer")
def test_the_guide_works_as_it_is_printed(callers: Callers) -> None:
    guide = (ROOT / "docs" / "integrators.md").read_text()
    blocks = re.findall(r"```(\w+)\n(.*?)```", guide, re.S)
    assert {kind for kind, _ in blocks} == {"python", "sh", "ts"}
    blocks = [(kind, text) for kind, text in blocks if kind != "ts"]  # test_typescript.py
    key = new_key(callers.integrator, callers.owner, *(set(api_keys.SCOPES) - {"scores:write"}))
    names: dict[str, Any] = {}
    with served(callers.app) as url:
        place = {"http://127.0.0.1:8000": url, "pbk_...": key}
        for kind, text in blocks:
            for printed, real in place.items():
                text = text.replace(printed, real)
            if kind == "python":
                printed_lines = io.StringIO()
                names["print"] = partial(print, file=printed_lines)
                exec(compile(text, "integrators.md", "exec"), names)  # noqa: S102
                expected = re.findall(r"print\(.*\)  # (.*)$", text, re.M)
                assert printed_lines.getvalue().splitlines() == expected
            else:
                done = subprocess.run(
                    ["/bin/sh", "-ec", text],
                    capture_output=True,
                    text=True,
                    timeout=patience(60),
                    check=False,
                    cwd=ROOT,
                )
                assert done.returncode == 0, done.stderr
                assert '"entries"' in done.stdout
    body = b'{"changes":[]}'
    headers = webhook_rules.signed_headers(names["secret"], "one", body, clock.now())
    assert names["receive"](body, headers) == 204
    assert names["receive"](body + b" ", headers) == 400
    assert names["is_ours"](body, headers)
    assert not names["is_ours"](body + b" ", headers)

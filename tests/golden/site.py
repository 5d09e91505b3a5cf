"""Every page, fragment and API answer of the demo season, per role and size of league."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from app.core.db import db
from app.demo.logins import DEMO_PASSWORD
from app.fantasy.gameweeks.live import refresh_game
from app.record.script import GameScript
from tests.e2e.town import Town, make_town
from tests.golden import world
from tests.golden.masking import masked
from tests.golden.visible_text import visible_text
from tests.web.sending import Sender
from tests.worlds.games import ingest, timed_messages

VIEWERS = ("stranger", "member", "inkwell", "scorer", "moderator", "operator")
POLLED = re.compile(r'hx-get="([^"]+)"')
TOLD_HEADERS = (
    "Location",
    "Content-Type",
    "Cache-Control",
    "Content-Disposition",
    "Link",
    "Retry-After",
    "Vary",
)
# They wait for what comes next, or show the machine that runs them.
LEFT_OUT = ("/static/", "/ops", "/metrics", "/healthz")
STREAMS = ("/stream", "/events/stream")


def record(app: Flask, folder: Path) -> None:
    for size in ("small", "large"):
        with world.empty(app, large_leagues=size == "large"):
            town = make_town(app)
            _play_current_games()
            for viewer in VIEWERS:
                _write(folder / f"{size}-pages-{viewer}.txt", _pages(town, viewer))
            for caller in ("stranger", "member", "game_server", "player"):
                _write(folder / f"{size}-api-{caller}.txt", _api_reads(town, caller))
            if size == "small":
                _write(folder / "api-writes.txt", _writes(town, "/v1/"))
                _write(folder / "page-writes.txt", _writes(town, "/"))


def _write(path: Path, answers: Iterator[str]) -> None:
    path.write_text(masked("\n".join(answers)))


def _play_current_games() -> None:
    """Enter the demo's games up to now.

    Those that are over whole, those that are under way in part.
    """
    for week in world.season().weeks:
        for fixture in week.fixtures:
            script: GameScript = fixture.script
            gone_ms = (world.NOW - fixture.start).total_seconds() * 1000
            steps = [
                step.body
                for step in script.events
                if fixture.phase == "finished" or step.at_ms <= gone_ms
            ]
            if steps:
                start = int(script.kickoff.timestamp() * 1000)
                ingest(timed_messages(steps, script.game_id, start))
                refresh_game(script.game_id, world.NOW)


def readable_rules(app: Flask) -> list[Rule]:
    return rules_for(app, "GET")


def rules_for(app: Flask, method: str) -> list[Rule]:
    rules = [rule for rule in app.url_map.iter_rules() if method in (rule.methods or ())]
    chosen = [
        rule
        for rule in rules
        if not rule.rule.startswith(LEFT_OUT) and not rule.rule.endswith(STREAMS)
    ]
    return sorted(chosen, key=lambda rule: (rule.rule, sorted(rule.methods or ())))


def _is_api(rule: Rule) -> bool:
    return rule.rule.startswith(("/v1/", "/api/"))


def _client(town: Town, viewer: str) -> FlaskClient:
    callers = town.world.callers
    if viewer == "game_server":
        return callers.game_server
    return callers.player if viewer == "player" else town.world.clients[viewer]


def _pages(town: Town, viewer: str) -> Iterator[str]:
    client = _client(town, viewer)
    polled: dict[str, None] = {}
    for rule in readable_rules(town.world.app):
        if _is_api(rule):
            continue
        answer = get(client, town.path(rule))
        if answer.mimetype == "text/html":
            polled |= dict.fromkeys(unescape(path) for path in POLLED.findall(answer.text))
        yield f"## GET {rule.rule} as {viewer}\n{told(answer)}\n"
    for path in [*town.states.get(viewer, []), *town.states.get("member of a league", [])]:
        yield f"## GET {path} as {viewer}\n{told(get(client, path))}\n"
    for path in sorted(polled):
        if path.startswith("/") and not path.startswith(LEFT_OUT):
            answer = get(client, path, headers={"HX-Request": "true"})
            yield f"## HTMX GET {path} as {viewer}\n{told(answer)}\n"


def _api_reads(town: Town, caller: str) -> Iterator[str]:
    client = _client(town, caller)
    for rule in readable_rules(town.world.app):
        if _is_api(rule):
            yield f"## GET {rule.rule} as {caller}\n{told(get(client, town.path(rule)))}\n"


def _writes(town: Town, start: str) -> Iterator[str]:
    """Empty bodies: what each operation asks for.

    Each is sent by somebody who may, with a session of their own.
    """
    app = town.world.app
    sender = Sender(town.world)
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        for rule in rules_for(app, method):
            if _is_api(rule) != (start == "/v1/") or rule.rule.endswith("/replay"):
                continue
            client = sender.client(rule)
            if start == "/":
                client = _signed_in(app, client, town)
            body = {"json": {}} if start == "/v1/" else {"data": {}}
            answer = client.open(town.path(rule), method=method, **body)
            db.session.rollback()
            yield f"## {method} {rule.rule}\n{told(answer)}\n"


def _signed_in(app: Flask, client: FlaskClient, town: Town) -> FlaskClient:
    username = next((name for name in VIEWERS[1:] if town.world.clients[name] is client), "member")
    fresh = app.test_client()
    fresh.post("/sign-in", data={"username": username, "password": DEMO_PASSWORD})
    return fresh


def get(client: FlaskClient, path: str, **request: object) -> TestResponse:
    answer = client.get(path, **request)  # type: ignore[arg-type]
    answer.get_data()
    db.session.rollback()
    return answer


def told(answer: TestResponse) -> str:
    """Status, headers that matter, and what a person or a program reads."""
    headers = [f"{name}: {answer.headers[name]}" for name in TOLD_HEADERS if name in answer.headers]
    return "\n".join([str(answer.status_code), *headers, _body(answer)])


def _body(answer: TestResponse) -> str:
    kind = answer.mimetype
    if kind == "text/html":
        return visible_text(answer.text)
    if kind.endswith("json"):
        return json.dumps(answer.json, indent=1, sort_keys=True, ensure_ascii=False)
    if kind.startswith("text/") or kind.endswith("xml"):
        return answer.text
    return f"({len(answer.data)} bytes)"

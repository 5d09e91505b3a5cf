"""Odd input on every route: in the path, the query, form fields, JSON and headers. Nothing may answer 500.

The routes come from the URL map; the names of fields are those that the views ask for and that the rendered forms hold.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import quote, urlsplit
from uuid import uuid4

import pytest
from flask import Flask, g
from flask.testing import FlaskClient
from flask_wtf import FlaskForm
from werkzeug.datastructures import ImmutableMultiDict
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from app.core.access import MEMBER, PUBLIC, audience_of
from app.core.db import db
from app.core.limits import limiter
from app.scores import feed
from tests.conftest import emptied
from tests.web.world import ROLES, World, make_world

# Each has broken something before, or stands for what PostgreSQL, Redis, int() or a header cannot hold.
NASTY = [
    "a\x00b",
    "²",  # str.isdigit() says yes, int() no
    str(2**63),  # one more than a bigint
    "9" * 5000,  # int() refuses more than 4,300 digits
    "x\r\nSet-Cookie: y",
]
MORE = [
    "-1",
    "é\u202e\U0001f3c8" * 3000,  # long, and longer in bytes
    "1e999",
    "",
    " ",
    "0",
    str(2**31),
    str(-(2**63) - 1),
    "٣",
    "NaN",
    "null",
    "[]",
    "{}",
    "%00",
    "../../etc/passwd",
    "\\",
    "'\"<>&",
    "\ufeff",
    "\x1b",
    "1.5",
    "0x10",
    "2026-02-31",
    "x" * 200_000,
    "//evil.example",
    "Infinity",
    "1_000",
]
BODIES = [
    b"",
    b"null",
    b"[]",
    b"{}",
    b"\x00",
    b"\xff\xfe",
    b"[" * 100_000,
    b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    b'{"key": "\\u0000"}',
    b'{"key": "\\ud800"}',
    b'{"key": 1e999}',
    b'{"key": ' + b"9" * 5000 + b"}",
    b'{"key": NaN}',
]
HEADERS = [
    {"Cookie": "session=\x80\xff; device=%00; session=.eJw"},
    {"If-None-Match": 'W/"f\xe9", *, ""', "HX-Request": "true"},
    {"If-None-Match": '"' + "f" * 5000 + '"', "HX-Request": "\xff"},
    {"HX-Request": "true", "HX-Target": "\xff#'\"", "HX-Current-URL": "http://[::1", "HX-Trigger": "²"},
    {"Authorization": "Bearer \xff"},
    {"Authorization": "Bearer pbk_" + "x" * 5000},
    {"Authorization": "Bearer " + ".".join(["e30"] * 3)},
    {"X-Console": "²\xff" * 500},
    {"Host": "evil.example:99999999"},
    {"Idempotency-Key": "x" * 5000, "Content-Type": "application/json; charset=\xff"},
    {"Accept": "²/*;q=x", "Accept-Language": "²", "Range": "bytes=9-1", "If-Modified-Since": "²"},
    {"Content-Type": "multipart/form-data; boundary=" + "x" * 5000},
    {"Content-Length": "²"},
]
# Asked for by what reads forms and lists in general, not by a view.
NOT_FIELDS = {"csrf_token"}


class Forms(HTMLParser):
    """The forms of a page: action, method, and the fields as a browser would send them untouched."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, str, dict[str, str]]] = []
        self.select = self.area = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        name = given.get("name", "")
        if tag == "form":
            self.found.append((given.get("action", ""), given.get("method", "get").upper(), {}))
        elif not self.found:
            return
        elif tag == "select":
            self.select = name
        elif tag == "option" and self.select:
            if "selected" in given or self.select not in self.found[-1][2]:
                self.found[-1][2][self.select] = given.get("value", "")
        elif tag == "textarea":
            self.found[-1][2][name] = "text"
        elif tag in ("input", "button") and name:
            self.found[-1][2].setdefault(name, given.get("value", "1"))


class Asked:
    """Which names a view asks for: noted by the class that holds query and form."""

    def __init__(self) -> None:
        self.names: dict[str, set[str]] = {}
        self.endpoint = ""

    def note(self, name: object) -> None:
        if isinstance(name, str) and name not in NOT_FIELDS:
            self.names.setdefault(self.endpoint, set()).add(name)


def noting(asked: Asked) -> type[ImmutableMultiDict[str, str]]:
    class Noting(ImmutableMultiDict[str, str]):
        def get(self, key: Any, *more: Any, **named: Any) -> Any:
            asked.note(key)
            return super().get(key, *more, **named)

        def getlist(self, key: Any, *more: Any, **named: Any) -> Any:
            asked.note(key)
            return super().getlist(key, *more, **named)

        def __contains__(self, key: object) -> bool:
            asked.note(key)
            return super().__contains__(key)

        def __getitem__(self, key: Any) -> Any:
            asked.note(key)
            return super().__getitem__(key)

    return Noting


@pytest.fixture(scope="module")
def app(_migrated: Flask) -> Iterator[Flask]:
    with emptied(_migrated) as app:
        yield app


@pytest.fixture(scope="module")
def world(app: Flask) -> Iterator[World]:
    def sign_in(role: str) -> FlaskClient:
        client = app.test_client()
        answer = client.post("/sign-in", data={"username": role, "password": "on the record"})
        assert answer.status_code == 303, (role, answer.text)
        return client

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(feed, "LONGEST_SECONDS", 0.05)
        limiter.enabled = False
        yield make_world(app, sign_in)


class Sender:
    """Sends requests and keeps those that answer 500, with the error behind them."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.sent = 0
        self.broken: dict[str, str] = {}
        self.error = ""
        broken = world.app.error_handler_spec[None][None][Exception]

        def note(error: Exception) -> Any:
            ours = [
                frame for frame in traceback.extract_tb(error.__traceback__) if "site-packages" not in frame.filename
            ]
            self.error = f"{type(error).__name__}: {str(error)[:150]!r} at {ours[-1].filename}:{ours[-1].lineno}"
            return broken(error)

        world.app.error_handler_spec[None][None][Exception] = note

    def send(self, client: FlaskClient, method: str, target: str, what: str, **request: Any) -> TestResponse | None:
        """The answer; None after a 500."""
        self.sent += 1
        g.pop("_login_user", None)
        answer = client.open(target, method=method, **request)
        answer.get_data()
        db.session.rollback()
        if answer.status_code >= 500 and answer.status_code != 503:
            self.broken.setdefault(f"{method} {what}", f"{target[:200]} {self.error}")
            return None
        return answer

    def path(self, rule: Rule, **odd: str) -> str:
        """The rule's path with real values, or with odd ones for some of its variables."""
        path = rule.rule
        for name in rule.arguments:
            value = odd.get(name, self.world.value(rule.rule, name))
            start = path.index("<")
            for part in path[start:].split("<")[1:]:
                inside = part.split(">")[0]
                if inside.split(":")[-1] == name:
                    path = path.replace(f"<{inside}>", quote(value, safe=""), 1)
        return path

    def client(self, rule: Rule) -> FlaskClient:
        """Somebody who may see the route; who signs out is needed for nothing else."""
        if rule.endpoint == "accounts.sign_out":
            return self.world.leaving
        if rule.rule.startswith(("/v1/players", "/v1/games/<game>/modes/<mode>/scores", "/v1/games/<game>/scores")):
            return self.world.callers.player
        if rule.rule.startswith("/v1/") and rule.rule != "/v1/tokens/mine":
            return self.world.callers.game_server
        allowed = audience_of(self.world.app, rule.endpoint)
        if PUBLIC in allowed or MEMBER in allowed:
            return self.world.clients["operator"]
        return self.world.clients[next(role for role in ROLES if role in allowed)]


def rules(app: Flask) -> list[tuple[Rule, str]]:
    """Every route with its method."""
    return [
        (rule, method)
        for rule in app.url_map.iter_rules()
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})
    ]


def assert_no_500(sender: Sender) -> None:
    found = "\n".join(f"{what}: {target}" for what, target in sorted(sender.broken.items()))
    for role in ROLES:
        assert sender.world.clients[role].get("/leagues").status_code == 200, f"the {role} is not signed in any more"
    assert not sender.broken, f"{len(sender.broken)} of {sender.sent} answered 500:\n{found}"


def every_variable_of_a_path(world: World, sender: Sender, odd: list[str]) -> None:
    for rule, method in rules(world.app):
        for name in rule.arguments:
            for value in odd:
                target = sender.path(rule, **{name: value})
                sender.send(sender.client(rule), method, target, f"{rule.rule} <{name}>={value[:20]!r}")


def every_parameter_of_a_query(world: World, sender: Sender, odd: list[str]) -> set[str]:
    """On every route that is read, each name that its view asks for, found out by a request that has none of them.

    Gives these names.
    """
    asked = names_asked_for(world, sender, "GET")
    for rule, _ in rules(world.app):
        for name in sorted({"next", *asked.get(rule.endpoint, ())}) if "GET" in (rule.methods or ()) else ():
            for value in odd:
                sender.send(
                    sender.client(rule),
                    "GET",
                    sender.path(rule),
                    f"{rule.rule} ?{name}={value[:20]!r}",
                    query_string={name: value},
                )
    return {name for names in asked.values() for name in names}


def every_field_of_a_form(world: World, sender: Sender, odd: list[str]) -> set[str]:
    """Each field of each form, the others as the page holds them; then each name that the view asks for, alone.

    Gives the names of the fields tried.
    """
    asked = names_asked_for(world, sender, "POST")
    pages = rendered_forms(world, sender)
    tried = set()
    for rule, method in rules(world.app):
        if method != "POST" or rule.rule.startswith(("/v1", "/api")):
            continue
        given = pages.get(rule.endpoint, {})
        for name in sorted({*given, *asked.get(rule.endpoint, ())}):
            tried.add(name)
            for value in odd:
                what = f"{rule.rule} {name}={value[:20]!r}"
                sender.send(sender.client(rule), "POST", sender.path(rule), what, data=given | {name: value})
    return tried


def names_asked_for(world: World, sender: Sender, method: str) -> dict[str, set[str]]:
    asked = Asked()
    kind = world.app.request_class
    world.app.request_class = type("Noting", (kind,), {"parameter_storage_class": noting(asked)})
    try:
        for rule, one in rules(world.app):
            if one == method and rule.endpoint != "accounts.sign_out":
                asked.endpoint = rule.endpoint
                sender.send(
                    sender.client(rule),
                    method,
                    sender.path(rule),
                    rule.rule,
                    data={"x": "1"} if method == "POST" else None,
                )
    finally:
        world.app.request_class = kind
    return asked.names


def rendered_forms(world: World, sender: Sender) -> dict[str, dict[str, str]]:
    """The forms of all pages by the endpoint that they are sent to, filled in as the page has them."""
    found: dict[str, dict[str, str]] = {}
    match = world.app.url_map.bind("localhost").match
    for rule, method in rules(world.app):
        if method == "GET":
            answer = sender.send(sender.client(rule), method, sender.path(rule), rule.rule)
            if answer is None or answer.mimetype != "text/html":
                continue
            for action, sent_by, fields in Forms(answer.text).found:
                if sent_by == "POST":
                    endpoint, _ = match(urlsplit(action).path or sender.path(rule), method="POST")
                    found.setdefault(endpoint, {}).update(fields)
    return found


def every_body(world: World, sender: Sender) -> None:
    for rule, method in rules(world.app):
        if method in ("POST", "PUT"):
            for body in BODIES:
                for kind in ("application/json", "application/x-www-form-urlencoded"):
                    what = f"{rule.rule} {kind} {body[:30]!r}"
                    sender.send(sender.client(rule), method, sender.path(rule), what, data=body, content_type=kind)
            for entry in entries() if rule.endpoint == "console.enter" else ():
                what = f"{rule.rule} {entry[:300]!r}"
                sender.send(
                    sender.client(rule), method, sender.path(rule), what, data=entry, content_type="application/json"
                )


def entries() -> list[bytes]:
    """Entries of a scorer's console, sound but for one value."""
    body: dict[str, Any] = {
        "type": "run",
        "team": "HRB",
        "player": "H3",
        "kind": "rush",
        "start_yard": 25,
        "end_yard": 35,
    }
    found = []
    for name in (*body, "play_number", "note"):
        for value in ("a\x00b", 2**63, -(2**70), 1e308, None, [], {"a": [1]}, "x" * 9000, "²"):
            changed = body | ({name: value} if name != "play_number" else {})
            entry = {"body": changed, "play_number": value if name == "play_number" else None}
            found.append(json.dumps({"key": str(uuid4()), "console": str(uuid4()), "entries": [entry]}).encode())
    return found


def every_header(world: World, sender: Sender) -> None:
    for rule, method in rules(world.app):
        for headers in HEADERS:
            sender.send(sender.client(rule), method, sender.path(rule), f"{rule.rule} {headers}"[:200], headers=headers)


def every_role(world: World, sender: Sender) -> None:
    """Every route with real values, for every role and a stranger, as a page and as htmx asks for it."""
    for rule, method in rules(world.app):
        for role, client in world.clients.items():
            if rule.endpoint != "accounts.sign_out":
                sender.send(client, method, sender.path(rule), f"{rule.rule} as {role}")
        what = f"{rule.rule} by htmx"
        sender.send(sender.client(rule), method, sender.path(rule), what, headers={"HX-Request": "true"})


def fields_of_forms() -> set[str]:
    """Names of the fields of every form class there is."""
    found, classes = set(), list(FlaskForm.__subclasses__())
    while classes:
        kind = classes.pop()
        classes += kind.__subclasses__()
        if kind.__module__.startswith(("app.", "scorer_console.")):
            found |= {name for name in dir(kind) if hasattr(getattr(kind, name), "field_class")}
    return found


def test_odd_values_in_paths_queries_and_form_fields(world: World, measured: Callable[[str], None]) -> None:
    sender = Sender(world)
    every_role(world, sender)
    every_variable_of_a_path(world, sender, NASTY)
    tried = every_parameter_of_a_query(world, sender, NASTY) | every_field_of_a_form(world, sender, NASTY)
    measured(f"odd paths, queries and forms: {sender.sent} requests, {len(sender.broken)} answered 500")
    assert_no_500(sender)
    assert fields_of_forms() - tried == set(), "fields of forms that no request tried"


def test_odd_bodies_and_headers(world: World, measured: Callable[[str], None]) -> None:
    sender = Sender(world)
    every_body(world, sender)
    every_header(world, sender)
    measured(f"odd bodies and headers: {sender.sent} requests, {len(sender.broken)} answered 500")
    assert_no_500(sender)


@pytest.mark.full
@pytest.mark.timeout(1800)
def test_many_more_odd_values(world: World, measured: Callable[[str], None]) -> None:
    sender = Sender(world)
    every_variable_of_a_path(world, sender, MORE)
    every_parameter_of_a_query(world, sender, MORE)
    every_field_of_a_form(world, sender, MORE)
    measured(f"many more odd values: {sender.sent} requests, {len(sender.broken)} answered 500")
    assert_no_500(sender)

"""Sends odd requests, and finds out what there is to send.

Routes, forms of pages, names that views ask for.
"""

from __future__ import annotations

import traceback
from html.parser import HTMLParser
from typing import Any
from urllib.parse import quote

from flask import Flask, g
from flask.testing import FlaskClient
from werkzeug.datastructures import ImmutableMultiDict
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from app.core.db import db
from app.core.http.access import MEMBER, PUBLIC, audience_of
from tests.worlds.whole_site import ROLES, World

# Asked for by what reads forms and lists in general, not by a view.
NOT_FIELDS = {"csrf_token"}
LAST_ERROR = "last_error"  # of app.extensions


class Forms(HTMLParser):
    """The forms of a page.

    Action, method, and the fields as a browser would send them untouched. A button with an action
    of its own makes a form of its own, which shares the fields.
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, str, dict[str, str]]] = []
        self.select = self.area = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        name = values.get("name", "")
        if tag == "form":
            self.found.append((values.get("action", ""), values.get("method", "get").upper(), {}))
        elif not self.found:
            return
        elif tag == "select":
            self.select = name
        elif tag == "option" and self.select:
            if "selected" in values or self.select not in self.found[-1][2]:
                self.found[-1][2][self.select] = values.get("value", "")
        elif tag == "textarea":
            self.found[-1][2][name] = "text"
        elif "formaction" in values:
            _, method, fields = self.found[-1]
            method = values.get("formmethod", method).upper()
            self.found.append((values["formaction"], method, fields))
        elif tag in ("input", "button") and name:
            self.found[-1][2].setdefault(name, values.get("value", "1"))


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


def _keep_last_error(app: Flask) -> None:
    """Let the application keep the last error behind a 500, however many senders it has."""
    if LAST_ERROR in app.extensions:
        return
    app.extensions[LAST_ERROR] = ""
    handlers = app.error_handler_spec[None][None]
    broken = handlers[Exception]

    def note(error: Exception) -> Any:
        our_frames = [
            frame
            for frame in traceback.extract_tb(error.__traceback__)
            if "site-packages" not in frame.filename
        ]
        app.extensions[LAST_ERROR] = (
            f"{type(error).__name__}: {str(error)[:150]!r} at "
            f"{our_frames[-1].filename}:{our_frames[-1].lineno}"
        )
        return broken(error)

    handlers[Exception] = note


class Sender:
    """Sends requests and keeps those that answer 500, with the error behind them."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.sent = 0
        self.broken: dict[str, str] = {}
        _keep_last_error(world.app)

    def send(
        self, client: FlaskClient, method: str, target: str, what: str, **request: Any
    ) -> TestResponse | None:
        """The answer; None after a 500."""
        self.sent += 1
        g.pop("_login_user", None)
        # Buffered: the test client closes the response, as a server does. A stream counts as open
        # until then.
        answer = client.open(target, method=method, buffered=True, **request)
        db.session.rollback()
        if answer.status_code >= 500 and answer.status_code != 503:
            self.broken.setdefault(
                f"{method} {what}", f"{target[:200]} {self.world.app.extensions[LAST_ERROR]}"
            )
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
        if rule.rule.startswith(
            ("/v1/players", "/v1/games/<game>/modes/<mode>/scores", "/v1/games/<game>/scores")
        ):
            return self.world.callers.player
        if rule.rule.startswith("/v1/") and rule.rule != "/v1/tokens/mine":
            return self.world.callers.game_server
        allowed = audience_of(self.world.app, rule.endpoint)
        if PUBLIC in allowed or MEMBER in allowed:
            return self.world.clients["operator"]
        return self.world.clients[next(role for role in ROLES if role in allowed)]

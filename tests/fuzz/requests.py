"""Requests through the whole application, as text.

`POST /path?query`, lines of headers, an empty line, the body.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NoReturn
from urllib.parse import urlencode

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.exceptions import HTTPException
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from app.accounts import services as accounts
from app.core.db import db
from app.core.http import outbound
from tests.conftest import CHEAP_HASHER
from tests.emptying import empty_stores
from tests.fuzz import stores
from tests.web.sending import Sender
from tests.worlds.whole_site import ROLES, make_world

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
LOOK_EVERY = 200  # inputs: then the world is made anew if one of its people cannot sign in any more
# What a refused request may write: who asked last and when, that somebody failed, and how often;
# and a console holds its game, by a lease and its epoch, whatever becomes of the entry.
NOTED = {
    "api_keys",
    "audit_entries",
    "audit_head",
    "games",
    "member_sessions",
    "scorer_leases",
    "token_families",
}


class Requests:
    """A small whole Pressbox, and a client for whoever may see what is asked for."""

    def __init__(self) -> None:
        accounts.hasher = lambda: CHEAP_HASHER
        outbound._addresses = _nobody_is_there
        self.app: Flask = stores.application()
        self.sent = 0
        self._make()

    def _make(self) -> None:
        self.sender = Sender(make_world(self.app, self._sign_in))
        stores.forget_writes()

    def _sign_in(self, name: str) -> FlaskClient:
        client = self.app.test_client()
        answer = client.post("/sign-in", data={"username": name, "password": "on the record"})
        assert answer.status_code == 303, (name, answer.text)
        return client

    def send(self, data: bytes) -> TestResponse | None:
        """The answer; None for what is no request.

        Fails for an error of ours, and for what a refused one wrote.
        """
        head, _, body = data.partition(b"\n\n")
        first, *lines = head.decode(errors="replace").replace("\r", "").split("\n")
        method, _, target = first.partition(" ")
        path, _, query = target.partition("?")
        if method not in METHODS or not path.startswith("/") or path.startswith("//"):
            return None
        headers = [
            (name.strip(), value.strip())
            for name, _, value in (line.partition(":") for line in lines)
        ]
        client = self._client(method, path)
        stores.forget_writes()
        before = stores.committed()
        try:
            answer = self.sender.send(
                client, method, path, "", query_string=query, headers=_sendable(headers), data=body
            )
        except (UnicodeError, ValueError) as error:
            if "werkzeug/test.py" in _last_file(error) or "werkzeug/datastructures" in _last_file(
                error
            ):
                return None  # the test's own client could not send it
            raise
        broken = dict(self.sender.broken)
        self.sender.broken.clear()
        assert not broken, f"an error of ours: {broken}"
        if answer is not None and 400 <= answer.status_code < 500 and stores.has_written():
            changed = [name for name in stores.differ(before) if name not in NOTED]
            assert not changed, (
                f"refused with {answer.status_code}, and written to {', '.join(changed)}"
            )
        self._look_after()
        return answer

    def _client(self, method: str, path: str) -> FlaskClient:
        try:
            rule, _ = self.app.url_map.bind("localhost").match(
                path, method=method, return_rule=True
            )
        except (HTTPException, ValueError):
            return self.sender.world.clients["operator"]
        assert isinstance(rule, Rule)
        return self.sender.client(rule)

    def _look_after(self) -> None:
        self.sent += 1
        if self.sent % LOOK_EVERY == 0:
            clients = self.sender.world.clients
            if any(clients[role].get("/leagues").status_code != 200 for role in ROLES):
                db.session.rollback()
                empty_stores()
                self._make()


def _sendable(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """A header's value is latin-1, which the server's own parser makes sure of.

    It counts the body's bytes itself.
    """
    return [
        (name, value.encode("latin-1", "replace").decode("latin-1"))
        for name, value in headers
        if name.isascii()
        and name.replace("-", "").isalnum()
        and name.lower() not in ("content-length", "host")
    ]


def text_of(method: str, target: str, body: str = "", headers: Mapping[str, str] = {}) -> bytes:
    lines = [f"{method} {target}", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\n".join(lines) + "\n\n" + body).encode()


def form(target: str, fields: Mapping[str, str]) -> bytes:
    return text_of(
        "POST", target, urlencode(fields), {"Content-Type": "application/x-www-form-urlencoded"}
    )


def _last_file(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace.tb_frame.f_code.co_filename if trace is not None else ""


def _nobody_is_there(host: str, port: int, seconds: float) -> NoReturn:
    raise OSError("no name is looked up here")

"""Polls on the real web server: the event loop answers those that the page cache knows."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
import redis
from flask import Flask, request_started
from flask.testing import FlaskClient

from app.core.page_cache.tags import TagStore
from tests.fantasy.test_remembered_polls import banned, signed_out_by_hand
from tests.waiting import join, patience
from tests.worlds.games import ingest, make_game, messages, touchdown_drive
from workers.web.server import bind, make_server

pytestmark = pytest.mark.usefixtures("redis_asked_again")

GAME = "/games/g1"


@dataclass
class Polls:
    """Polls of one signed-in browser. `asked`: how many requests reached the application."""

    connection: http.client.HTTPConnection
    cookie: str
    asked: list[str]

    def poll(self, etag: str) -> tuple[int, str, str]:
        """Returns status, ETag and text."""
        headers = {"Cookie": self.cookie, "HX-Request": "true", "If-None-Match": etag}
        self.connection.request("GET", GAME, headers=headers)
        response = self.connection.getresponse()
        return response.status, str(response.headers["ETag"]), response.read().decode()


@pytest.fixture
def polls(app: Flask, sign_in: Callable[..., FlaskClient]) -> Iterator[Polls]:
    make_game()
    ingest(messages(touchdown_drive()))
    cookie = sign_in("member", "ann").get_cookie("session")
    assert cookie is not None
    listening = bind("127.0.0.1", 0)
    port = listening.getsockname()[1]
    server = make_server(app, listening, slots=2)
    thread = threading.Thread(target=server.run)
    thread.start()
    asked: list[str] = []

    def note(_: Flask) -> None:
        asked.append("")

    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=patience(30))
    with request_started.connected_to(note, app):
        yield Polls(connection, f"session={cookie.value}", asked)
    connection.close()
    server.should_exit = True
    join(thread)


def shown_etag(polls: Polls) -> str:
    """The ETag of the fragment that the browser shows; the next poll of it is remembered."""
    _, etag, _ = polls.poll('"f-none"')
    assert polls.poll(etag)[0] == 304
    polls.asked.clear()
    return etag


def test_an_unchanged_poll_does_not_reach_the_application(polls: Polls) -> None:
    etag = shown_etag(polls)
    for _ in range(3):
        assert polls.poll(etag)[:2] == (304, etag)
    assert polls.asked == []


def test_a_change_reaches_the_application_once_and_is_then_known(polls: Polls) -> None:
    etag = shown_etag(polls)
    ingest(messages(touchdown_drive(), first=12, play=4))
    status, changed, page = polls.poll(etag)
    assert (status, len(polls.asked)) == (200, 1)
    assert polls.poll(etag) == (200, changed, page)
    assert polls.poll(changed)[:2] == (304, changed)
    assert len(polls.asked) == 1


@pytest.mark.parametrize("end", [banned, signed_out_by_hand])
def test_a_ban_and_a_sign_out_act_on_the_next_request(
    polls: Polls, end: Callable[[], None]
) -> None:
    etag = shown_etag(polls)
    end()
    polls.poll(etag)
    assert len(polls.asked) == 1


def test_without_redis_the_application_answers(
    polls: Polls, monkeypatch: pytest.MonkeyPatch
) -> None:
    etag = shown_etag(polls)

    async def fail(*_: object) -> None:
        raise redis.ConnectionError

    monkeypatch.setattr(TagStore, "lookup_poll_in_loop", fail)
    assert polls.poll(etag)[0] == 304
    assert len(polls.asked) == 1

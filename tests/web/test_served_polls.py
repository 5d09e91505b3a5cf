"""Polls on the real web server: those that the page cache knows are answered before Flask."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest
import redis
from flask import Flask, request_started
from flask.testing import FlaskClient

from app.accounts.models import Member
from app.core.db import db
from app.core.page_cache.tags import TagStore
from tests.fantasy.test_remembered_polls import banned, signed_out_by_hand
from tests.waiting import join, patience
from tests.worlds.games import (
    DRIVE,
    ingest,
    ingest_and_refresh,
    make_game,
    messages,
    touchdown_drive,
)
from tests.worlds.leagues import make_league, make_sheet
from workers.web.server import bind, make_server

GAME = "/games/g1"
NAMES = ("bob", "cat", "dan", "eve", "fay")


@dataclass
class Polls:
    """Polls of one signed-in browser. `asked`: how many requests reached the application."""

    connection: http.client.HTTPConnection
    cookie: str
    asked: list[str]
    url: str = GAME

    def poll(self, etag: str) -> tuple[int, str, str]:
        """Returns status, ETag and text."""
        headers = {"Cookie": self.cookie, "HX-Request": "true", "If-None-Match": etag}
        self.connection.request("GET", self.url, headers=headers)
        response = self.connection.getresponse()
        return response.status, str(response.headers["ETag"]), response.read().decode()


Open = Callable[[FlaskClient, str], Polls]


@pytest.fixture
def opened(app: Flask) -> Iterator[Open]:
    """Opens a page in a browser with the session of a client."""
    listening = bind("127.0.0.1", 0)
    port = listening.getsockname()[1]
    server = make_server(app, listening, slots=2)
    thread = threading.Thread(target=server.run)
    thread.start()
    asked: list[str] = []
    connections: list[http.client.HTTPConnection] = []

    def note(_: Flask) -> None:
        asked.append("")

    def open_page(client: FlaskClient, url: str) -> Polls:
        cookie = client.get_cookie("session")
        assert cookie is not None
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=patience(30))
        connections.append(connection)
        return Polls(connection, f"session={cookie.value}", asked, url)

    with request_started.connected_to(note, app):
        yield open_page
    for connection in connections:
        connection.close()
    server.should_exit = True
    join(thread)


@pytest.fixture
def ann(sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    make_game()
    ingest(messages(touchdown_drive()))
    return sign_in("member", "ann")


@pytest.fixture
def polls(opened: Open, ann: FlaskClient) -> Polls:
    return opened(ann, GAME)


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


def test_one_of_those_who_poll_a_changed_page_asks_for_all(
    opened: Open, ann: FlaskClient, sign_in: Callable[..., FlaskClient]
) -> None:
    """Not more than two do: one whose page may be from before a change, and the next one."""
    browsers = [opened(ann, GAME), *(opened(sign_in("member", name), GAME) for name in NAMES)]
    etag = shown_etag(browsers[0])
    for browser in browsers[1:]:
        assert browser.poll(etag)[0] == 304
    browsers[0].asked.clear()
    ingest(messages(touchdown_drive(), first=12, play=4))
    with ThreadPoolExecutor(len(browsers)) as threads:
        answers = [*threads.map(lambda browser: browser.poll(etag), browsers)]
    assert {status for status, *_ in answers} == {200}
    assert len({text for *_, text in answers}) == 1
    assert 1 <= len(browsers[0].asked) <= 2


def test_everybody_has_their_own_team_first_in_what_just_happened(
    opened: Open, member: Callable[..., Member], sign_in: Callable[..., FlaskClient]
) -> None:
    make_game()
    teams = {member(name).id: f"Team {name}" for name in ("ann", "bob")}
    league = make_league(next(iter(teams)), teams)
    for member_id, footballer in zip(teams, ("H1", "H2"), strict=True):
        make_sheet(member_id, league, [footballer])
    db.session.commit()
    ingest_and_refresh(messages(DRIVE[:4]))
    members = [sign_in(username=name) for name in ("ann", "bob")]
    browsers = [opened(client, f"/leagues/{league.slug}/swings") for client in members]
    etags = [shown_etag(browser) for browser in browsers]
    ingest_and_refresh(messages(DRIVE[4:], first=5, play=2))
    pages = [browser.poll(etag)[2] for browser, etag in zip(browsers, etags, strict=True)]
    for page, name in zip(pages, ("ann", "bob"), strict=True):
        assert f"Team {name}" in first_row(page)


def first_row(page: str) -> str:
    table = page.partition('<table class="swing-table">')[2]
    return table.partition("<tbody>")[2].partition("</tr>")[0]


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

    def fail(*_: object) -> None:
        raise redis.ConnectionError

    monkeypatch.setattr(TagStore, "lookup", fail)
    assert polls.poll(etag)[0] == 304
    assert len(polls.asked) == 1

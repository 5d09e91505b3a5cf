"""Streams of the feed on the real web server: hundreds of them hold none of its threads."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from app.accounts import api_keys
from app.accounts.api_keys import KeyCaller
from app.api import feed as feed_api
from app.core import clock, metrics
from app.core.db import db
from app.core.serving import STREAM_HEADER
from app.ops import slo
from app.scores.feed import changes as feed
from app.scores.feed import hub as feed_hub
from tests.waiting import join, patience, until
from tests.worlds.callers import Callers
from tests.worlds.integrator_boards import ANN, BOB, Id, all_time_board, put
from workers.web.server import bind, make_server

SECONDS = 30  # nominal


@pytest.fixture
def port(callers: Callers) -> Iterator[int]:
    """Of the web server with two threads."""
    listening = bind("127.0.0.1", 0)
    number: int = listening.getsockname()[1]
    server = make_server(callers.app, listening, slots=2)
    thread = threading.Thread(target=server.run)
    thread.start()
    yield number
    server.should_exit = True
    join(thread)
    hub = callers.app.extensions[feed_api.HUB]
    until(lambda: hub.is_idle, "the hub's thread ends with the last stream", seconds=SECONDS)


@pytest.fixture
def board(callers: Callers) -> Id:
    return all_time_board(callers.mode)


class Reader:
    """One open stream."""

    def __init__(self, port: int, key: str, path: str = "/v1/feed/events", **headers: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=patience(SECONDS))
        signed = {"Authorization": f"Bearer {key}"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        self.connection.request("GET", path, headers=signed)
        self.answer = self.connection.getresponse()

    def event(self) -> dict[str, str]:
        """The next event; a comment or an id alone is none."""
        fields: dict[str, str] = {}
        while line := self.answer.readline().decode():
            name, _, value = line.rstrip("\n").partition(": ")
            if name:
                fields[name] = value
            elif "data" in fields:
                return fields
            else:
                fields = {}
        raise AssertionError("the stream is over")

    def close(self) -> None:
        self.answer.close()
        self.connection.close()


def test_250_streams_hear_a_change_and_pages_answer_beside_them(
    port: int, callers: Callers, board: Id
) -> None:
    readers = [Reader(port, callers.key) for _ in range(250)]
    assert {
        (reader.answer.status, reader.answer.getheader("Content-Type")) for reader in readers
    } == {(200, "text/event-stream; charset=utf-8")}
    threads = threading.active_count()
    put(board, ANN, 1)
    heard = [reader.event() for reader in readers]
    assert {(event["event"], json.loads(event["data"])["raw_score"]) for event in heard} == {
        ("score.changed", 1)
    }
    assert threading.active_count() <= threads, "no thread a stream"
    page = http.client.HTTPConnection("127.0.0.1", port, timeout=patience(SECONDS))
    page.request("GET", callers.board)
    assert page.getresponse().status == 200
    page.close()
    for reader in readers:
        reader.close()


def test_a_reader_that_comes_again_goes_on_right_behind_its_last_event(
    port: int, callers: Callers, board: Id
) -> None:
    first = Reader(port, callers.key)
    for score in (1, 2, 3):
        put(board, ANN, score)
    received = [first.event() for _ in range(2)]
    first.close()
    again = Reader(port, callers.key, Last_Event_ID=received[0]["id"])
    put(board, BOB, 4)
    heard = [json.loads(again.event()["data"])["raw_score"] for _ in range(3)]
    assert heard == [2, 3, 4]
    again.close()
    wrong = Reader(port, callers.key, Last_Event_ID="nonsense")
    assert wrong.answer.status == 400
    wrong.close()


def test_lines_of_json_are_held_as_well_and_each_sees_ones_own(
    port: int, callers: Callers, others: Callers, board: Id
) -> None:
    mine, strange = (Reader(port, caller.key, "/v1/feed/stream") for caller in (callers, others))
    put(board, ANN, 1)
    line = json.loads(mine.answer.readline())
    assert [change["raw_score"] for change in line["changes"]] == [1]
    put(all_time_board(others.mode), ANN, 7)
    assert [change["raw_score"] for change in json.loads(strange.answer.readline())["changes"]] == [
        7
    ]
    mine.close()
    strange.close()


@pytest.mark.parametrize(
    ("path", "opening", "sign_of_life"),
    [
        ("/v1/feed/events", "retry: 3000\n\n", ": keep-alive\nid: "),
        ("/v1/feed/stream", "", '"keep_alive":true'),
    ],
)
def test_an_idle_stream_says_that_it_lives_and_ends_in_good_order(
    port: int,
    callers: Callers,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    opening: str,
    sign_of_life: str,
) -> None:
    monkeypatch.setattr(feed_hub, "KEEP_ALIVE_SECONDS", 0.1)
    monkeypatch.setattr(feed_hub, "STREAM_SECONDS", patience(1))
    reader = Reader(port, callers.key, path)
    text = reader.answer.read().decode()
    assert text.startswith(opening)
    assert sign_of_life in text
    reader.close()


def test_a_stream_needs_a_version_of_http_that_knows_chunks(port: int, callers: Callers) -> None:
    """RFC 9112, 7.1: chunks, which HTTP/1.0 does not know, end a body of unknown length."""
    with socket.create_connection(("127.0.0.1", port), timeout=patience(SECONDS)) as connection:
        head = f"GET /v1/feed/events HTTP/1.0\r\nAuthorization: Bearer {callers.key}\r\n\r\n"
        connection.sendall(head.encode())
        assert connection.recv(4096).startswith(b"HTTP/1.1 505 ")


def test_the_header_that_hands_a_stream_over_is_not_shown(port: int, callers: Callers) -> None:
    reader = Reader(port, callers.key)
    assert reader.answer.getheader(STREAM_HEADER) is None
    reader.close()


def test_so_many_streams_at_most(
    port: int, callers: Callers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_hub, "MAX_STREAMS_PER_INTEGRATOR", 1)
    first = Reader(port, callers.key)
    second = Reader(port, callers.key)
    assert (second.answer.status, second.answer.getheader("Retry-After")) == (429, "5")
    first.close()
    second.close()


def test_requests_that_wait_hold_no_thread_and_each_gets_its_page(
    port: int, callers: Callers, board: Id
) -> None:
    since = str(feed.newest())
    db.session.rollback()
    waiting = [
        Reader(port, callers.key, f"/v1/feed?since={since}&wait=25&limit=2") for _ in range(20)
    ]
    assert {
        (reader.answer.status, reader.answer.getheader("Content-Type")) for reader in waiting
    } == {(200, "application/json")}
    page = http.client.HTTPConnection("127.0.0.1", port, timeout=patience(SECONDS))
    page.request("GET", callers.board)
    assert page.getresponse().status == 200, "beside 20 that wait on two threads"
    page.close()
    put(board, ANN, 7)
    bodies = [json.loads(reader.answer.read()) for reader in waiting]
    assert [[change["raw_score"] for change in body["changes"]] for body in bodies] == [[7]] * 20
    assert {body["more"] for body in bodies} == {False}
    for reader in waiting:
        reader.close()


def test_who_waits_in_vain_gets_an_empty_page_to_go_on_from(
    port: int, callers: Callers, board: Id
) -> None:
    since = str(feed.newest())
    db.session.rollback()
    waiting = Reader(port, callers.key, f"/v1/feed?since={since}&wait=1")
    body = json.loads(waiting.answer.read())
    assert (body["changes"], body["more"]) == ([], False)
    waiting.close()
    for score in (1, 2, 3):
        put(board, ANN, score)
    again = Reader(port, callers.key, f"/v1/feed?since={body['next']}&wait=20&limit=2")
    body = json.loads(again.answer.read())
    assert ([change["raw_score"] for change in body["changes"]], body["more"]) == ([1, 2], True)
    again.close()


def test_a_revoked_key_ends_what_it_has_open(
    port: int, callers: Callers, others: Callers, board: Id
) -> None:
    since = str(feed.newest())
    db.session.rollback()
    stream, waiting = (
        Reader(port, callers.key),
        Reader(port, callers.key, f"/v1/feed?since={since}&wait=25"),
    )
    strange = Reader(port, others.key)
    assert api_keys.revoke(callers.integrator, caller_of(callers).key_id, clock.now())
    assert stream.answer.read().startswith(b"retry: 3000"), (
        "it ends in good order, long before its 15 minutes"
    )
    assert json.loads(waiting.answer.read())["changes"] == []
    assert Reader(port, callers.key).answer.status == 401
    put(all_time_board(others.mode), ANN, 7)
    assert json.loads(strange.event()["data"])["raw_score"] == 7, (
        "another's key is as good as before"
    )
    for reader in (stream, waiting, strange):
        reader.close()


def test_an_error_of_ours_ends_the_streams_and_the_next_one_is_served(
    port: int, callers: Callers, board: Id, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before, the thread was gone and the hub believed that it ran.

    The streams of this process heard nothing more.
    """
    metrics.flush()
    before = slo.total(metrics.FEED_HUB, good=False)
    first = Reader(port, callers.key)
    with monkeypatch.context() as broken:
        broken.setattr(feed, "read_of_many", lambda *_: 1 / 0)
        assert first.answer.read().startswith(b"retry: 3000"), "it is told to come again"
    first.close()
    again = Reader(port, callers.key)
    put(board, ANN, 8)
    assert json.loads(again.event()["data"])["raw_score"] == 8
    again.close()
    metrics.flush()
    assert slo.total(metrics.FEED_HUB, good=False) > before


@dataclass
class Reading:
    """A client as the hub sees it."""

    unsent_bytes: int = 0
    is_closed: bool = False
    sent: list[bytes] = field(default_factory=list)
    how: list[str] = field(default_factory=list)

    def send(self, data: bytes) -> None:
        self.sent.append(data)

    def end(self) -> None:
        self.how.append("ended")
        self.is_closed = True

    def drop(self) -> None:
        self.how.append("dropped")
        self.is_closed = True


def form(page: feed.Page) -> bytes:
    return b",".join(str(change.score).encode() for change in page.changes)


def caller_of(callers: Callers) -> KeyCaller:
    caller = api_keys.find(callers.key, clock.now())
    assert caller is not None
    return caller


def request_of(callers: Callers) -> str:
    caller = caller_of(callers)
    token = str(feed.newest())
    return feed_hub.StreamRequest(
        integrator_id=caller.integrator_id,
        key_id=caller.key_id,
        since=token,
        format="numbers",
        limit=feed.PAGE,
    ).dump()


def test_a_reader_that_leaves_much_unread_is_dropped_and_the_others_go_on(
    callers: Callers, board: Id
) -> None:
    hub = feed_hub.FeedHub(callers.app, {"numbers": form})
    slow, quick = Reading(unsent_bytes=feed_hub.MAX_UNSENT_BYTES + 1), Reading()
    for reading in (slow, quick):
        hub.open(request_of(callers), reading)
    put(board, ANN, 5)
    until(lambda: bool(quick.sent), "the quick one hears of it", seconds=SECONDS)
    assert (slow.how, slow.sent) == (["dropped"], [])
    assert quick.sent == [b"5"]
    quick.is_closed = True
    until(lambda: hub.is_idle, "the hub ends", seconds=SECONDS)


def test_a_burst_goes_page_by_page_and_nothing_is_left_out(
    callers: Callers, board: Id, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "PAGE", 3)
    hub, reader = feed_hub.FeedHub(callers.app, {"numbers": form}), Reading()
    hub.open(request_of(callers), reader)
    for score in range(10):
        put(board, ANN, score)
    until(lambda: b",".join(reader.sent).count(b",") == 9, "all are sent", seconds=SECONDS)
    assert b",".join(reader.sent) == b"0,1,2,3,4,5,6,7,8,9"
    reader.is_closed = True
    until(lambda: hub.is_idle, "the hub ends", seconds=SECONDS)

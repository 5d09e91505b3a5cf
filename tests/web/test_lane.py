"""Requests that submit scores take turns in one thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from flask import Flask, request

from app.core.db import db
from app.core.request_batching import batched
from app.core.serving import wait_for
from tests.waiting import patience, until
from tests.web.local_server import CLIENT_SECONDS, Local, local
from workers.web import lane
from workers.web.gateway import is_submission

__all__ = ["local"]

Ask = Callable[[str], Future[bytes]]
GATE, NEVER_SECONDS = "gate", 0.05


class Scoreboard:
    """An application whose only path is that of submitted scores."""

    def __init__(self) -> None:
        self.app = Flask("scoreboard")
        self.app.config["SQLALCHEMY_DATABASE_URI"] = "sqlite://"
        db.init_app(self.app)
        self.batches: list[list[str]] = []
        self.threads: set[int] = set()
        self.arrived, self.may_go_on = threading.Event(), threading.Event()
        self.may_end = threading.Event()
        self.answer_later: Future[None] = Future()
        double = batched(self._double)

        @self.app.post("/v1/scores")
        def view() -> str:
            self.threads.add(threading.get_ident())
            match request.get_data(as_text=True):
                case "gate":
                    self.arrived.set()
                    assert self.may_go_on.wait(CLIENT_SECONDS)
                    return "open"
                case "busy":
                    assert self.may_end.wait(CLIENT_SECONDS)
                    return "ended"
                case "later":
                    return f"heard: {wait_for(self.answer_later, CLIENT_SECONDS)}"
                case "never":
                    return f"heard: {wait_for(Future(), NEVER_SECONDS)}"
                case "wrong":
                    raise ValueError
                case number:
                    return double(number)

    def _double(self, numbers: Sequence[str]) -> list[str | Exception]:
        self.batches.append(list(numbers))
        return [str(2 * int(number)) for number in numbers]


@pytest.fixture
def board() -> Scoreboard:
    return Scoreboard()


@pytest.fixture
def server(board: Scoreboard, local: Callable[..., Local]) -> Local:
    return local(board.app)


@pytest.fixture
def ask(server: Local) -> Iterator[Ask]:
    """Sends a body and returns the answer to come."""

    def exchange(body: str) -> bytes:
        connection = server.connect()
        head = f"POST /v1/scores HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
        connection.sendall((head + body).encode())
        answer = connection.recv(4096)
        return answer if b" 500 " in answer[:20] else answer.partition(b"\r\n\r\n")[2]

    with ThreadPoolExecutor(8) as pool:
        yield lambda body: pool.submit(exchange, body)


def test_one_thread_answers_everybody_who_asks_at_once(
    board: Scoreboard, server: Local, ask: Ask
) -> None:
    gate = ask(GATE)
    assert board.arrived.wait(patience(10))
    answers = [ask(str(number)) for number in range(5)]
    until(lambda: server.gateway.submissions.arrivals == 5, "all are there")
    board.may_go_on.set()
    assert gate.result(patience(10)) == b"open"
    assert [answer.result(patience(10)) for answer in answers] == [
        str(2 * number).encode() for number in range(5)
    ]
    assert [sorted(batch) for batch in board.batches] == [list("01234")]
    assert len(board.threads) == 1


def test_a_request_that_waits_stops_nobody(board: Scoreboard, ask: Ask) -> None:
    waiting = ask("later")
    assert ask("21").result(patience(10)) == b"42"
    assert not waiting.done()
    board.answer_later.set_result(None)
    assert waiting.result(patience(10)) == b"heard: True"


def test_answers_are_sent_while_others_keep_the_lane_busy(
    board: Scoreboard, server: Local, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lane, "ANSWERS", 2)
    gate = ask(GATE)
    assert board.arrived.wait(patience(10))
    wrong = ask("wrong")
    until(lambda: server.gateway.submissions.arrivals == 1, "it waits")
    busy = ask("busy")
    until(lambda: server.gateway.submissions.arrivals == 2, "both wait")
    board.may_go_on.set()
    assert gate.result(patience(10)) == b"open"
    assert wrong.result(patience(10)).startswith(b"HTTP/1.1 500 ")
    assert not busy.done()
    board.may_end.set()
    assert busy.result(patience(10)) == b"ended"


def test_a_wait_ends_with_its_patience(ask: Ask) -> None:
    assert ask("never").result(patience(10)) == b"heard: False"


def test_an_error_is_that_requests_alone(ask: Ask) -> None:
    assert ask("wrong").result(patience(10)).startswith(b"HTTP/1.1 500 ")
    assert ask("21").result(patience(10)) == b"42"


def test_every_operation_that_submits_single_scores_is_answered_in_the_lane(app: Flask) -> None:
    in_lane = {
        rule.endpoint.removeprefix("api.")
        for rule in app.url_map.iter_rules()
        for method in rule.methods or ()
        if is_submission({"PATH_INFO": str(rule), "REQUEST_METHOD": method})
    }
    assert in_lane == {"add_points", "submit_score", "submit_scores"}

"""A receiver of webhooks: a real HTTP server that answers as a test says."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy import text

from app.core.db import db
from tests.http_server import Quiet, running, serving
from tests.waiting import patience


@dataclass
class Receiver:
    """Answers each request by the next of `answers` (a status, or "hang", "drip"), then by 204."""

    address: str = ""
    answers: list[int | str] = field(default_factory=list)
    received: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    is_over: threading.Event = field(default_factory=threading.Event)

    @property
    def scores(self) -> list[int | None]:
        return [
            change["raw_score"]
            for _, body in self.received
            for change in json.loads(body)["changes"]
        ]


@contextmanager
def running_receiver() -> Iterator[Receiver]:
    state = Receiver()

    class Handler(Quiet):
        def do_POST(self) -> None:  # noqa: N802 (http.server calls it by this name)
            body = self.rfile.read(int(self.headers["Content-Length"]))
            answer = state.answers.pop(0) if state.answers else 204
            state.received.append((dict(self.headers), body))
            if answer == "hang":
                state.is_over.wait(patience(60))
                return
            if answer == "drip":
                self.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
                while not state.is_over.wait(0.05):
                    self.wfile.write(b"x")
                return
            self.send_response(int(answer))
            if answer == 302:
                self.send_header("Location", f"{state.address}/elsewhere")
            self.end_headers()

    with running(serving(Handler)) as state.address:
        yield state
        state.is_over.set()


def owner_of(webhook_id: UUID) -> int:
    """The member whose webhook it is."""
    query = text(
        "SELECT owner_id FROM webhooks JOIN integrators i ON i.id = integrator_id WHERE "
        "webhooks.id = :id"
    )
    return int(db.session.scalar(query, {"id": webhook_id}))

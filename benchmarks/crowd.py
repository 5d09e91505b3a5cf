"""Browsers of signed-in members on a game day, each request on time over a kept connection.

The benchmarks of the deadline and of a game day share this, and decide what is requested when.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus
from urllib.parse import urlencode

from flask import Flask, session
from flask_wtf.csrf import generate_csrf
from sqlalchemy import select, text

from app.accounts import sessions
from app.accounts.models import Member
from app.core import clock
from app.core.db import db

PATIENCE_SECONDS = 60
# Team sheets of a simulated season may be written after their deadline.
CROWD = """
    UPDATE seasons SET is_simulated = true;
    INSERT INTO members (username, display_name, password_hash)
      SELECT 'crowd-' || n, 'Crowd ' || n, 'x' FROM generate_series(1, {members}) n;
    INSERT INTO league_members (league_id, member_id, team_name)
      SELECT l.id, m.id, 'Team ' || m.id FROM leagues l, members m
      WHERE l.slug = 'the-press-row' AND m.username LIKE 'crowd-%';
    INSERT INTO team_sheets (member_id, team_rules_id, gameweek_id, picks, captain, vice_captain,
      purchase_prices, bank,
        free_transfers, is_carried, saved_at)
      SELECT m.id, s.team_rules_id, s.gameweek_id, s.picks, s.captain, s.vice_captain,
        s.purchase_prices, s.bank,
        s.free_transfers, s.is_carried, s.saved_at
      FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM members
        WHERE username LIKE 'crowd-%') m
      JOIN (SELECT t.*, row_number() OVER (PARTITION BY gameweek_id ORDER BY member_id) - 1 AS n,
              count(*) OVER (PARTITION BY gameweek_id) AS all_of_it FROM team_sheets t
            WHERE team_rules_id = (SELECT team_rules_id FROM leagues WHERE slug = 'the-press-row'))
              s ON m.n % s.all_of_it = s.n;
    UPDATE seasons SET is_simulated = false;
"""


@dataclass(frozen=True)
class Visitor:
    """A signed-in member; `token` is the one that their forms send."""

    member_id: int
    cookie: str
    token: str


def make_crowd(members: int) -> None:
    """Create so many members crowd-1, crowd-2 ... of the demo's league with team sheets; commit."""
    db.session.execute(text(CROWD.format(members=members)))
    db.session.commit()


def sign_in_crowd(app: Flask) -> list[Visitor]:
    """Sign in the members of `make_crowd`, in their order."""
    query = select(Member).where(Member.username.like("crowd-%")).order_by(Member.id)
    visitors = []
    cookies = app.session_interface.get_signing_serializer(app)  # type: ignore[attr-defined]
    for member in db.session.scalars(query).all():
        with app.test_request_context("/sign-in"):
            sessions.begin(member, stays=False)
            visitors.append(
                Visitor(member.id, f"session={cookies.dumps(dict(session))}", generate_csrf())
            )
    return visitors


@dataclass(frozen=True)
class Answer:
    """An answer; `status` is 0 if none came.

    `began` and `ended` are when it was sent and received by the clock. `seconds` count from when it
    was due, so that delays behind a slow answer count too.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    began: datetime
    ended: datetime
    seconds: float


@dataclass
class Browser:
    """One kept connection, one request at a time, as a browser holds one for each tab."""

    port: int
    cookie: str = ""
    _streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = field(
        default=None, repr=False
    )
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)

    async def get(
        self, path: str, headers: Mapping[str, str] | None = None, *, due: float | None = None
    ) -> Answer:
        """Return the answer to a GET of the path; `due` as in `ask`."""
        return await self.ask("GET", path, headers or {}, b"", due)

    async def post(
        self,
        path: str,
        fields: Sequence[tuple[str, object]],
        *,
        due: float | None = None,
        token: str = "",
    ) -> Answer:
        """Send a form and return the answer; `due` as in `ask`."""
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        return await self.ask(
            "POST", path, headers, urlencode([*fields, ("csrf_token", token)]).encode(), due
        )

    async def ask(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes, due: float | None
    ) -> Answer:
        """Return the answer to one request.

        The request should have been sent at `due`, by time.perf_counter(); None means now.
        """
        all_headers = {"Host": "localhost", "Cookie": self.cookie, **headers}
        if body:
            all_headers["Content-Length"] = str(len(body))
        head = "".join(f"{name}: {value}\r\n" for name, value in all_headers.items())
        return await self.send(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body, due)

    async def send(self, sent: bytes, due: float | None = None) -> Answer:
        """Return the answer to a whole request in bytes; `due` as in `ask`."""
        due = time.perf_counter() if due is None else due
        async with self._lock:
            began = clock.now()
            try:
                async with asyncio.timeout(PATIENCE_SECONDS):
                    status, answer_headers, content = await self._exchange(sent)
            except (OSError, EOFError) as error:
                self.close()
                status, answer_headers, content = 0, {}, repr(error).encode()
            return Answer(
                status, answer_headers, content, began, clock.now(), time.perf_counter() - due
            )

    async def _exchange(self, sent: bytes) -> tuple[int, dict[str, str], bytes]:
        if self._streams is not None and self._streams[0].at_eof():
            # The server closes idle connections; a browser then opens another.
            self.close()
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 20)
        reader, writer = self._streams
        writer.write(sent)
        first, *lines = (
            (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").strip().split("\r\n")
        )
        headers = {
            name.lower(): value for name, _, value in (line.partition(": ") for line in lines)
        }
        status = int(first.split(" ")[1])
        body = b""
        if status != HTTPStatus.NOT_MODIFIED and headers.get("transfer-encoding") == "chunked":
            while length := int(await reader.readline(), 16):
                body += await reader.readexactly(length)
                await reader.readline()
            await reader.readline()
        elif status != HTTPStatus.NOT_MODIFIED:
            body = await reader.readexactly(int(headers.get("content-length", "0")))
        if headers.get("connection", "").lower() == "close":
            self.close()
        return status, headers, body

    def close(self) -> None:
        """Close the connection; the next request opens another one."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


async def until(due: float) -> None:
    """Return at that moment of time.perf_counter()."""
    await asyncio.sleep(max(0.0, due - time.perf_counter()))  # the crowd's own times


def percentile(seconds: Sequence[float], share: float) -> float:
    """Return the milliseconds within which that share of the times lies; 0 without any."""
    ordered = sorted(seconds)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)] * 1000 if ordered else 0.0

"""How fast a draft room answers a pick, and how fast it shows it to everybody.

    python -m benchmarks.draft_room --members 14 --watchers 500

The real web server serves the room on stores of its own. Every member and watcher holds a stream
open; the members pick in turn. The acknowledgement is the time from sending a pick to its answer,
the broadcast the time from sending it until a stream has the whole update. The goal is 200 ms for
99 of 100 acknowledgements. Clients and server share the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles

from flask import Flask
from sqlalchemy import insert

from app import create_app
from app.accounts import services as accounts
from app.accounts.models import Member
from app.accounts.sessions import SESSION_COOKIE
from app.core import clock
from app.core.db import db
from app.draft_leagues.drafts import founding, queries, services
from app.draft_leagues.drafts.founding import DraftToPlan
from app.draft_leagues.drafts.queries import Seat
from app.draft_leagues.drafts.services import Submission
from app.draft_leagues.settings import PRESETS
from app.embedded.stack import Stack
from app.fantasy.market.models import FootballerSeason
from app.fantasy.market.seasons import NewSeason, ensure_season
from app.record.models import Footballer
from app.settings import Settings
from benchmarks.slow_clients import serving
from workers.supervisor.prepare import bring_up_to_date

GOAL_MS = 200
SENTENCE = "a long sentence to sign in"
POSITIONS = {"QB": 60, "RB": 130, "WR": 170, "TE": 90, "K": 32, "DST": 32}
_TOKEN = re.compile(r'name="csrf_token" value="([^"]+)"')
_VERSION = re.compile(rb"id: (\d+)\nevent: draft\n")
PATIENCE = 30.0


@dataclass
class Room:
    """The draft on the server: its address and the cookies of its members and of a watcher."""

    port: int
    draft_id: int
    cookies: Sequence[str]
    watcher: str

    @property
    def path(self) -> str:
        """The path of the room."""
        return f"/drafts/{self.draft_id}"


@dataclass
class Watched:
    """When each stream had each version, in seconds of the loop."""

    seen: dict[int, list[float]] = field(default_factory=dict)
    streams: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def note(self, version: int) -> None:
        """Note that a stream has the version."""
        self.seen.setdefault(version, []).append(time.perf_counter())
        if len(self.seen[version]) == self.streams:
            self.changed.set()


def _make_draft(app: Flask, members: int) -> tuple[int, list[str], str]:
    """Make a season, members and a draft that has started. Returns its id and the cookies."""
    app.config["WTF_CSRF_ENABLED"] = False
    season = ensure_season(NewSeason("nfl", 2026, "REG", "NFL 2026", "America/New_York"))
    people = [
        {"id": f"{position}{number}", "name": f"Player {position} {number}", "position": position}
        for position, count in POSITIONS.items()
        for number in range(1, count + 1)
    ]
    db.session.execute(insert(Footballer), people)
    market = [
        {
            "season_id": season.id,
            "footballer_id": person["id"],
            "position": person["position"],
            "price": 100,
            "start_price": 100,
        }
        for person in people
    ]
    db.session.execute(insert(FootballerSeason), market)
    cookies, ids = [], []
    for number in range(members + 1):
        member = accounts.register(f"drafter{number}", f"Drafter {number}", SENTENCE, [])
        assert isinstance(member, Member), member
        ids.append(member.id)
        client = app.test_client()
        client.post("/sign-in", data={"username": member.username, "password": SENTENCE})
        cookie = client.get_cookie(SESSION_COOKIE)
        assert cookie is not None
        cookies.append(f"{SESSION_COOKIE}={cookie.value}")
    seats = [Seat(number, f"Team {number}", ids[number]) for number in range(1, members + 1)]
    settings = PRESETS["redraft"]
    order = [seat.franchise for seat in seats]
    draft = DraftToPlan("Benchmark", season.id, settings, seats, order, created_by=ids[1])
    row = founding.plan_draft(draft, clock.now())
    db.session.commit()
    room = queries.load_room(row.id, ids[1])
    assert room is not None
    services.start(room, Submission(clock.now()))
    return row.id, cookies[1:], cookies[0]


async def _watch(room: Room, cookie: str, watched: Watched, opened: asyncio.Event) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", room.port, limit=2**20)
    head = (
        f"GET {room.path}/stream?version=1 HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\n\r\n"
    )
    writer.write(head.encode())
    try:
        status = await reader.readline()
        if b" 200 " not in status:
            raise SystemExit(f"a stream was refused: {status!r}")
        watched.streams += 1
        opened.set()
        unread = b""
        while data := await reader.read(2**16):
            unread += data
            while b"\n\n" in unread:
                event, _, unread = unread.partition(b"\n\n")
                if match := _VERSION.search(event + b"\n"):
                    watched.note(int(match[1]))
    finally:
        writer.close()


def _csrf_token(room: Room, cookie: str) -> str:
    request = urllib.request.Request(
        f"http://127.0.0.1:{room.port}{room.path}", headers={"Cookie": cookie}
    )
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310
        match = _TOKEN.search(answer.read().decode())
    assert match is not None
    return match[1]


async def _pick(room: Room, cookie: str, form: str) -> float:
    """Send a pick and return how long its answer took."""
    reader, writer = await asyncio.open_connection("127.0.0.1", room.port)
    head = (
        f"POST {room.path}/picks HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\n"
        "HX-Request: true\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        f"Referer: http://localhost{room.path}\r\nConnection: close\r\n"
        f"Content-Length: {len(form)}\r\n\r\n{form}"
    )
    began = time.perf_counter()
    writer.write(head.encode())
    status = await reader.readline()
    taken = time.perf_counter() - began
    body = await reader.read()
    writer.close()
    if b" 204 " not in status:
        raise SystemExit(f"a pick was refused: {status!r} {body[-200:]!r}")
    return taken


async def _draft(room: Room, watchers: int, picks: int) -> tuple[list[float], list[float]]:
    """Return the seconds of all acknowledgements and of all broadcasts."""
    watched = Watched()
    tasks = []
    for number in range(len(room.cookies) + watchers):
        cookie = room.cookies[number] if number < len(room.cookies) else room.watcher
        opened = asyncio.Event()
        tasks.append(asyncio.create_task(_watch(room, cookie, watched, opened)))
        await asyncio.wait_for(opened.wait(), PATIENCE)
    tokens = [await asyncio.to_thread(_csrf_token, room, cookie) for cookie in room.cookies]
    members = len(room.cookies)
    acknowledgements, broadcasts = [], []
    for number in range(picks):
        round_number, place = divmod(number, members)
        seat = place if round_number % 2 == 0 else members - 1 - place
        position = "WR" if number < POSITIONS["WR"] else "RB"
        footballer = f"{position}{number % POSITIONS['WR'] + 1}"
        form = f"csrf_token={tokens[seat]}&footballer={footballer}&token=t{number}"
        watched.changed.clear()
        sent = time.perf_counter()
        acknowledgements.append(await _pick(room, room.cookies[seat], form))
        await asyncio.wait_for(watched.changed.wait(), PATIENCE)
        broadcasts += [at - sent for at in watched.seen[number + 2]]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return acknowledgements, broadcasts


def _line(name: str, seconds: Sequence[float]) -> str:
    cuts = quantiles(seconds, n=100, method="inclusive")
    p50, p99, worst = (1000 * value for value in (cuts[49], cuts[98], max(seconds)))
    return f"{name:<16} {len(seconds):>8} {p50:>8.1f}ms {p99:>8.1f}ms {worst:>8.1f}ms"


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--members", type=int, default=14)
    parser.add_argument("--watchers", type=int, default=500)
    parser.add_argument("--picks", type=int, default=140)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Stack(Settings(var=Path(folder))) as stack:
        app = create_app(stack.settings)
        with app.app_context():
            bring_up_to_date(stack.settings)
            draft_id, cookies, watcher = _make_draft(app, chosen.members)
        with serving("uvicorn", stack.settings) as port:
            room = Room(port, draft_id, cookies, watcher)
            acknowledgements, broadcasts = asyncio.run(_draft(room, chosen.watchers, chosen.picks))
    print(f"{chosen.members} members and {chosen.watchers} watchers")
    print(f"{'':<16} {'count':>8} {'p50':>10} {'p99':>10} {'worst':>10}")
    print(_line("acknowledgement", acknowledgements))
    print(_line("broadcast", broadcasts))
    within = sum(seconds * 1000 <= GOAL_MS for seconds in acknowledgements)
    print(json.dumps({"acknowledged_within_200_ms": within, "picks": len(acknowledgements)}))


if __name__ == "__main__":
    main()

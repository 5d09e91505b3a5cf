"""What an entry costs the web process at several points of a game (PRODUCT A2).

Goal: at most 8 ms of processor time for the request, at the beginning and at the end of a game.

`python -m benchmarks.key_press` starts stores of its own in a temporary folder and fills one game
for each number of events with the first events of a long simulated game, published and ingested.
Then it sends the next events of each game in turn to the console's door as a signed-in scorer, in
one process without a network: the request is checked, numbered, written and answered with the new
situation. Beside each entry, the log that the console's next poll shows. Printed: milliseconds of
processor time of this process (median and 95th percentile), SQL statements, and the first screen
that a process makes of the longest game. `--profile` prints instead where the time of the entries
in the longest game goes.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from uuid import uuid4

from flask.testing import FlaskClient
from sqlalchemy import Engine, event, text

from app import create_app
from app.core import clock
from app.core.db import db
from app.demo.logins import DEMO_PASSWORD
from app.demo.season import CURRENT
from app.demo.seed import seed_demo
from app.fantasy.scoring.points import store_player_points
from app.record import events as ev
from app.record.ingest import ingest_batch
from app.record.script import GameScript
from app.settings import Settings
from app.stream.messages import Message
from app.stream.topics import GAME_EVENTS
from benchmarks.crowd import percentile
from benchmarks.games import named, register, simulated
from scorer_console.lease import leases
from scorer_console.lease.leases import Holder
from scorer_console.record import accepted
from scorer_console.record.numbering import Entry, submit
from workers.supervisor.start import running_stack

FILLER = Holder(console="benchmark", name="Benchmark")
WARM_UP_ROUNDS = 5
LONG_SEEDS = 60  # the longest of so many simulated games is entered


@dataclass
class _Console:
    """A game's console, and what its entries took: seconds of processor time and statements."""

    script: GameScript
    client: FlaskClient
    position: int
    token: str = ""
    id: str = field(default_factory=lambda: str(uuid4()))
    entries: list[float] = field(default_factory=list)
    logs: list[float] = field(default_factory=list)
    statements: list[int] = field(default_factory=list)

    def take(self) -> None:
        page = self.client.get(f"/console/{self.script.game_id}").text
        self.token = _token(page, r'name="csrf-token" content="')
        self._post("lease", {"console": self.id})

    def press(self) -> None:
        """Enter the game's next event."""
        body = ev.body_to(self.script.events[self.position].body)
        self.position += 1
        entry = {"key": str(uuid4()), "console": self.id, "entries": [{"body": body}]}
        self._post("events", entry)

    def poll(self) -> None:
        """Ask for the changed log, as the page does after an entry."""
        headers = {"HX-Request": "true", "X-Console": self.id, "If-None-Match": '"f0"'}
        answer = self.client.get(f"/console/{self.script.game_id}/log", headers=headers)
        assert answer.status_code == HTTPStatus.OK, answer.text

    def _post(self, path: str, sent: object) -> None:
        answer = self.client.post(
            f"/console/{self.script.game_id}/{path}",
            data=json.dumps(sent),
            headers={"X-CSRFToken": self.token, "Content-Type": "application/json"},
        )
        assert answer.status_code == HTTPStatus.OK, answer.text


def _sign_in(client: FlaskClient) -> None:
    """Sign the demo's scorer in."""
    fields = {"username": "scorer", "password": DEMO_PASSWORD}
    fields["csrf_token"] = _token(client.get("/sign-in").text, r'name="csrf_token"[^>]* value="')
    assert client.post("/sign-in", data=fields).status_code == HTTPStatus.SEE_OTHER


def _token(page: str, before: str) -> str:
    match = re.search(before + r'([^"]+)"', page)
    assert match is not None
    return match[1]


def _fill(script: GameScript, events: int) -> None:
    """Enter the first events of the game, publish and ingest them."""
    leases.take(script.game_id, FILLER, clock.now())
    entries = [
        Entry(step.body, f"{uuid4()}:0", step.play_number) for step in script.events[:events]
    ]
    submit(script.game_id, entries, clock.now(), console=FILLER.console)
    leases.give_back(script.game_id, FILLER.console, clock.now())
    rows = db.session.execute(
        text(
            'UPDATE outbox SET published_at = now(), partition = 0, "offset" = event_number '
            "WHERE game_id = :game RETURNING event_number, payload"
        ),
        {"game": script.game_id},
    ).all()
    db.session.commit()
    messages = [
        Message(GAME_EVENTS.name, 0, row.event_number, script.game_id, bytes(row.payload))
        for row in sorted(rows, key=lambda row: row.event_number)
    ]
    ingest_batch(messages, clock.now(), store_player_points)


def _processor_seconds(work: Callable[[], None]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _measure(consoles: Sequence[_Console], rounds: int, engine: Engine) -> None:
    asked: list[str] = []
    event.listen(engine, "before_cursor_execute", lambda *call: asked.append(call[2]))
    for number in range(WARM_UP_ROUNDS + rounds):
        for console in consoles:
            asked.clear()
            entry = _processor_seconds(console.press)
            statements = len(asked)
            log = _processor_seconds(console.poll)
            if number >= WARM_UP_ROUNDS:
                console.entries.append(entry)
                console.logs.append(log)
                console.statements.append(statements)


def _show(sizes: Sequence[int], consoles: Sequence[_Console]) -> None:
    print(
        "| at event | entry, ms | p95 | changed log, ms | p95 | statements of an entry "
        "|\n|---|---|---|---|---|---|"
    )
    for size, console in zip(sizes, consoles, strict=True):
        parts = " | ".join(
            f"{percentile(seconds, share):.1f}"
            for seconds in (console.entries, console.logs)
            for share in (0.5, 0.95)
        )
        print(f"| {size} | {parts} | {statistics.median(console.statements):.0f} |")


def _profile(console: _Console, rounds: int) -> None:
    profiled = cProfile.Profile()
    for number in range(WARM_UP_ROUNDS + rounds):
        if number >= WARM_UP_ROUNDS:
            profiled.enable()
        console.press()
        profiled.disable()
        console.poll()  # it renews the hold
    pstats.Stats(profiled).sort_stats("cumulative").print_stats(170)


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--events", type=int, nargs="+", default=[10, 100, 300, 600])
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        running_stack(Settings(var=Path(folder)), processes=False) as stack,
    ):
        app = create_app(stack)
        client = app.test_client()
        with app.app_context():
            seed_demo(lambda *_: None)
            season = db.session.scalar(text("SELECT season FROM gameweeks LIMIT 1"))
            games = simulated(LONG_SEEDS, int(season or 0), CURRENT, clock.now())
            longest = max(games, key=lambda script: len(script.events))
            scripts = [named(longest, f"at-{size}") for size in arguments.events]
            register(scripts)
            for size, script in zip(arguments.events, scripts, strict=True):
                _fill(script, size)
            engine = db.engine
        _sign_in(client)
        consoles = [
            _Console(script, client, size)
            for size, script in zip(arguments.events, scripts, strict=True)
        ]
        for console in consoles:
            console.take()
        if arguments.profile:
            _profile(consoles[-1], arguments.rounds)
            return
        _measure(consoles, arguments.rounds, engine)
        _show(arguments.events, consoles)
        accepted.forget()
        first = _processor_seconds(consoles[-1].poll) * 1000
        print(f"the first screen of the longest game in a process: {first:.1f} ms")


if __name__ == "__main__":
    main()

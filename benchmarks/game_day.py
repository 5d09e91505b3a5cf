"""A game day: 16 games at once, with a crowd that watches, saves team sheets and submits scores.

Goals: no errors, every process below 300 MB, no growth after the first minute.

`python -m benchmarks.game_day` starts stores, every process of ours and one web process in a
temporary folder. For `--seconds` 16 simulated games are entered at 20 times life's tempo through
the console's door; `--browsers` signed-in members poll as the pages do, with the ETag that they
have and at the interval of their page (league table and its latest play, a game, a board, the front
page, and the bell); `--sheets` team sheets are saved, spread over the time; and players send
`--scores` scores a second. A browser waits for its answer before it polls again. Then the games
stop, and it is waited until everything is in the record and in the tables. Printed: what each kind
of request took, in all and after the first minute, in which everybody opens their pages; how many
went wrong, how far the consumers were behind, and the memory of every process. Ends with an error
where a request went wrong, an acknowledged entry is not in the record,
or an acknowledged team sheet not in PostgreSQL.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from http import HTTPStatus
from itertools import cycle, islice
from pathlib import Path
from uuid import uuid4

from sqlalchemy import text

from app import create_app
from app.core import clock
from app.core.db import db
from app.core.http.responses import STOP_POLLING
from app.demo.season import CURRENT
from app.demo.seed import seed_demo
from app.record import events as ev
from app.record.script import GameScript
from app.settings import Settings
from benchmarks.crowd import Answer, Browser, make_crowd, percentile, sign_in_crowd, until
from benchmarks.deadline import Storm
from benchmarks.games import AT_A_TIME, recorded, register, simulated, wait_until
from benchmarks.memory import Watch
from benchmarks.polls import make_board, sign_in
from benchmarks.slow_clients import serving
from benchmarks.submitters import World
from workers.supervisor.start import running_stack

BOARD = 1_000  # scores on the board that browsers open
PLAYERS = 200
RENEW_SECONDS = 5.0  # an open console renews its hold so often
LIMIT_MIB = 300
SETTLED_SECONDS = 60.0


@dataclass(frozen=True)
class _Poll:
    """A fragment that a page polls."""

    path: str
    every: float


@dataclass
class _Day:
    """What the crowd met, from `began` to `ends`.

    `answers` has for each kind of request when an answer came and the seconds that it took;
    `errors` are in words.
    """

    began: float
    ends: float
    answers: dict[str, list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))
    errors: list[str] = field(default_factory=list)
    entered: int = 0

    def note(self, kind: str, what: str, answer: Answer, *good: int) -> bool:
        """Record the answer; return whether it is one of the good ones."""
        self.answers[kind].append((time.perf_counter(), answer.seconds))
        if answer.status in good:
            return True
        self.errors.append(f"{kind}: {what} answered {answer.status}: {answer.body[:300]!r}")
        return False


def _pages(games: Sequence[str], board: str) -> Iterator[tuple[_Poll, ...]]:
    """Yield what each next browser has open, with the bell that every page has.

    Of 20 browsers 8 look at the league's table, 7 at a game, 3 at the board and 2 at the front
    page.
    """
    bell = _Poll("/notices/bell", 60)
    league = (_Poll("/leagues/the-press-row", 2), _Poll("/leagues/the-press-row/swings", 1), bell)
    kinds = "lglglglglbglglgbfbfl"
    assert (len(kinds), kinds.count("l"), kinds.count("g")) == (20, 8, 7)
    watched = cycle(games)
    for kind in cycle(kinds):
        match kind:
            case "l":
                yield league
            case "g":
                yield _Poll(f"/games/{next(watched)}", 2), bell
            case "b":
                yield _Poll(board, 3), bell
            case _:
                yield _Poll("/", 4), bell


async def _look(day: _Day, browser: Browser, poll: _Poll, due: float) -> None:
    """Poll one fragment until the day ends."""
    etag = ""
    while due < day.ends:
        await until(due)
        headers = {"HX-Request": "true"} | ({"If-None-Match": etag} if etag else {})
        answer = await browser.get(poll.path, headers)
        if answer.status == HTTPStatus.NOT_MODIFIED:
            day.note("poll, unchanged", poll.path, answer, HTTPStatus.NOT_MODIFIED)
        elif day.note("poll, changed", poll.path, answer, HTTPStatus.OK, STOP_POLLING):
            if answer.status == STOP_POLLING:
                return
            etag = answer.headers.get("etag", "")
        due = max(due + poll.every, time.perf_counter())


class _Console:
    """Enter one game's events, each at its time divided by the speed, one after the other."""

    def __init__(self, day: _Day, browser: Browser, script: GameScript) -> None:
        self.day, self.browser, self.script = day, browser, script
        self.id = str(uuid4())
        self.headers: dict[str, str] = {}
        self.renewed, self.log = 0.0, '""'
        # A correction names event numbers, which differ here.
        self.steps = [step for step in script.events if not isinstance(step.body, ev.Correction)]

    async def play(self, speed: float) -> None:
        page = await self.browser.get(f"/console/{self.script.game_id}")
        token = re.search(rb'name="csrf-token" content="([^"]+)"', page.body)
        assert token is not None, page
        self.headers = {"X-CSRFToken": token[1].decode(), "Content-Type": "application/json"}
        await self._post("lease", {"console": self.id})
        began = time.perf_counter()
        for step in self.steps:
            due = began + (step.at_ms - self.steps[0].at_ms) / 1000 / speed
            while (now := time.perf_counter()) < due and now < self.day.ends:
                await until(min(due, now + 1))
                await self._renew_when_due()
            if time.perf_counter() >= self.day.ends:
                return
            await self._renew_when_due()
            body = {
                "key": str(uuid4()),
                "console": self.id,
                "entries": [{"body": ev.body_to(step.body)}],
            }
            if not await self._post("events", body):
                return  # every later event would name a missing play
            self.day.entered += 1

    async def _post(self, path: str, sent: object) -> bool:
        address = f"/console/{self.script.game_id}/{path}"
        answer = await self.browser.ask(
            "POST", address, self.headers, json.dumps(sent).encode(), None
        )
        return self.day.note("console, entry", address, answer, HTTPStatus.OK)

    async def _renew_when_due(self) -> None:
        if time.perf_counter() < self.renewed + RENEW_SECONDS:
            return
        self.renewed = time.perf_counter()
        address = f"/console/{self.script.game_id}/log"
        headers = {"HX-Request": "true", "X-Console": self.id, "If-None-Match": self.log}
        answer = await self.browser.get(address, headers)
        if self.day.note(
            "console, hold renewed", address, answer, HTTPStatus.OK, HTTPStatus.NOT_MODIFIED
        ):
            self.log = answer.headers.get("etag", self.log)


async def _save(day: _Day, storm: Storm, number: int, port: int, due: float) -> None:
    """Save a team sheet with another captain at its time."""
    sheet, browser = storm.sheets[number], Browser(port)
    captain = sheet.another_captain(storm.starters)
    answer = await storm.save(browser, sheet, captain, due)
    if day.note(
        "team sheet saved", f"member {sheet.visitor.member_id}", answer, HTTPStatus.SEE_OTHER
    ):
        day.errors += filter(
            None, [storm.judge(sheet, captain, answer, clock.now() + timedelta(days=1))]
        )
    browser.close()


async def _submit(day: _Day, browser: Browser, sent: bytes, due: float) -> None:
    await until(due)
    day.note("score sent in", "a score", await browser.send(sent, due), 202)


@dataclass(frozen=True)
class _Crowd:
    """Everybody who sends requests, prepared beforehand."""

    port: int
    scripts: Sequence[GameScript]
    scorer: str
    storm: Storm
    board: str
    scores: Sequence[bytes]


async def _spend(crowd: _Crowd, browsers: int, seconds: float, speed: float) -> _Day:
    """Run the day from the first kickoff on."""
    began = time.perf_counter()
    day = _Day(began, began + seconds)
    games = [script.game_id for script in crowd.scripts]
    tasks = [
        _Console(day, Browser(crowd.port, crowd.scorer), script).play(speed)
        for script in crowd.scripts
    ]
    sheets = crowd.storm.sheets
    for number, polls in enumerate(islice(_pages(games, crowd.board), browsers)):
        browser = Browser(crowd.port, sheets[number % len(sheets)].visitor.cookie)
        tasks += [
            _look(day, browser, poll, began + poll.every * number / browsers) for poll in polls
        ]
    tasks += [
        _save(day, crowd.storm, number, crowd.port, began + number * seconds / len(sheets))
        for number in range(len(sheets))
    ]
    senders = [Browser(crowd.port) for _ in range(16)]
    tasks += [
        _submit(
            day, senders[number % len(senders)], sent, began + number * seconds / len(crowd.scores)
        )
        for number, sent in enumerate(crowd.scores)
    ]
    await asyncio.gather(*tasks)
    return day


def _show(day: _Day) -> None:
    _show_answers(day, "everything", day.began)
    _show_answers(day, "after the first minute", day.began + SETTLED_SECONDS)
    print(f"\nErrors: {len(day.errors)} (goal 0).")


def _show_answers(day: _Day, title: str, since: float) -> None:
    if since >= day.ends:
        return
    print(f"\n| {title} | times | a second | p50 ms | p95 ms | p99 ms |\n|---|---|---|---|---|---|")
    for kind, answers in sorted(day.answers.items()):
        taken = [seconds for moment, seconds in answers if moment >= since]
        parts = " | ".join(f"{percentile(taken, share):,.0f}" for share in (0.5, 0.95, 0.99))
        print(f"| {kind} | {len(taken):,} | {len(taken) / (day.ends - since):.1f} | {parts} |")


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--speed", type=float, default=20.0, help="times life's tempo")
    parser.add_argument("--games", type=int, default=AT_A_TIME)
    parser.add_argument("--browsers", type=int, default=500)
    parser.add_argument("--sheets", type=int, default=2_000)
    parser.add_argument("--scores", type=float, default=5.0, help="a second")
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        running_stack(Settings(var=Path(folder)), processes=True) as stack,
    ):
        app = create_app(stack)
        with app.app_context():
            seed_demo(lambda *_: None)
            make_crowd(arguments.sheets)
            season = db.session.scalar(text("SELECT season FROM gameweeks LIMIT 1"))
            scripts = simulated(arguments.games, int(season or 0), CURRENT, clock.now())
            register(scripts)
            storm = Storm(sign_in_crowd(app), starters=9)
            storm.lay_deadline(clock.now() + timedelta(days=1))
            board, world = make_board(BOARD), World(PLAYERS, 1)
            scores = world.own("no")(max(1, int(arguments.scores * arguments.seconds)))
            with serving("uvicorn", stack) as port:
                crowd = _Crowd(port, scripts, sign_in(port, "scorer"), storm, board, scores)
                db.session.remove()
                watch = Watch(stack, Path(folder))
                watch.start()
                try:
                    day = asyncio.run(
                        _spend(crowd, arguments.browsers, arguments.seconds, arguments.speed)
                    )
                    ended = time.perf_counter()
                    games = [script.game_id for script in scripts]
                    wait_until(
                        lambda: recorded(games) >= day.entered,
                        f"{day.entered} events in the record",
                    )
                    wait_until(lambda: watch.behind() == 0, "no message that waits in the broker")
                    caught_up = time.perf_counter() - ended
                finally:
                    watch.stop()
            faults = [*day.errors, *storm.compare(clock.now() + timedelta(days=1))]
        _show(day)
        print(
            f"{day.entered:,} events were entered; all of them were in the record {caught_up:.1f} "
            "s after the last."
        )
        watch.show_lag()
        watch.show_memory(min(SETTLED_SECONDS, arguments.seconds / 2), LIMIT_MIB)
        if faults:
            raise SystemExit(f"{len(faults)} faults:\n" + "\n".join(faults[:10]))


if __name__ == "__main__":
    main()

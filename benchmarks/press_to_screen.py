"""From the scorer's key press to the fan's screen, beside a bare round trip to the broker.

Goals: p50 below 100 ms and p99 below 400 ms, plus the poll interval.

`python -m benchmarks.press_to_screen` starts stores, every process of ours and one web process in a
temporary folder, and scores 16 simulated games at once, each at its own tempo times `--speed`, one
entry an event through the console's door. After each answer the version of the game is looked at in
the database every PAUSE_SECONDS, and when it is another one a browser asks for the fragment with
the ETag that it has: what is printed is without the interval at which browsers poll. Consoles renew
their hold every five seconds, as they do. Meanwhile a producer of kafka-python sends a message
every second to a topic of its own, and a consumer waits for it. Printed: milliseconds from the key,
from the answer that accepted it, and of the message. An entry that is refused, or not shown within
PATIENCE_SECONDS, ends the run with an error.
"""

from __future__ import annotations

import argparse
import http.client
import json
import re
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from pathlib import Path
from uuid import uuid4

import psycopg
from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import KafkaAdminClient, NewTopic
from sqlalchemy import text

from app import create_app
from app.core import clock
from app.core.db import db
from app.demo.season import CURRENT
from app.demo.seed import seed_demo
from app.record import events as ev
from app.record.script import GameScript
from app.settings import Settings
from app.stream.kafka import connection
from benchmarks.games import AT_A_TIME, register, simulated
from benchmarks.load import PATIENCE_SECONDS
from benchmarks.polls import sign_in
from benchmarks.slow_clients import serving
from workers.supervisor.start import running_stack

PAUSE_SECONDS = 0.005
PING_SECONDS = 1.0
RENEW_SECONDS = 5.0  # an open console renews its hold so often
TOPIC = "benchmark-round-trip"
FIRST = 4  # events per game entered beforehand, so that it has begun


class _Scorer:
    """One game's console, and a browser that follows it.

    `key` and `accepted` are the seconds from each to the changed fragment.
    """

    def __init__(self, port: int, cookie: str, database: str, script: GameScript) -> None:
        self.script = script
        self.headers = {"Cookie": cookie}
        self.console = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
        self.browser = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
        self.browser_id = str(uuid4())
        self.database = psycopg.connect(database, autocommit=True)
        self.renewed, self.log = 0.0, '""'
        self.version: tuple[int, ...] | None = None
        self.key: list[float] = []
        self.accepted: list[float] = []
        # A correction names event numbers, which differ here.
        self.steps = [step for step in script.events if not isinstance(step.body, ev.Correction)]

    def begin(self) -> None:
        self.console.request("GET", f"/console/{self.script.game_id}", headers=self.headers)
        page = self.console.getresponse().read().decode()
        token = re.search(r'name="csrf-token" content="([^"]+)"', page)
        assert token is not None
        self.headers |= {"X-CSRFToken": token[1], "Content-Type": "application/json"}
        self._post("lease", {"console": self.browser_id})
        for step in self.steps[:FIRST]:
            self._enter(step.body)
        self._wait_for_change()

    def play(self, speed: float, seconds: float) -> None:
        """Each further step at its time, for so many seconds.

        Between them the console's own poll, which keeps its hold on the game.
        """
        began, first_ms = time.monotonic(), self.steps[FIRST].at_ms
        for step in self.steps[FIRST:]:
            due = began + (step.at_ms - first_ms) / 1000 / speed
            if due > began + seconds:
                return
            while (left := due - time.monotonic()) > 0:
                time.sleep(min(left, 1.0))  # the game's own pace
                self._renew_when_due()
            pressed = time.perf_counter()
            self._enter(step.body)
            accepted = time.perf_counter()
            self._wait_for_change()
            ended = time.perf_counter()
            self.key.append(ended - pressed)
            self.accepted.append(ended - accepted)

    def _renew_when_due(self) -> None:
        """Renew the hold as the console's page does, so that nobody else may take the game."""
        if time.monotonic() < self.renewed + RENEW_SECONDS:
            return
        self.renewed = time.monotonic()
        headers = {"HX-Request": "true", "X-Console": self.browser_id, "If-None-Match": self.log}
        headers |= {"Cookie": self.headers["Cookie"]}
        self.console.request("GET", f"/console/{self.script.game_id}/log", headers=headers)
        answer = self.console.getresponse()
        answer.read()
        if answer.status not in (HTTPStatus.OK, HTTPStatus.NOT_MODIFIED):
            raise SystemExit(f"the log answered {answer.status}")
        self.log = str(answer.headers["ETag"])

    def _enter(self, body: ev.Body) -> None:
        entry = {
            "key": str(uuid4()),
            "console": self.browser_id,
            "entries": [{"body": ev.body_to(body)}],
        }
        self._post("events", entry)

    def _post(self, path: str, sent: Mapping[str, object]) -> None:
        self.console.request(
            "POST", f"/console/{self.script.game_id}/{path}", json.dumps(sent), self.headers
        )
        answer = self.console.getresponse()
        content = answer.read()
        if answer.status != HTTPStatus.OK:
            raise SystemExit(f"{path} answered {answer.status}: {content[:300]!r}")

    def _wait_for_change(self) -> None:
        """Wait for the fragment with another version than the last one."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        asked = "SELECT version FROM game_states WHERE game_id = %s"
        while (row := self.database.execute(asked, (self.script.game_id,)).fetchone()) in (
            None,
            self.version,
        ):
            if time.monotonic() > deadline:
                raise SystemExit(
                    f"{self.script.game_id} did not change within {PATIENCE_SECONDS} s"
                )
            self._renew_when_due()
            time.sleep(PAUSE_SECONDS)  # between two checks of other processes
        known = {"If-None-Match": f'"f{self.version[0]}"'} if self.version else {}
        headers = {"Cookie": self.headers["Cookie"], "HX-Request": "true"} | known
        self.browser.request("GET", f"/games/{self.script.game_id}", headers=headers)
        answer = self.browser.getresponse()
        answer.read()
        if answer.status != HTTPStatus.OK:
            raise SystemExit(f"the fragment answered {answer.status}")
        self.version = row


def _round_trips(settings: Settings, stopping: threading.Event, taken: list[float]) -> None:
    """Measure seconds from `send` to the consumer's `poll`, once a second, until stopped."""
    admin = KafkaAdminClient(**connection(settings))
    admin.create_topics([NewTopic(TOPIC, num_partitions=1, replication_factor=1)])
    admin.close()
    producer = KafkaProducer(**connection(settings), acks="all", linger_ms=0)
    consumer = KafkaConsumer(
        **connection(settings), enable_auto_commit=False, fetch_max_wait_ms=200
    )
    place = TopicPartition(TOPIC, 0)
    consumer.assign([place])
    consumer.seek(place, 0)
    for number in range(1_000_000):
        began = time.perf_counter()
        producer.send(TOPIC, b"%d" % number)
        while not consumer.poll(timeout_ms=500):
            pass
        if number:  # the first one opens connections
            taken.append(time.perf_counter() - began)
        if stopping.wait(PING_SECONDS):
            break
    consumer.close()
    producer.close()


def _report(ways: dict[str, Sequence[float]]) -> None:
    print("| way | times | p50 ms | p95 ms | p99 ms |\n|---|---|---|---|---|")
    for name, taken in ways.items():
        ordered = sorted(taken)
        parts = " | ".join(
            f"{ordered[int(len(ordered) * part)] * 1000:.0f}" for part in (0.5, 0.95, 0.99)
        )
        print(f"| {name} | {len(ordered)} | {parts} |")


def _play_all(scorers: Sequence[_Scorer], speed: float, seconds: float) -> None:
    """Play all games at once; raise the error that ended one of them."""

    def play(scorer: _Scorer) -> None:
        scorer.begin()
        scorer.play(speed, seconds)

    with ThreadPoolExecutor(len(scorers)) as pool:
        for done in [pool.submit(play, scorer) for scorer in scorers]:
            done.result()


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--speed", type=float, default=1.0, help="times life's tempo")
    parser.add_argument("--games", type=int, default=AT_A_TIME)
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        running_stack(Settings(var=Path(folder)), processes=True) as stack,
    ):
        with create_app(stack).app_context():
            seed_demo(lambda *_: None)
            season = db.session.scalar(text("SELECT season FROM gameweeks LIMIT 1"))
            scripts = simulated(arguments.games, int(season or 0), CURRENT, clock.now())
            register(scripts)
            db.session.remove()
        with serving("uvicorn", stack) as port:
            cookie = sign_in(port, "scorer")
            scorers = [_Scorer(port, cookie, stack.database_url, script) for script in scripts]
            stopping, floor = threading.Event(), list[float]()
            pings = threading.Thread(target=_round_trips, args=(stack, stopping, floor))
            pings.start()
            try:
                _play_all(scorers, arguments.speed, arguments.seconds)
            finally:
                stopping.set()
                pings.join()
        _report(
            {
                "kafka-python, produce to consume": floor,
                "accepted to changed fragment": [
                    seconds for scorer in scorers for seconds in scorer.accepted
                ],
                "key to changed fragment": [
                    seconds for scorer in scorers for seconds in scorer.key
                ],
            }
        )


if __name__ == "__main__":
    main()

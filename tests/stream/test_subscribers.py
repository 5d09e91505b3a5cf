"""docs/subscribers.md says what is true: its example runs as printed, and what it names exists."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import select

from app.core import clock
from app.core.db import db
from app.record.events import decode
from app.record.models import RecordedEvent
from app.settings import Settings
from app.stream.archive import folder
from app.stream.messages import Message
from app.stream.models import OutboxMessage
from app.stream.segments import schema
from app.stream.tail import tail
from app.stream.topics import GAME_EVENTS, INGESTION_GROUP, WEEK_MS
from tests.stream.topic import put
from tests.waiting import join, patience, until
from tests.worlds.entered_game import enter_simulated, publish, take_in

DOCS = Path(__file__).parent.parent.parent / "docs"
TEXT = (DOCS / "subscribers.md").read_text()


class Subscriber:
    """The document's program at work, and the lines that it has printed so far."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        [program] = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
        (folder / "subscriber.py").write_text(program)
        self.lines: list[dict[str, object]] = []
        self.process = subprocess.Popen(
            [sys.executable, "subscriber.py"],
            cwd=folder,
            env=os.environ | {"KAFKA_BOOTSTRAP_SERVERS": settings.kafka},
            stdout=subprocess.PIPE,
            text=True,
        )
        self.reading = threading.Thread(target=self._read, daemon=True)
        self.reading.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self.lines.append(json.loads(line))

    def view(self, game: str) -> dict[int, object]:
        """Event number to body of what stands, from the printed lines alone."""
        bodies: dict[int, object] = {}
        for line in list(self.lines):
            if line["game"] == game and "event" in line:
                bodies[line["event"]] = line["body"]  # type: ignore[index]
        return {number: body for number, body in bodies.items() if body is not None}


@pytest.fixture
def subscriber(own_broker: Settings, tmp_path: Path) -> Iterator[Subscriber]:
    started = Subscriber(own_broker, tmp_path)
    yield started
    started.process.kill()
    started.process.wait(patience(60))
    join(started.reading)


def test_the_example_has_the_game_as_the_record_has_it_doubles_or_not(
    app: Flask, own_broker: Settings, game: str, subscriber: Subscriber
) -> None:
    enter_simulated(game, seed=4, steps=345)
    sent = publish(own_broker, game, clock.now())
    take_in(sent, clock.now())
    valid = db.session.execute(
        select(RecordedEvent.event_number, RecordedEvent.body).where(
            RecordedEvent.game_id == game, RecordedEvent.valid
        )
    )
    expected = dict(valid.all())
    assert len(expected) < 345, "the game has nullified events"
    until(lambda: subscriber.view(game) == expected, "the example knows the game")
    printed = len(subscriber.lines)
    put(own_broker, sent[100:], clock.now())
    enter_simulated(f"{game}z", seed=3, steps=5)
    put(own_broker, publish(own_broker, f"{game}z", clock.now())[:1], clock.now())
    until(
        lambda: len(subscriber.view(f"{game}z")) == 5, "the example has read on behind the doubles"
    )
    assert subscriber.view(game) == expected
    assert [line["game"] for line in subscriber.lines[printed:]] == [f"{game}z"] * 5, (
        "doubles say nothing new"
    )
    assert not any("gap" in line for line in subscriber.lines if line["game"] == game)


def test_the_example_tells_a_gap(
    app: Flask, own_broker: Settings, game: str, subscriber: Subscriber
) -> None:
    enter_simulated(game, seed=3, steps=12)
    rows = db.session.scalars(select(OutboxMessage).order_by(OutboxMessage.event_number)).all()
    put(
        own_broker,
        [Message(GAME_EVENTS.name, 0, 0, game, row.payload) for row in rows[4:]],
        clock.now(),
    )
    until(
        lambda: any(line.get("gap") for line in subscriber.lines if line["game"] == game), "the gap"
    )
    assert {"game": game, "gap": [1, 4]} in subscriber.lines


def test_tail_gives_one_game_in_order(app: Flask, own_broker: Settings, game: str) -> None:
    for game_id in (game, f"{game}z"):
        enter_simulated(game_id, seed=3, steps=30)
        publish(own_broker, game_id, clock.now())
    tailed = [
        decode(value)
        for *_, value in tail(own_broker, from_beginning=True, game_id=game, until_end=True)
    ]
    assert [(event.game_id, event.event_number) for event in tailed] == [
        (game, n) for n in range(1, 31)
    ]


def test_the_document_names_what_is_there() -> None:
    for link in re.findall(r"\]\(([^)]+)\)", TEXT):
        assert (DOCS / link).exists(), link
    for path in re.findall(r"`(app/[\w/.]+)`", TEXT):
        assert (DOCS.parent / path).exists(), path
    for column in schema().names:
        assert f"| `{column}` |" in TEXT
    assert f"{folder('2026091300')}/day=2026-09-13/0001.parquet" in TEXT
    assert f"`{GAME_EVENTS.name}`" in TEXT
    assert f"`{INGESTION_GROUP}`" in TEXT
    assert GAME_EVENTS.retention_ms == WEEK_MS
    assert "7 days" in TEXT

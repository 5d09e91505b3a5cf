"""The demo's player goes by the clock, and nothing else imports the demo."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import func, select

from app.core import clock
from app.core.db import db
from app.core.redis.clients import jobs_redis
from app.core.redis.connections import connect
from app.demo.seed import DEMO_PREFIX, simulated_game
from app.ops import usage
from app.ops.usage import LAST_USED
from app.record.events import Timeout
from app.record.script import GameScript
from app.record.services import store_script
from app.stream.models import OutboxMessage
from scorer_console.record.numbering import Entry
from tests.worlds.scorer import leave, submit
from workers import demo_audience, demo_player
from workers.demo_audience import PATIENCE_SECONDS, Audience
from workers.demo_player import Player

ROOT = Path(__file__).parent.parent.parent


class Stopping:
    """Waits return at once; it is set after it was asked so many times."""

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds

    def is_set(self) -> bool:
        self.rounds -= 1
        return self.rounds < 0

    def wait(self, _seconds: float) -> bool:
        return False


def player(app: Flask, speed: float, *, rounds: int = 1, is_watched: bool = True) -> Player:
    process = SimpleNamespace(stopping=Stopping(rounds))
    audience = SimpleNamespace(is_there=lambda: is_watched)
    return Player(app, cast("Any", process), cast("Any", audience), speed)


def store_game(kickoff: datetime) -> GameScript:
    script = simulated_game(3, kickoff)
    script = replace(script, game_id=f"{DEMO_PREFIX}{script.game_id}", events=script.events[:60])
    store_script(script)
    return script


def entered(script: GameScript) -> int:
    db.session.rollback()
    accepted = select(func.count()).where(OutboxMessage.game_id == script.game_id)
    return db.session.scalar(accepted) or 0


def test_a_game_is_entered_by_the_clock_from_its_kickoff_on(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    kickoff = clock.now()
    script = store_game(kickoff)
    middle = script.events[30].at_ms
    for elapsed_ms, steps in ((-7, 0), (middle / 7 - 1, 30), (middle / 7 + 1, 31), (1e7, 60)):
        now = kickoff + timedelta(milliseconds=elapsed_ms)
        monkeypatch.setattr(clock, "now", lambda now=now: now)
        monkeypatch.setattr(demo_player, "go_on", lambda *_: None)
        player(app, 7.0).step()
        assert entered(script) == steps


def test_a_game_that_a_scorer_has_taken_over_is_left_to_the_scorer(app: Flask) -> None:
    now = clock.now()
    script = store_game(now - timedelta(hours=1))
    submit(script.game_id, [Entry(Timeout(reason="by hand"), "mine")], now)
    playing = player(app, 7.0)
    playing.step()
    assert playing.left == set(), "the scorer may have looked only"
    leave(script.game_id, now)
    playing.step()
    assert playing.left == {script.game_id}
    assert entered(script) == 1


def test_while_nobody_looks_games_go_on_but_are_entered_less_often(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = {}
    for is_watched in (True, False):
        playing = player(app, 7.0, rounds=5, is_watched=is_watched)
        calls: list[None] = []
        monkeypatch.setattr(playing, "step", lambda calls=calls: calls.append(None))
        playing.run()
        steps[is_watched] = len(calls)
    assert steps == {True: 5, False: 1}


def test_whoever_opens_a_page_is_an_audience_for_ten_minutes(
    app: Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usage, "EVERY_SECONDS", 0.0)
    monkeypatch.setattr(demo_audience, "LOOK_SECONDS", 0.0)
    settings = app.config["PRESSBOX"]
    audience = Audience(connect(settings.redis_url))
    assert audience.is_there(), "at the start somebody is about to look"
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + PATIENCE_SECONDS + 1)
    assert not audience.is_there()
    client.get("/healthz")
    assert not audience.is_there(), "a load balancer is no audience"
    client.get("/games")
    assert audience.is_there()


def test_a_page_does_not_fail_when_redis_cannot_note_it(
    app: Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usage, "EVERY_SECONDS", 0.0)
    monkeypatch.setattr(usage, "jobs_redis", lambda: connect("unix:///nonexistent.sock"))
    assert client.get("/games").status_code == 200
    assert jobs_redis().get(LAST_USED) is None


def test_only_commands_and_the_demos_own_process_import_the_demo() -> None:
    importing = re.compile(
        r"^\s*(from app\.demo|import app\.demo|from app import .*\bdemo\b)", re.MULTILINE
    )
    times = {
        path.relative_to(ROOT).as_posix()
        for folder in ("app", "workers", "scorer_console")
        for path in (ROOT / folder).rglob("*.py")
        if importing.search(path.read_text())
    }
    others = {
        path for path in times if not path.startswith(("app/demo/", "app/cli/", "workers/demo"))
    }
    assert others == set()
    assert times, "the pattern finds what is there"

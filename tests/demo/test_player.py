"""The demo rests while nobody looks, goes on where it stood, and nothing else imports it."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import func, select

from app.core import clock
from app.core.db import db
from app.core.redis.clients import connect, jobs_redis
from app.demo.seed import simulated_game
from app.ops import usage
from app.ops.usage import LAST_USED
from app.record.services import store_script
from app.stream.models import OutboxMessage
from workers import demo_audience
from workers.demo_audience import PATIENCE_SECONDS, Audience
from workers.demo_player import Player

ROOT = Path(__file__).parent.parent.parent


class Leaving:
    """An audience that is gone after it was looked for so many times."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    def is_there(self) -> bool:
        self.looks -= 1
        return self.looks >= 0


def player(app: Flask, looks: int, speed: float) -> Player:
    """Its waits return at once: a step that is not due is asked for again and again."""
    process = SimpleNamespace(
        stopping=SimpleNamespace(wait=lambda _seconds: False, is_set=lambda: False)
    )
    return Player(app, cast("Any", process), cast("Any", Leaving(looks)), speed)


def test_a_game_rests_when_nobody_looks_and_goes_on_where_it_stood(app: Flask) -> None:
    script = simulated_game(3, clock.now())
    script = replace(script, events=script.events[:60])
    store_script(script)
    accepted = select(func.count()).where(OutboxMessage.game_id == script.game_id)
    player(app, looks=20, speed=10.0).play(script.game_id)
    before = db.session.scalar(accepted) or 0
    assert 0 < before < len(script.events)
    db.session.rollback()
    player(app, looks=20, speed=1e9).play(script.game_id)
    assert db.session.scalar(accepted) == len(script.events)


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

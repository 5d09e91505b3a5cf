"""A registered game of two clubs, and a scorer at its console."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.core.db import db
from app.record.models import Club, Footballer, Game
from scorer_console.lease import leases

KICKOFF = datetime(2026, 11, 22, 18, 0, tzinfo=UTC)
SNAP = {
    "type": "snap",
    "possession": "SF",
    "spot": 30,
    "period": 1,
    "clock": 700,
    "down": 1,
    "distance": 10,
}
RUN = {
    "type": "run",
    "team": "SF",
    "player": "sf-25",
    "kind": "rush",
    "start_yard": 30,
    "end_yard": 34,
}


@pytest.fixture
def game(app: Flask) -> str:
    """The id of a game of DAL at SF, registered, nothing entered."""
    db.session.add_all(
        [
            Club(id="SF", name="San Francisco", nickname="49ers", colour="#aa0000"),
            Club(id="DAL", name="Dallas", nickname="Cowboys", colour="#003594"),
        ]
    )
    db.session.commit()
    db.session.add_all(
        [
            Footballer(id="sf-10", name="Ann <Passer>", club_id="SF", position="QB", number=10),
            Footballer(id="sf-25", name="Joe Runner", club_id="SF", position="RB", number=25),
            Footballer(id="dal-54", name="Will Tackle", club_id="DAL", position="LB", number=54),
            Game(
                id="g1",
                season=2026,
                season_type="REG",
                week=11,
                kickoff=KICKOFF,
                home_id="SF",
                away_id="DAL",
            ),
        ]
    )
    db.session.commit()
    return "g1"


@pytest.fixture
def scorer(sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    return sign_in("scorer")


Enter = Callable[..., TestResponse]


CONSOLE = "0a1b2c3d-0000-4000-8000-000000000001"


@pytest.fixture
def enter(scorer: FlaskClient, game: str, monkeypatch: pytest.MonkeyPatch) -> Enter:
    """Takes the game, and sends bodies as one entry: `enter(SNAP, RUN)`.

    `key` to send the same entry again.

    No lease of the test runs out by the real clock, however slowly its requests follow each other.
    """
    longer = timedelta(hours=1)
    for name in ("LEASE", "RENEW_WITHIN"):
        monkeypatch.setattr(leases, name, getattr(leases, name) + longer)
    assert scorer.post(f"/console/{game}/lease", json={"console": CONSOLE}).status_code == 200

    def send(
        *bodies: dict[str, Any], key: str | None = None, play_number: int | None = None
    ) -> TestResponse:
        entries = [{"body": body, "play_number": play_number} for body in bodies]
        return scorer.post(
            f"/console/{game}/events",
            json={"key": key or str(uuid4()), "console": CONSOLE, "entries": entries},
        )

    return send

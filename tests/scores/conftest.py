from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from flask import Flask

from app.accounts.models import Member, Player
from app.boards.models import Mode, ScoreGame
from app.core.db import db
from app.scores.feed import changes as feed
from app.scores.webhooks import services as webhooks
from app.scores.webhooks.models import Webhook
from tests.scores.receiver import Receiver, running_receiver
from tests.worlds.score_games import make_integrator, make_score_game, make_solo_mode
from tests.worlds.score_log import NOW


@pytest.fixture
def game(app: Flask) -> ScoreGame:
    return make_score_game("nova-run", "Nova Run")


@pytest.fixture
def make_mode(game: ScoreGame) -> Callable[..., Mode]:
    """Makes a mode: `make_mode(aggregation="sum", windows=("daily", "all-time"))`."""

    def make(**changes: Any) -> Mode:
        values = {
            "min_score": -10_000,
            "max_score": 10_000,
            "windows": ("daily", "all-time"),
        } | changes
        return make_solo_mode(game, NOW - timedelta(days=30), **values)

    return make


@pytest.fixture
def players(app: Flask) -> Callable[[int], list[UUID]]:
    """Makes so many players and gives their ids."""
    member = Member(username="owner", display_name="Owner", password_hash="-")
    db.session.add(member)
    db.session.flush()
    integrator = make_integrator("Nova", member.id)

    def make(count: int) -> list[UUID]:
        new_players = [
            Player(
                id=uuid4(), display_name="p", integrator_id=integrator.id, external_id=uuid4().hex
            )
            for _ in range(count)
        ]
        db.session.add_all(new_players)
        db.session.commit()
        return [player.id for player in new_players]

    return make


@pytest.fixture
def lasting(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    """The broker is one that keeps its messages.

    Scores may be answered before they are on a board.
    """
    monkeypatch.setitem(
        app.config, "PRESSBOX", replace(app.config["PRESSBOX"], kafka_in_memory=False)
    )


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with running_receiver() as running:
        yield running


@pytest.fixture
def private(app: Flask) -> Iterator[None]:
    before = app.config["PRESSBOX"]
    app.config["PRESSBOX"] = replace(before, webhooks_private=True)
    yield
    app.config["PRESSBOX"] = before


@pytest.fixture
def hook(private: None, receiver: Receiver) -> Callable[..., Webhook]:
    def make(owner: int, events: tuple[str, ...] = feed.EVENTS) -> Webhook:
        webhook = webhooks.create(owner, f"{receiver.address}/hook", events)
        assert isinstance(webhook, Webhook), webhook
        return webhook

    return make

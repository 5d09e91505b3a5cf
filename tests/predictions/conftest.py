from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.predictions.pictures import services as pictures
from app.predictions.points import PRESETS
from app.predictions.providers import fetching
from tests.predictions.providing import Answering, Served, answering, fake_provider, match, season
from tests.worlds.cup import Cup
from tests.worlds.tournament import BEFORE, World


@pytest.fixture
def world(app: Flask) -> Callable[..., World]:
    """Makes a tournament: `world(PRESETS["margin"])`."""
    return World


@pytest.fixture
def cup(world: Callable[..., World]) -> World:
    """Three matches of one round; Ann guesses all right, Bob the first alone."""
    cup_world = world()
    for number in (1, 2, 3):
        cup_world.match(f"m{number}")
    cup_world.poll(BEFORE)
    for number in (1, 2, 3):
        cup_world.guess("Ann", f"m{number}", 2, 1)
        cup_world.guess("Bob", f"m{number}", *((1, 0) if number == 1 else (0, 3)))
    return cup_world


@pytest.fixture
def today(world: Callable[..., World]) -> Cup:
    """A tournament around the real now."""
    return Cup(world(PRESETS["margin"]))


@pytest.fixture
def ann(today: Cup, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    """Ann's browser."""
    today.world.player("Ann")
    return sign_in(username="ann")


@pytest.fixture
def private_providers(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Providers may lie on this machine, however busy it is."""
    monkeypatch.setattr(fetching, "SECONDS", 60.0)
    monkeypatch.setattr(pictures, "SECONDS", 60.0)
    monkeypatch.setattr(pictures, "SECONDS_IN_ALL", 300.0)
    before = app.config["PRESSBOX"]
    app.config["PRESSBOX"] = replace(before, providers_private=True)
    yield
    app.config["PRESSBOX"] = before


@pytest.fixture
def served(private_providers: None) -> Iterator[Served]:
    """A fake provider of two matches that end together, m1 and m2."""
    with fake_provider(
        season(match("m1"), match("m2", "liv", "mun", homeScore=0, awayScore=0))
    ) as served:
        yield served


@pytest.fixture
def server(private_providers: None) -> Iterator[Answering]:
    """Answers what the test says."""
    with answering() as answers:
        yield answers

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.predictions.points import PRESETS
from tests.predictions.cup import Cup
from tests.predictions.world import World


@pytest.fixture
def world(app: Flask) -> Callable[..., World]:
    """Makes a tournament: `world(PRESETS["margin"])`."""
    return World


@pytest.fixture
def cup(world: Callable[..., World]) -> Cup:
    return Cup(world(PRESETS["margin"]))


@pytest.fixture
def ann(cup: Cup, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    cup.world.player("Ann")
    return sign_in(username="ann")

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.core import clock
from tests.worlds.team_sheets import World, make_world


@pytest.fixture
def world(app: Flask) -> World:
    return make_world(real=True, first=clock.now() + timedelta(days=2, hours=3, minutes=1))


@pytest.fixture
def ann(sign_in: Callable[..., FlaskClient], world: World) -> FlaskClient:
    return sign_in(username="ann")

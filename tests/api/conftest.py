from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.accounts.models import Member
from app.core.db import db
from tests.worlds.callers import Callers, make_callers
from tests.worlds.scored_season import make_season
from tests.worlds.team_sheets import World


@pytest.fixture
def callers(app: Flask, member: Callable[..., Member]) -> Callers:
    return make_callers(app, member("owner", role="operator"))


@pytest.fixture
def others(app: Flask, member: Callable[..., Member]) -> Callers:
    """Another integrator, with everything of its own."""
    return make_callers(app, member("stranger"), "Card House", "cards")


@pytest.fixture
def ann(member: Callable[..., Member]) -> Member:
    member_ann = member("ann")
    member_ann.country = "GH"
    db.session.commit()
    return member_ann


@pytest.fixture
def bob(member: Callable[..., Member]) -> Member:
    return member("bob")


@pytest.fixture
def world(ann: Member, bob: Member) -> World:
    return make_season(ann.id, bob.id)


@pytest.fixture
def as_ann(sign_in: Callable[..., FlaskClient], world: World) -> FlaskClient:
    return sign_in(username="ann")

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask

from app.accounts.models import Member
from app.core.db import db
from tests.worlds.competitions import Arena


@pytest.fixture
def arena(app: Flask, member: Callable[..., Member]) -> Arena:
    owner = member("owner", role="operator")
    db.session.commit()
    return Arena(app, owner)

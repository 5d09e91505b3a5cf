from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask

from app.accounts.models import Member
from tests.worlds.draft_leagues import DraftWorld, make_drafted_league


@pytest.fixture
def drafted(app: Flask, member: Callable[..., Member]) -> DraftWorld:
    """Four franchises with six footballers each, in the season, before its first game."""
    return make_drafted_league(member)

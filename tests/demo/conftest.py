"""Forty simulated games, made once."""

from __future__ import annotations

import pytest

from app.record.script import GameScript
from tests.worlds.simulated_games import play


@pytest.fixture(scope="session")
def games() -> list[GameScript]:
    return [play(seed) for seed in range(40)]

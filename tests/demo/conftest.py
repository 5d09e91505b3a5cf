from __future__ import annotations

import pytest

from app.accounts import services as accounts
from app.record.script import GameScript
from tests.demo.seeding import register_without_hash
from tests.worlds.simulated_games import play


@pytest.fixture(scope="session")
def games() -> list[GameScript]:
    """Forty simulated games, made once."""
    return [play(seed) for seed in range(40)]


@pytest.fixture
def quick_accounts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts, "register", register_without_hash)

"""A clock that stands still."""

from __future__ import annotations

import pytest

from app.core import clock


@pytest.fixture
def still_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """No day, week or month ends between a score and the page that shows it."""
    moment = clock.now()
    monkeypatch.setattr(clock, "now", lambda: moment)

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask

from tests.predictions.world import World


@pytest.fixture
def world(app: Flask) -> Callable[..., World]:
    """Makes a tournament: `world(PRESETS["margin"])`."""
    return World

"""Integrators, games and modes as the services make them.

Boards that hold scores are in boards.py.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import uuid4

from app.accounts import api_keys
from app.accounts.models import Integrator
from app.boards.catalogue.rules import NewMode
from app.boards.catalogue.services import create_game, create_mode
from app.boards.models import Mode, ScoreGame
from tests.worlds.boards import NOW


def make_integrator(name: str, owner_id: int) -> Integrator:
    integrator = api_keys.create_integrator(name, owner_id)
    assert isinstance(integrator, Integrator), integrator
    return integrator


def make_score_game(
    slug: str = "bowl", title: str | None = None, integrator_id: int | None = None
) -> ScoreGame:
    """A game of this integrator, or of Pressbox itself."""
    game = create_game(slug, title or slug.title(), integrator_id)
    assert isinstance(game, ScoreGame), game
    return game


def make_score_mode(game: ScoreGame, new: NewMode, created_at: datetime = NOW) -> Mode:
    mode = create_mode(game, new, created_at)
    assert isinstance(mode, Mode), mode
    return mode


def make_solo_mode(game: ScoreGame, created_at: datetime, **values: Any) -> Mode:
    """A mode with its own slug in which the highest score counts unless the values differ."""
    defaults = {
        "slug": f"m-{uuid4().hex[:8]}",
        "title": "Solo",
        "aggregation": "highest",
        "ties": "shared",
    }
    return make_score_mode(game, NewMode(**(defaults | values)), created_at)

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import select

from app.accounts.models import Integrator, Member
from app.boards.catalogue.rules import NewMode
from app.boards.models import Mode
from app.core.db import db
from app.scores.events import ScoreEvent
from tests.scores.conftest import game, lasting, make_mode, players
from tests.worlds.score_games import make_score_game, make_score_mode
from tests.worlds.score_log import NOW, Log, later, score_event

__all__ = ["game", "lasting", "make_mode", "players"]

Players = Callable[[int], list[UUID]]


@pytest.fixture
def meg(member: Callable[..., Member]) -> int:
    return int(member("meg", "moderator").id)


@pytest.fixture
def two_games(
    players: Players, member: Callable[..., Member]
) -> tuple[Mode, ScoreEvent, Mode, ScoreEvent]:
    """A mode with a flagged score of the integrator that "owner" has, and one of Pressbox's."""
    ann, bob = players(2)
    integrator = db.session.scalars(select(Integrator)).one()
    events = []
    for slug, owner in (("own-game", integrator.id), ("other-game", None)):
        new = NewMode("solo", "Solo", "highest", "shared", 0, 1000, windows=("all-time",))
        mode = make_score_mode(make_score_game(slug, slug, owner), new, NOW - timedelta(days=9))
        events += [mode, score_event(mode, ann, 13)]
        log = Log()
        log.put(events[-1], score_event(mode, bob, 7, later(1)))
        log.consume()
    return events[0], events[1], events[2], events[3]

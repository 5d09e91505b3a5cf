from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import text

from app.core.db import db
from app.fantasy.gameweeks.settlement import settle
from app.fantasy.pages.recap import making
from app.fantasy.standings.models import League
from app.record import events as ev
from tests.worlds.games import DRIVE, NOW, ingest_and_refresh, messages


@pytest.fixture
def finish(league: League) -> Callable[[list[ev.Body]], None]:
    """Play the league's first gameweek with these events, settle it, and make its recap."""
    league_id = league.id

    def play(bodies: list[ev.Body]) -> None:
        ingest_and_refresh(messages([*bodies, ev.GameEnded()]))
        db.session.execute(
            text("UPDATE gameweeks SET locked_at = :now WHERE week = 1"), {"now": NOW}
        )
        db.session.commit()
        assert settle(1, NOW)
        assert making.make(league_id, 1, NOW)

    return play


@pytest.fixture
def finished(league: League, finish: Callable[[list[ev.Body]], None]) -> League:
    """Ann 14.20 with her captain's touchdown pass and a 10-yard run, Bob 12.50, Cat without."""
    finish(DRIVE)
    return league

"""Seeding the demo into a database with content; test_seeded_season.py holds what it makes."""

from __future__ import annotations

from datetime import timedelta

import pytest
from flask import Flask
from sqlalchemy import select

from app.core import clock
from app.core.db import db
from app.demo import seed, seed_teams
from app.fantasy.market.models import Gameweek
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.standings.models import League
from tests.demo.seeding import enter_nothing, rows
from tests.worlds.games import make_game

pytestmark = pytest.mark.usefixtures("quick_accounts")


def test_a_seeding_that_was_cut_short_goes_on_where_it_was(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = iter(range(100))

    def save(*args: object) -> None:
        if next(saved) == 17:
            raise KeyboardInterrupt
        as_it_is(*args)

    as_it_is = seed_teams._save
    monkeypatch.setattr(seed_teams, "_save", save)
    with pytest.raises(KeyboardInterrupt):
        seed.seed_demo(enter_nothing)
    deadlines = rows(Gameweek)
    later = clock.now() + timedelta(minutes=7)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert seed.seed_demo(enter_nothing)
    assert [row[:8] for row in rows(Gameweek)] == [row[:8] for row in deadlines]
    # Twelve teams of the salary-cap game and six line-ups of the draft league.
    assert len(db.session.scalars(select(TeamSheet)).all()) == 3 * (12 + 6)


def test_the_demo_of_an_earlier_version_stays_as_it_is(app: Flask) -> None:
    make_game("demo-2025-1-SUM-HRB")
    assert not seed.seed_demo(enter_nothing)
    assert db.session.scalars(select(League)).all() == []

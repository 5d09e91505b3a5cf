from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.standings.models import League
from tests.snapshots import made_once
from tests.worlds.games import make_game
from tests.worlds.leagues import make_league, make_sheet


@pytest.fixture
@made_once
def league(app: Flask, member: Callable[..., Member]) -> League:
    """Ann has passer H1 as captain and runner H3; Bob has catcher H2; Cat has no team sheet."""
    make_game()
    ann, bob, cat = member("ann"), member("bob"), member("cat")
    league = make_league(ann.id, {who.id: f"Team {who.username}" for who in (ann, bob, cat)})
    make_sheet(ann.id, league, ["H1", "H3"], captain="H1")
    make_sheet(bob.id, league, ["H2"])
    db.session.commit()
    return league


@pytest.fixture
def commissioner(league: League) -> Member:
    """Bob has the league in place of ann."""
    bob = db.session.scalars(db.select(Member).where(Member.username == "bob")).one()
    league.commissioner_id = bob.id
    db.session.commit()
    return bob

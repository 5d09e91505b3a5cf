from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from msgspec.structs import replace

from app.accounts.models import Member
from app.core.db import db
from app.draft_leagues import draft_planning
from app.draft_leagues.draft_planning import DraftDate
from app.draft_leagues.drafts import services as drafts
from app.draft_leagues.models import FINISHED, DraftLeague
from app.draft_leagues.settings import (
    DraftLeagueSettings,
    DraftSettings,
    KeeperSettings,
    RosterSettings,
    StarterCount,
)
from app.draft_leagues.setup import services as setup
from app.draft_leagues.setup.services import NewDraftLeague
from app.fantasy.leagues import services as leagues
from app.fantasy.standings.models import League
from tests.draft_leagues.drafts.plans import START, seconds
from tests.worlds.draft_market import make_market
from tests.worlds.seasons import KICKOFF

YEAR = timedelta(days=365)

SETTINGS = DraftLeagueSettings(
    franchises=3,
    scoring="half_ppr_idp",
    time_zone="UTC",
    roster=RosterSettings((StarterCount("RB", 1), StarterCount("WR", 1)), bench=1),
    draft=DraftSettings(kind="linear", seconds_per_pick=60),
    keepers=KeeperSettings(most=2),
)


@pytest.fixture
def found_league(app: Flask, member: Callable[..., Member]) -> Callable[..., League]:
    """Makes a league of Ann, Bob and a free team that has drafted, and whose season is over."""

    def make(keepers: KeeperSettings | None = None) -> League:
        season = make_market(is_simulated=True)
        # Two of each position are rookies.
        make_market(18, year=2027, first=KICKOFF + YEAR, is_simulated=True)
        settings = replace(SETTINGS, keepers=keepers or SETTINGS.keepers)
        ann, bob = member("ann"), member("bob")
        league = setup.found(
            ann.id, NewDraftLeague("The Yard", "Ann FC", season.id, settings), START
        )
        assert isinstance(league, League)
        assert leagues.join(bob.id, league.id, "Bob FC", START) is None
        plan = DraftDate(START, (1, 2, 3))
        assert draft_planning.schedule(league.id, plan, ann.id, START - seconds(60)) == []
        for second in range(0, 900, 10):
            drafts.advance_due(START + seconds(second))
        db.session.get_one(DraftLeague, league.id).phase = FINISHED
        db.session.commit()
        return league

    return make

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.models import Gameweek, League, LeagueMember, TeamSheet, TeamSheetPick
from tests.record.factory import KICKOFF, make_game


@pytest.fixture
def league(app: Flask, member: Callable[..., Member]) -> League:
    """Ann has passer H1 as captain and runner H3; Bob has catcher H2; Cat has no team sheet."""
    make_game()
    ann, bob, cat = member("ann"), member("bob"), member("cat")
    gameweek = Gameweek(season=2026, season_type="REG", week=1, name="Gameweek 1", deadline=KICKOFF)
    league = League(slug="row", name="Row", invite_code="ROW", rules="standard", commissioner_id=ann.id)
    db.session.add_all([gameweek, league])
    db.session.flush()
    for who in (ann, bob, cat):
        db.session.add(LeagueMember(league_id=league.id, member_id=who.id, team_name=f"Team {who.username}"))
    for who, picks in ((ann, [("H1", 2), ("H3", 1)]), (bob, [("H2", 1)])):
        sheet = TeamSheet(member_id=who.id, gameweek_id=gameweek.id, saved_at=KICKOFF)
        db.session.add(sheet)
        db.session.flush()
        for place, (footballer, multiplier) in enumerate(picks, start=1):
            db.session.add(
                TeamSheetPick(
                    team_sheet_id=sheet.id,
                    place=place,
                    slot="FLEX",
                    footballer_id=footballer,
                    multiplier=multiplier,
                    is_vice_captain=False,
                )
            )
    db.session.commit()
    return league

"""The editor of a draft league's line-up."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from msgspec.structs import replace

from app.accounts.models import Member
from app.core import clock
from app.fantasy.rosters.queries import names_of, rosters_of
from tests.worlds.draft_leagues import DRAFTED, SETTINGS, DraftWorld, make_drafted_league


@pytest.fixture
def before_the_season(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pages are read two days before the first kickoff."""
    now = DRAFTED + timedelta(days=1)
    monkeypatch.setattr(clock, "now", lambda: now)
    monkeypatch.setattr("app.fantasy.pages.team_sheet.views.received_at", lambda: now)


@pytest.mark.usefixtures("before_the_season")
def test_a_lineup_is_set_from_the_roster_without_captains_and_money(
    drafted: DraftWorld, sign_in: Callable[..., FlaskClient]
) -> None:
    ann = sign_in(username="ann")
    path = f"/team/{drafted.league.team_rules_id}"
    page = ann.get(path).text

    for absent in ("Captain", "Money", "Price up to", "Transfers"):
        assert absent not in page
    roster = names_of(rosters_of(drafted.league.id).of(1))
    assert "6 players" in page
    for name in roster.values():
        assert name in page
    assert "Bench" in page

    picks = drafted.lineup(1)
    picks[1], picks[6] = "", picks[1]  # the first running back into the flexible place
    [version] = re.findall(r'name="version" value="(\d+)"', page)
    answer = ann.post(
        path,
        data={"p": picks, "version": version, "gameweek": str(drafted.gameweek(1).id)},
    )
    assert answer.status_code == 303
    assert drafted.lineup(1) == picks


@pytest.mark.usefixtures("before_the_season")
def test_best_ball_has_nothing_to_set(
    app: Flask, member: Callable[..., Member], sign_in: Callable[..., FlaskClient]
) -> None:
    roster = replace(SETTINGS.roster, best_ball=True)
    world = make_drafted_league(member, replace(SETTINGS, roster=roster))
    ann = sign_in(username="ann")
    page = ann.get(f"/team/{world.league.team_rules_id}").text
    assert "your best players count automatically." in page
    assert "Save lineup" not in page

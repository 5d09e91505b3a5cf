"""A member founds a league over the API, and says from which gameweek it counts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import func, select

from app.core import clock
from app.core.db import db
from app.fantasy.standings.models import League
from tests.worlds.callers import got
from tests.worlds.team_sheets import World, make_world

PATH = "/api/v1/leagues"
ROW = {"name": "The Row", "teamName": "Ann FC", "format": "soccer-five", "rules": "soccer"}


@pytest.fixture
def world(app: Flask) -> World:
    return make_world(real=True, first=clock.now() + timedelta(days=2))


@pytest.fixture
def ann(sign_in: Callable[..., FlaskClient], world: World) -> FlaskClient:
    return sign_in(username="ann")


def founded(ann: FlaskClient, **more: object) -> dict[str, Any]:
    answer = ann.post(PATH, json=ROW | more)
    assert answer.status_code == 201, answer.text
    return dict(answer.json or {})


def test_the_founder_says_from_which_gameweek_the_league_counts(ann: FlaskClient) -> None:
    created = founded(ann, firstWeek="GW3")
    code = created.pop("inviteCode")
    assert created == {
        "league": "the-row",
        "name": "The Row",
        "season": "cup-2026-REG",
        "format": "soccer-five",
        "rules": "soccer",
        "mode": "total",
        "isPublic": False,
        "firstWeek": "GW3",
    }
    league = db.session.scalars(select(League).where(League.slug == "the-row")).one()
    assert (league.first_week, league.invite_code) == (3, code)
    assert got(ann, f"{PATH}/the-row/gamers")["firstWeek"] == "GW3"
    assert "This league starts in Week 3." in ann.get("/leagues/the-row").text


def test_without_a_word_it_counts_from_the_next_gameweek_that_teams_can_be_picked_for(
    ann: FlaskClient,
) -> None:
    assert founded(ann, season="cup-2026-REG", lock="game", isPublic=True)["firstWeek"] == "GW1"


def test_all_that_is_wrong_is_named_at_once_and_nothing_is_founded(ann: FlaskClient) -> None:
    before = db.session.scalar(select(func.count()).select_from(League))
    wrong = {"format": "chess", "rules": "ppr", "firstWeek": "GW9", "name": " "}
    refused = ann.post(PATH, json=ROW | wrong)
    assert refused.status_code == 422
    problem = refused.json
    assert problem is not None
    assert sorted(error["field"] for error in problem["errors"]) == [
        "firstWeek",
        "format",
        "name",
        "rules",
    ]
    other = ann.post(PATH, json=ROW | {"season": "cup-1999-REG"})
    assert other.status_code == 422
    assert "Leave it out" in other.text
    assert db.session.scalar(select(func.count()).select_from(League)) == before


def test_without_a_season_it_says_who_makes_one(
    app: Flask, sign_in: Callable[..., FlaskClient]
) -> None:
    answer = sign_in(username="ann").post(PATH, json=ROW)
    assert answer.status_code == 409
    assert "operator" in answer.text

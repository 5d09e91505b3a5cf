"""The team color on the forms by which a member gets a team: joining and founding a league."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import func, select

from app.accounts.crests import COLOURS, HUES, team_colour
from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.fantasy.standings.models import League
from tests.fantasy.leagues.test_pages import FORM as SALARY_CAP
from tests.worlds.draft_season import make_draft_season

SignIn = Callable[..., FlaskClient]
DRAFT = {"name": "The Yard", "team_name": "Ann FC", "preset": "redraft", "access": "public"}
DRAFT |= {"time_zone": "UTC"}
FORMS = {"/leagues/new": SALARY_CAP, "/leagues/draft/new": DRAFT, "/leagues/the-yard/join": {}}


@pytest.fixture
def bob(app: Flask, sign_in: SignIn) -> FlaskClient:
    """A member who may found leagues, and join Ann's draft league."""
    make_draft_season(clock.now() + timedelta(days=7), 2099, with_last_season=False)
    assert sign_in(username="ann").post("/leagues/draft/new", data=DRAFT).status_code == 303
    return sign_in(username="bob")


def chosen_colour() -> int | None:
    return db.session.scalars(select(Member.colour).where(Member.username == "bob")).one()


def default_colour() -> int:
    member_id = db.session.scalars(select(Member.id).where(Member.username == "bob")).one()
    return team_colour(member_id, None)


@pytest.mark.parametrize("path", FORMS)
def test_the_form_offers_the_own_crest_in_every_color_by_name(bob: FlaskClient, path: str) -> None:
    page = bob.get(path).text
    options = re.findall(r'<label>\s*(<input[^>]*name="colour"[^>]*>).*?</svg>\s*(\w+)', page, re.S)
    assert [name for _, name in options] == list(COLOURS)
    checked = [number for number, (tag, _) in enumerate(options, 1) if "checked" in tag]
    assert checked == [default_colour()]
    assert re.findall(r'color="(#\w+)"', page) == list(HUES)
    assert ">BT</text></symbol>" in page, "the initials of Bob's team"


@pytest.mark.parametrize(("path", "form"), FORMS.items())
@pytest.mark.parametrize("has_another", [True, False])
def test_only_another_color_than_the_own_one_is_stored(
    bob: FlaskClient, path: str, form: dict[str, str], has_another: bool
) -> None:
    another = 1 + default_colour() % len(COLOURS)
    colour = another if has_another else default_colour()
    answer = bob.post(path, data=form | {"team_name": "Bob FC", "colour": str(colour)})
    assert answer.status_code == 303
    assert chosen_colour() == (another if has_another else None)


@pytest.mark.parametrize(("path", "form"), FORMS.items())
@pytest.mark.parametrize("colour", ["17", "0", "red"])
def test_a_color_that_does_not_exist_is_refused_at_its_field_before_anything_is_stored(
    bob: FlaskClient, path: str, form: dict[str, str], colour: str
) -> None:
    answer = bob.post(path, data=form | {"team_name": "Bob FC", "colour": colour})
    assert answer.status_code == 422
    assert re.findall(r'class="fault" id="(\w+)-fault"', answer.text) == ["colour"]
    assert chosen_colour() is None
    assert db.session.scalar(select(func.count()).select_from(League)) == 1
    assert bob.get("/leagues/the-yard/members").status_code == 404


def test_a_form_that_is_refused_keeps_the_color(bob: FlaskClient) -> None:
    colour = str(1 + default_colour() % len(COLOURS))
    answer = bob.post("/leagues/the-yard/join", data={"team_name": "", "colour": colour})
    assert answer.status_code == 422
    [checked] = re.findall(r"<input[^>]*checked[^>]*>", answer.text)
    assert f'value="{colour}"' in checked
    assert chosen_colour() is None

"""A member's theme, time format and team color: on every page of theirs, and on nobody else's."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select

from app.accounts import appearance
from app.accounts.crests import COLOURS, team_colour
from app.accounts.models import Member
from app.core.db import db
from tests.worlds.games import make_game

SignIn = Callable[..., FlaskClient]
LIGHT = {"theme": "light", "time_format": "12", "colour": "3"}
CACHED, PERSONAL, WITHOUT_PAGE = "/games", "/account", "/no-such-page"


def root(client: FlaskClient, path: str) -> str:
    """The tag of the page's root."""
    match = re.search(r"<html[^>]*>", client.get(path).text)
    assert match is not None
    return " ".join(match[0].replace(">", " ").split())


@pytest.fixture
def ann(sign_in: SignIn) -> FlaskClient:
    make_game()
    return sign_in(username="ann")


@pytest.mark.parametrize("path", [CACHED, PERSONAL, WITHOUT_PAGE])
def test_what_is_chosen_is_on_the_next_page(ann: FlaskClient, path: str) -> None:
    assert root(ann, path) == '<html lang="en"'
    choice = {"theme": "dark", "time_format": "12", "colour": "3"}
    answer = ann.post("/account/appearance", data=choice, follow_redirects=True)
    assert "Saved for all your devices." in answer.text
    assert root(ann, path) == '<html lang="en" data-theme="dark" data-clock="12"'
    ann.post("/account/appearance", data=choice | {"theme": "system", "time_format": "24"})
    assert root(ann, path) == '<html lang="en" data-clock="24"'


def test_nobody_else_gets_it(ann: FlaskClient, app: Flask, sign_in: SignIn) -> None:
    ann.post("/account/appearance", data=LIGHT)
    assert "data-theme" in root(ann, CACHED)
    for other in (sign_in(username="bob"), app.test_client()):
        assert root(other, CACHED) == '<html lang="en"'


def test_the_page_shows_what_was_chosen(ann: FlaskClient) -> None:
    ann.post("/account/appearance", data={"theme": "dark", "time_format": "24", "colour": "16"})
    chosen = re.findall(r"<input[^>]*checked[^>]*>", ann.get(PERSONAL).text)
    assert [re.findall(r'name="(\w+)"|value="(\w+)"', tag) for tag in chosen] == [
        [("theme", ""), ("", "dark")],
        [("time_format", ""), ("", "24")],
        [("colour", ""), ("", "16")],
    ]


@pytest.mark.parametrize(
    "choice",
    [{}, {"theme": "dark"}, *(LIGHT | {name: "red"} for name in LIGHT), LIGHT | {"colour": "17"}],
)
def test_something_else_is_refused(ann: FlaskClient, choice: dict[str, str]) -> None:
    answer = ann.post("/account/appearance", data=choice)
    assert answer.status_code == 422
    assert 'class="fault"' in answer.text
    assert root(ann, PERSONAL) == '<html lang="en"'


def test_the_header_has_initials_and_a_colour_in_place_of_a_name(
    app: Flask, member: Callable[..., Member]
) -> None:
    ann = member("ann")
    ann.display_name = "Ann <Marie> Abara"
    db.session.commit()
    assert appearance.avatar(ann.display_name, 3) == (
        '<span class="avatar" data-team="3" aria-hidden="true">AA</span>'
    )
    assert "&lt;" not in appearance.avatar("<b>", 1)


def test_a_chosen_colour_is_that_of_the_crest_and_of_the_avatar_on_cached_pages(
    ann: FlaskClient,
) -> None:
    member_id = db.session.scalars(select(Member.id).where(Member.username == "ann")).one()
    crest = f"/gamers/{member_id}/picture?initials=HM"
    assert f'class="avatar" data-team="{team_colour(member_id, None)}"' in ann.get(CACHED).text
    before = ann.get(crest)
    assert before.text.endswith(">HM</text></svg>")
    assert before.text.count(COLOURS["Brown"][0]) == 0
    ann.post("/account/appearance", data=LIGHT)
    assert 'class="avatar" data-team="3"' in ann.get(CACHED).text
    again = ann.get(crest, headers={"If-None-Match": before.headers["ETag"]})
    assert again.status_code == 200
    assert COLOURS["Brown"][0] in again.text


@pytest.mark.parametrize("letters", ["<b", "ABC", "a b", "&"])
def test_only_initials_stand_on_a_crest(app: Flask, ann: FlaskClient, letters: str) -> None:
    assert ann.get("/gamers/1/picture", query_string={"initials": letters}).status_code == 404

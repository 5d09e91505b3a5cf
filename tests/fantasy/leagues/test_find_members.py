"""Choosing a member of a league: a search, however many there are."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from sqlalchemy import insert, select

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.leagues import queries as league_queries
from app.fantasy.leagues.queries import FOUND_ROWS
from app.fantasy.standings.models import LeagueMember
from tests.snapshots import made_once
from tests.worlds.played_league import Played, played_league

SignIn = Callable[..., FlaskClient]
MANY = 10_000
MOST_BYTES = 64 * 1024
HTMX = {"HX-Request": "true"}


@pytest.fixture
@made_once
def played(member: Callable[..., Member]) -> Played:
    """With ten thousand members besides."""
    season = played_league(
        {name: member(name).id for name in ("ann", "bob")}, ({"ann": 50, "bob": 40},)
    )
    rows = [
        {"username": f"fan{number}", "display_name": f"Fan {number}", "password_hash": "!"}
        for number in range(MANY)
    ]
    db.session.execute(insert(Member), rows)
    fans = db.session.scalars(
        select(Member.id).where(Member.username.startswith("fan")).order_by(Member.id)
    ).all()
    joined = [
        {"league_id": season.league.id, "member_id": fan, "team_name": f"Team {number:05}"}
        for number, fan in enumerate(fans)
    ]
    db.session.execute(insert(LeagueMember), joined)
    db.session.commit()
    return season


def names(text: str) -> list[str]:
    return [
        re.sub(r"<[^>]*>", "", label).strip()
        for label in re.findall(r"<label><input[^>]*>([^<]*)</label>", text)
    ]


def test_ten_thousand_members_are_searched_not_listed(sign_in: SignIn, played: Played) -> None:
    ann = sign_in(username="ann")
    for page in ("adjust", "hand-over"):
        path = f"/leagues/the-row/{page}"
        answer = ann.get(path)
        assert len(answer.data) < MOST_BYTES, page
        assert len(names(answer.text)) == FOUND_ROWS
        assert "Type more of the name" in answer.text
        assert names(ann.get(f"{path}?find=1&q=team+00042").text) == ["Team 00042 (Fan 42)"]
        fragment = ann.get(f"{path}?find=1&q=BOB", headers=HTMX).text
        assert (names(fragment), "<html" in fragment) == (["Bob FC (Bob)"], False)
        assert "No member with that name." in ann.get(f"{path}?find=1&q=%25").text


def test_who_begins_with_the_words_comes_first_and_who_is_chosen_stays(played: Played) -> None:
    ann, bob = played.members["ann"], played.members["bob"]
    db.session.execute(
        insert(Member), [{"username": "x", "display_name": "Xenia Bobson", "password_hash": "!"}]
    )
    other = db.session.scalar(select(Member.id).where(Member.username == "x"))
    row = {"league_id": played.league.id, "member_id": other, "team_name": "AAA"}
    db.session.execute(insert(LeagueMember), [row])
    choices = league_queries.find_members(played.league.id, "bob").choices
    assert [name for _, name in choices] == ["Bob FC (Bob)", "AAA (Xenia Bobson)"]
    choices = league_queries.find_members(played.league.id, "bob", chosen=ann, but=bob).choices
    assert [name for _, name in choices] == ["Ann FC (Ann)", "AAA (Xenia Bobson)"]


def test_a_member_that_was_found_is_adjusted_and_stays_chosen(
    sign_in: SignIn, played: Played
) -> None:
    ann, bob = sign_in(username="ann"), played.members["bob"]
    asked = {"q": "bob", "member": bob, "gameweek": played.gameweeks[0].id, "points": "3"}
    text = ann.get("/leagues/the-row/adjust", query_string=asked).text
    assert re.search(
        rf'<input checked id="member-\d" name="member" type="radio" value="{bob}">', text
    )
    assert "Add 3.00 points" in text
    nobody = ann.get("/leagues/the-row/adjust", query_string=asked | {"member": ""})
    assert (nobody.status_code, "Choose a member of this league." in nobody.text) == (422, True)

"""Two team sheets side by side: a head-to-head game, the average, any two of a league, and what is still hidden."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from app.accounts.models import Member
from tests.worlds.played_league import Played, played_league

SignIn = Callable[..., FlaskClient]


@pytest.fixture
def ids(member: Callable[..., Member]) -> dict[str, int]:
    return {name: member(name).id for name in ("ann", "bob", "cat")}


def played(ids: dict[str, int], mode: str) -> Played:
    return played_league(ids, ({"ann": 50, "bob": 40, "cat": 30},), mode=mode)


def test_a_game_of_a_head_to_head_league_has_both_line_ups(sign_in: SignIn, ids: dict[str, int]) -> None:
    slug = played(ids, "head_to_head").league.slug
    ann = sign_in(username="ann")
    page = ann.get(f"/leagues/{slug}/matchups/1/{ids['bob']}").text
    for shown in ("Bob FC v Cat FC", "S. Player3", "H. Player9", "8.00", "6.00", "Bob FC is ahead by 2.00."):
        assert shown in page, shown
    assert f"/footballers/S3?league={slug}" in page
    average = ann.get(f"/leagues/{slug}/matchups/1/{ids['ann']}").text
    assert "The average of the league" in average
    assert "Ann FC is ahead by 2.00." in average


def test_any_two_of_a_league_are_compared(sign_in: SignIn, ids: dict[str, int]) -> None:
    slug = played(ids, "total").league.slug
    ann = sign_in(username="ann")
    here = f"/leagues/{slug}/matchups/1/{ids['ann']}"
    assert "Ann FC v Cat FC" in ann.get(f"{here}?against={ids['cat']}").text
    assert "meets nobody in this gameweek" in ann.get(here).text
    assert f"against={ids['cat']}" in ann.get(f"/leagues/{slug}/teams/{ids['cat']}?week=1").text
    for wrong in (ids["ann"], 999_999, "x", ""):
        assert ann.get(f"{here}?against={wrong}").status_code == 404, wrong
    assert ann.get(f"/leagues/{slug}/matchups/9/{ids['ann']}").status_code == 404
    assert sign_in(username="eve").get(here).status_code == 404


def test_all_is_over_so_a_poll_stops(sign_in: SignIn, ids: dict[str, int]) -> None:
    slug = played(ids, "head_to_head").league.slug
    poll = sign_in(username="ann").get(f"/leagues/{slug}/matchups/1/{ids['bob']}", headers={"HX-Request": "true"})
    assert poll.status_code == 286
    assert "hx-get" not in poll.text

"""A removed member is told so, by a notice and where they would join (leagues/remove.html)."""

from __future__ import annotations

from collections.abc import Callable

from flask.testing import FlaskClient

from app.fantasy.leagues import services as leagues
from app.fantasy.notices.services import newest
from tests.worlds.league_season import BEFORE, LeagueWorld


def test_a_removed_member_gets_a_notice_and_no_form_to_join(
    make_world: Callable[..., LeagueWorld], sign_in: Callable[..., FlaskClient]
) -> None:
    world = make_world()
    league = world.league()
    bob = world.join(league, "bob")
    assert leagues.remove(league.id, bob, BEFORE) is None
    assert [(row.title, row.path) for row in newest(bob)] == [
        ("You were removed from Row", "/leagues")
    ]
    browser = sign_in(username="bob")
    leagues.set_public(league.id, True)
    for path in (f"/join/{league.invite_code}", f"/leagues/{league.slug}/join"):
        page = browser.get(path)
        assert "You were removed from Row" in page.text
        assert "Join the league" not in page.text
    leagues.let_back(league.id, bob)
    assert "Join the league" in browser.get(f"/join/{league.invite_code}").text

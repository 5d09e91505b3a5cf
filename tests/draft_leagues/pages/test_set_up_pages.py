"""What members see of a league before its draft, and what whoever runs it is led to."""

from __future__ import annotations

import re
from collections.abc import Callable

from flask.testing import FlaskClient
from sqlalchemy import func, select

from app.accounts.models import Member
from app.core.db import db
from app.draft_leagues import draft_planning
from app.draft_leagues.commissioner import services as commissioner
from app.draft_leagues.commissioner.act_notices import By
from app.draft_leagues.draft_planning import DraftDate
from app.draft_leagues.setup import services as setup
from app.fantasy.standings.models import League
from tests.worlds.draft_leagues import DRAFTED, FOUNDED, DraftWorld, make_draft_league


def test_before_the_draft_a_league_leads_to_its_set_up(
    member: Callable[..., Member], sign_in: Callable[..., FlaskClient]
) -> None:
    world = make_draft_league(member)
    league_id = world.league.id
    date = DraftDate(None, (3, 1, 4, 2))
    assert draft_planning.schedule(league_id, date, world.members[0], FOUNDED) == []
    bob = sign_in(username="bob")
    answer = bob.get(f"/leagues/{world.league.slug}")
    assert answer.location == f"/leagues/{world.league.slug}/setup"
    page = bob.get(answer.location).text.replace("\u2068", "").replace("\u2069", "")
    assert "First round: Cat FC, Ann FC, Dan FC, Bob FC." in page
    assert "The commissioner will start it." in " ".join(page.split())
    assert re.findall(r'id="place-(\w+)"', page) == ["draft", "team", "players", "league", "talk"]
    assert re.findall(r'id="tab-(\w+)"', page) == ["setup", "rankings"]


def test_a_drafted_league_shows_its_matchup_and_co_commissioners_their_page(
    drafted: DraftWorld, sign_in: Callable[..., FlaskClient]
) -> None:
    address = f"/leagues/{drafted.league.slug}"
    bob, ann = sign_in(username="bob"), sign_in(username="ann")
    settings_link = 'id="tab-settings"'
    members = f"{address}/members"
    assert bob.get(address).status_code == 200
    assert settings_link not in bob.get(members).text
    by = By(drafted.members[0], "I am away.")
    bob_id = drafted.members[1]
    assert commissioner.set_co_commissioners(drafted.league.id, [bob_id], by, DRAFTED) == []
    assert settings_link in bob.get(members).text
    assert f"{address}/settings/rules" not in ann.get(f"{address}/settings").text


def test_the_settings_list_only_what_the_viewer_may_change(
    drafted: DraftWorld, sign_in: Callable[..., FlaskClient]
) -> None:
    bob, ann = sign_in(username="bob"), sign_in(username="ann")
    by = By(drafted.members[0], "I am away.")
    league = drafted.league
    assert commissioner.set_co_commissioners(league.id, [drafted.members[1]], by, DRAFTED) == []
    listed = {}
    for name, client in (("ann", ann), ("bob", bob)):
        page = client.get(f"/leagues/{league.slug}/commissioner").text
        parts = page[page.index('aria-label="Settings"') : page.index('id="part"')]
        listed[name] = re.findall(r'href="([^"#]+)[^"]*"', parts)
        assert [client.get(address).status_code for address in listed[name]] == [
            200 for _ in listed[name]
        ]
    assert len(listed["ann"]) == len(listed["bob"]) + 5
    # The draft is over, so its settings are fixed.
    assert f"/leagues/{league.slug}/setup/draft" not in listed["bob"]


def test_a_league_that_is_founded_twice_is_founded_once(
    member: Callable[..., Member],
) -> None:
    world = make_draft_league(member)
    new = setup.NewDraftLeague(world.league.name, "Ann FC", world.league.season_id, world.settings)
    again = setup.found(world.members[0], new, FOUNDED)
    assert isinstance(again, League)
    assert again.id == world.league.id
    later = setup.found(world.members[0], new, FOUNDED + 2 * setup.SENT_AGAIN)
    assert isinstance(later, League)
    assert (
        db.session.scalar(select(func.count()).select_from(League).where(League.name == new.name))
        == 2
    )

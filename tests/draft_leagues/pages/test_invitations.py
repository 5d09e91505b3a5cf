"""Which game a newcomer founds, and what somebody who is invited to a draft league reads."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from msgspec.structs import replace

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.draft_leagues import draft_planning
from app.draft_leagues.commissioner import services as commissioner
from app.draft_leagues.commissioner.act_notices import By
from app.draft_leagues.draft_planning import DraftDate
from app.draft_leagues.franchises.services import teams
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues.services import NOT_THERE
from tests.worlds.draft_leagues import (
    DRAFTED,
    FOUNDED,
    SETTINGS,
    DraftWorld,
    make_draft_league,
)

SignIn = Callable[..., FlaskClient]


def words(client: FlaskClient, path: str) -> str:
    return " ".join(client.get(path).text.split())


def test_whoever_starts_a_league_is_asked_which_game_first(
    sign_in: SignIn, client: FlaskClient
) -> None:
    ann = sign_in(username="ann")
    text = ann.get("/leagues/start").text
    for link in ('href="/leagues/draft/new"', 'href="/leagues/new"'):
        assert link in text
    for page in ("/", "/leagues"):
        text = ann.get(page).text
        assert 'href="/leagues/start"' in text, page
        assert 'href="/leagues/new"' not in text, page


def test_an_invitation_says_what_the_draft_is(
    member: Callable[..., Member], sign_in: SignIn, client: FlaskClient
) -> None:
    settings = replace(SETTINGS, franchises=6)
    settings = replace(
        settings, season=replace(settings.season, playoff_teams=0, weeks_per_round=())
    )
    world = make_draft_league(member, settings)
    starts_at = clock.now() + timedelta(days=2)
    date = DraftDate(starts_at)
    ann = world.members[0]
    assert draft_planning.schedule(world.league.id, date, ann, clock.now()) == []
    path = f"/join/{world.league.invite_code}"
    for reader in (client, sign_in(username="eve")):
        text = words(reader, path)
        assert "6, 2 open" in text
        assert "Snake: the order reverses each round" in text
        assert "Time per pick" in text
        assert starts_at.strftime("%Y-%m-%dT%H:%M") in text
        assert "ready-made team" not in text
    assert "the best team wins the league" in text
    assert "make the playoffs" not in text


def test_a_full_league_says_so_before_the_form(
    member: Callable[..., Member], sign_in: SignIn, client: FlaskClient
) -> None:
    world = make_draft_league(member)
    path = f"/join/{world.league.invite_code}"
    for reader in (client, sign_in(username="eve")):
        text = words(reader, path)
        assert "This league is full." in text
        assert "Team name" not in text
        assert "Register and join" not in text
        assert "draft queue" not in text
    sent = sign_in(username="fay").post(path, data={"team_name": "Fay FC"})
    assert (sent.status_code, sent.text.count("This league is full")) == (422, 1)
    ann = sign_in(username="ann")
    assert "The league is full." in words(ann, f"/leagues/{world.league.slug}/settings")
    assert "Invite friends" not in words(ann, f"/leagues/{world.league.slug}")


def test_who_takes_over_a_team_is_told_which_one_and_names_it(
    drafted: DraftWorld, sign_in: SignIn, client: FlaskClient
) -> None:
    league = drafted.league
    by = By(drafted.members[0], "He left us.")
    assert commissioner.open_franchise(league.id, 3, by, DRAFTED) == []
    path = f"/join/{league.invite_code}"
    eve = sign_in(username="eve")
    for reader in (client, eve):
        text = words(reader, path)
        assert "You take over" in text
        assert "Cat FC" in text
        assert "(0–0, 6 players)" in text
    assert eve.post(path, data={"team_name": "Eve's Eleven"}).status_code == 303
    assert [team.name for team in teams(league.id)][2] == "Eve's Eleven"


def test_the_page_for_leaving_says_what_a_drafted_team_cannot_do(
    drafted: DraftWorld, sign_in: SignIn
) -> None:
    path = f"/leagues/{drafted.league.slug}/leave"
    for name, remedy, page in (
        ("bob", "Ask the commissioner to give it to someone else", "/talk"),
        ("ann", "Transfer ownership to another member", "/hand-over"),
    ):
        text = words(sign_in(username=name), path)
        assert remedy in text
        question = text[text.index("Leave the league?") :].split("</section>")[0]
        assert f'href="/leagues/{drafted.league.slug}{page}"' in question
        assert 'method="post"' not in text[text.index("Leave the league?") :].split("</section>")[0]


def test_nobody_is_asked_to_remove_a_team_that_has_drafted(
    drafted: DraftWorld, sign_in: SignIn
) -> None:
    path = f"/leagues/{drafted.league.slug}/members/{drafted.members[1]}/remove"
    text = words(sign_in(username="ann"), path)
    assert "Change the owner instead" in text
    assert f'href="/leagues/{drafted.league.slug}/commissioner"' in text
    assert f'action="{path}"' not in text


@pytest.mark.parametrize("is_named", [True, False])
def test_an_act_that_moves_nobody_does_not_bind_a_team(
    member: Callable[..., Member], *, is_named: bool
) -> None:
    """A co-commissioner is named before the draft: members can still leave."""
    world = make_draft_league(member)
    if is_named:
        by = By(world.members[0], "I am away.")
        chosen = [world.members[1]]
        assert commissioner.set_co_commissioners(world.league.id, chosen, by, FOUNDED) == []
    assert leagues.leave(world.members[2], world.league.id, FOUNDED) is None
    db.session.rollback()


def test_a_code_that_was_renewed_while_the_form_was_open_is_said_so(
    member: Callable[..., Member], sign_in: SignIn
) -> None:
    league = make_draft_league(member, replace(SETTINGS, franchises=6)).league
    eve, code = sign_in(username="eve"), league.invite_code
    assert eve.get(f"/join/{code}").status_code == 200
    leagues.renew_code(league.id)
    answer = eve.post(f"/join/{code}", data={"team_name": "Eve FC"}, follow_redirects=True)
    assert (answer.status_code, NOT_THERE.text in answer.text) == (422, True)

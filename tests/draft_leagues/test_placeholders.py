"""A placeholder stands in for a team that nobody runs; no rule about people knows it.

Authority: README and decision 88, "a member runs each league", and issue 47, A12.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from sqlalchemy import func, select, update
from sqlalchemy.exc import IntegrityError

from app.accounts import staff
from app.accounts.models import Member
from app.accounts.players import player_of
from app.accounts.services import find_member
from app.core.db import db
from app.core.refusals import Refusal
from app.draft_leagues.commissioner import services as commissioner
from app.draft_leagues.commissioner.act_notices import By
from app.draft_leagues.franchises.services import runs_league, teams
from app.fantasy.leagues import queries
from app.fantasy.leagues import services as leagues
from app.fantasy.notices.models import Notice
from app.fantasy.notices.services import NewNotice, notify
from app.fantasy.standings.models import League
from app.moderation import privacy, sanctions
from app.moderation.search import search
from app.talk.queries import find_members
from tests.worlds.draft_leagues import DRAFTED, FOUNDED, DraftWorld

BY = By(1, "They asked me to.")  # the founder


def stand_in(world: DraftWorld, *franchises: int) -> list[int]:
    """Open these franchises; their placeholders seem to have been in the league longest."""
    for number in franchises:
        opened = commissioner.open_franchise(
            world.league.id, number, BY, FOUNDED - timedelta(days=1)
        )
        assert opened == []
    return [
        team.member_id
        for team in teams(world.league.id)
        if team.number in franchises and team.member_id is not None
    ]


def ban(member_id: int) -> None:
    player = player_of(db.session.get_one(Member, member_id)).id
    done = sanctions.impose(
        player, sanctions.Measure("ban"), by=None, reason="cheating", now=DRAFTED
    )
    assert not isinstance(done, Refusal)


def lift(member_id: int) -> None:
    player = player_of(db.session.get_one(Member, member_id)).id
    done = sanctions.lift(player, by=None, reason="a mistake", now=DRAFTED)
    assert not isinstance(done, Refusal)


def test_a_league_falls_to_a_member_and_never_to_a_placeholder(drafted: DraftWorld) -> None:
    ann, _, _, dan = drafted.members
    stand_in(drafted, 2, 3)
    ban(ann)
    assert runs_league(drafted.league.id, dan)


@pytest.mark.parametrize("is_erased", [True, False])
def test_members_are_told_who_runs_the_league_of_a_commissioner_who_is_gone(
    drafted: DraftWorld, *, is_erased: bool
) -> None:
    ann, bob, cat, dan = drafted.members
    if is_erased:
        assert not isinstance(privacy.erase(ann, by=ann, reason="asked", now=DRAFTED), Refusal)
    else:
        ban(ann)
    title = "The Row: Bob is now the commissioner"
    readers = db.session.scalars(select(Notice.member_id).where(Notice.title == title)).all()
    assert runs_league(drafted.league.id, bob)
    assert {*readers} - {ann} == {cat, dan}


def test_a_league_of_placeholders_waits_for_its_commissioner(drafted: DraftWorld) -> None:
    ann = drafted.members[0]
    stand_in(drafted, 2, 3, 4)
    ban(ann)
    lift(ann)
    assert runs_league(drafted.league.id, ann)


def test_nobody_hands_a_league_to_a_placeholder(drafted: DraftWorld) -> None:
    league = drafted.league
    [nobody] = stand_in(drafted, 2)
    assert leagues.hand_over(league.id, nobody, DRAFTED) == leagues.NO_MEMBER
    assert commissioner.set_co_commissioners(league.id, [nobody], BY, DRAFTED) == [
        commissioner.NO_MEMBER
    ]
    db.session.execute(update(League).where(League.id == league.id).values(commissioner_id=nobody))
    with pytest.raises(IntegrityError, match="one of them must run it"):
        db.session.commit()
    db.session.rollback()


def test_a_placeholder_is_counted_listed_found_and_notified_nowhere(drafted: DraftWorld) -> None:
    league, ann = drafted.league, drafted.members[0]
    [nobody] = stand_in(drafted, 2)
    account = db.session.get_one(Member, nobody)
    assert queries.about(league).members == 3
    [card] = [card for card in queries.cards(ann) if card.id == league.id]
    assert (card.members, card.teams) == (3, 4)  # the table ranks the team too
    assert [row.member_id for row in queries.members_page(league, ann, None).rows] == [
        each for each in drafted.members if each != drafted.members[1]
    ]
    assert "Bob FC" not in dict(queries.first_members(league.id))
    assert find_members(league.id, account.display_name) == []
    assert find_member(account.username) is None
    assert staff.search(account.username, "", 1, 10) == ([], 0)
    assert search(account.username, 10).accounts == []
    notice = NewNotice(nobody, "league", "key", "Title", "Body", "/")
    assert notify([notice], DRAFTED) == 0
    assert db.session.scalar(select(func.count()).where(Notice.member_id == nobody)) == 0


def test_a_placeholder_has_no_profile_and_cannot_be_reported(
    drafted: DraftWorld, sign_in: Callable[..., FlaskClient]
) -> None:
    [nobody] = stand_in(drafted, 2)
    ann = sign_in(username="ann")
    for path in (f"/gamers/{nobody}", f"/report/gamer/{nobody}", f"/api/v1/gamers/{nobody}"):
        answer = ann.get(path)
        assert (answer.status_code, "Bob" in answer.text) == (404, False), path
    moderator = sign_in("moderator", username="meg")
    answer = moderator.get(f"/moderation/members/{nobody}")
    assert (answer.status_code, "Page not found" in answer.text) == (404, True)

"""A team that loses its owner while its league drafts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select

from app.accounts.models import Member
from app.accounts.players import player_of
from app.core.db import db
from app.draft_leagues.drafts import queries, services
from app.draft_leagues.drafts.page import board_of
from app.draft_leagues.drafts.services import Done, Submission
from app.fantasy.leagues import services as leagues
from app.fantasy.notices.models import Notice
from app.moderation import privacy, sanctions
from tests.draft_leagues.drafts.plans import START, seconds
from tests.draft_leagues.drafts.test_notices import AUTOPILOT, Evening

SignIn = Callable[..., FlaskClient]


@pytest.fixture
def drafting(app: Flask, member: Callable[..., Member]) -> Evening:
    """Bob, Ann and Cat draft in that order: Bob is on the clock."""
    evening = Evening(member)
    services.advance_due(START)
    return evening


def ban(drafting: Evening) -> None:
    player = player_of(db.session.get_one(Member, drafting.ids["bob"])).id
    measure = sanctions.Measure(sanctions.BAN, None)
    sanctions.impose(player, measure, by=None, reason="cheating", now=START + seconds(5))


LOSSES: dict[str, Callable[[Evening], object]] = {
    "left": lambda d: leagues.leave(d.ids["bob"], d.league.id, START + seconds(5)),
    "removed": lambda d: leagues.remove(d.league.id, d.ids["bob"], START + seconds(5)),
    "banned": ban,
    "erased": lambda d: privacy.erase(
        d.ids["bob"], by=d.ids["bob"], reason="asked", now=START + seconds(5)
    ),
}


def picks(drafting: Evening) -> dict[int, str]:
    db.session.rollback()
    draft = queries.load_snapshot(drafting.row.id).draft
    return {number: pick.by for number, pick in draft.picks.items()}


@pytest.mark.parametrize("loss", LOSSES)
def test_its_picks_are_automatic_at_once(drafting: Evening, loss: str) -> None:
    LOSSES[loss](drafting)
    [bobs] = [
        c for c in board_of(queries.load_snapshot(drafting.row.id)).columns if c.franchise == 2
    ]
    assert bobs.is_automatic
    services.advance_due(START + seconds(8))  # long before its clock of 60 seconds runs out
    assert picks(drafting) == {1: "automatic"}
    assert AUTOPILOT not in drafting.titles("bob")


def test_its_next_owner_picks_for_themselves(
    drafting: Evening, member: Callable[..., Member]
) -> None:
    """Also if the last one was on autopilot of their own."""
    submission = Submission(START + seconds(1))
    services.set_autopilot(drafting.room("bob"), 2, is_on=True, submission=submission)
    LOSSES["left"](drafting)
    drafting.ids["dan"] = member("dan").id
    at = START + seconds(5.5)
    assert leagues.join(drafting.ids["dan"], drafting.league.id, "Dan FC", at) is None
    assert 2 not in queries.load_snapshot(drafting.row.id).draft.autopilots
    assert AUTOPILOT not in drafting.titles("dan")


def test_an_owner_whose_ban_is_lifted_picks_for_themselves_again(drafting: Evening) -> None:
    ban(drafting)
    player = player_of(db.session.get_one(Member, drafting.ids["bob"])).id
    sanctions.lift(player, by=None, reason="a mistake", now=START + seconds(5.5))
    assert isinstance(
        services.pick(drafting.room("bob"), "RB1", Submission(START + seconds(7))), Done
    )
    assert picks(drafting) == {1: "member"}


def test_a_commissioner_may_pick_for_it_by_hand(drafting: Evening) -> None:
    LOSSES["left"](drafting)
    submission = Submission(START + seconds(5.5))
    services.set_autopilot(drafting.room("ann"), 2, is_on=False, submission=submission)
    services.advance_due(START + seconds(20))
    assert picks(drafting) == {}, "autopilot stays off"


def test_the_commissioner_hears_that_a_manager_left(drafting: Evening) -> None:
    LOSSES["left"](drafting)
    notice = db.session.scalars(
        select(Notice).where(Notice.member_id == drafting.ids["ann"], Notice.key.contains(":left:"))
    ).one()
    assert "Bob FC" in notice.title
    assert "The Yard" in notice.title
    assert "needs an owner" in notice.body


def test_the_open_room_of_somebody_removed_says_what_happened(
    drafting: Evening, sign_in: SignIn
) -> None:
    """The room reloads when its updates answer 404 (static/js/draft/stream.js)."""
    LOSSES["removed"](drafting)
    bob, room = sign_in(username="bob"), f"/drafts/{drafting.row.id}"
    assert bob.get(f"{room}/updates?version=1").status_code == 404
    answer = bob.get(room)
    assert answer.status_code == 404
    assert "lost your team, a notification says why" in answer.text
    assert 'href="/notices"' in answer.text
    assert answer.text.replace(room, "") == bob.get("/drafts/999999").text.replace(
        "/drafts/999999", ""
    ), "whoever was never there learns nothing"

"""Polls of a league that change nothing.

How little they read, and that each asks anew who may see it.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from sqlalchemy import delete, update

from app.accounts.models import Member, MemberSession
from app.accounts.players import player_of
from app.core import clock
from app.core.db import db
from app.fantasy.standings.models import League, LeagueMember
from app.moderation import sanctions
from tests.fantasy.test_league_page import TABLE, poll
from tests.polling import forget_parts
from tests.statements import count_statements
from tests.worlds.games import DRIVE, ingest_and_refresh, messages

NOW_PAGE = f"{TABLE}/swings"
BELL = "/notices/bell"
MEMBER_AND_LEAGUE = MEMBER_AND_THEIRS = 2  # statements


@pytest.fixture
def ann(league: League, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    ingest_and_refresh(messages(DRIVE))
    return sign_in(username="ann")


def tag(client: FlaskClient, url: str) -> str:
    etag = poll(client, url).headers["ETag"]
    assert poll(client, url, etag).status_code == 304
    return etag


@pytest.mark.parametrize(
    ("url", "statements"),
    [
        (TABLE, 0),
        (f"{TABLE}?table=week", 0),
        (NOW_PAGE, MEMBER_AND_LEAGUE),
        (BELL, MEMBER_AND_THEIRS),
    ],
)
def test_a_poll_for_what_another_member_has_read_asks_only_for_what_is_their_own(
    ann: FlaskClient, url: str, statements: int, sign_in: Callable[..., FlaskClient]
) -> None:
    bob = sign_in(username="bob")
    etag = poll(ann, url).headers["ETag"]
    forget_parts(ann)
    assert poll(bob, url).status_code == 200
    with count_statements() as counted:
        assert poll(ann, url, etag).status_code == 304
    assert counted() == statements


def test_a_game_that_is_not_remembered_is_rendered_once(ann: FlaskClient) -> None:
    etag = poll(ann, "/games/g1").headers["ETag"]
    forget_parts(ann)
    with count_statements() as counted:
        assert poll(ann, "/games/g1", etag).status_code == 304
    assert counted() == 6, "who it is, and the game with all that its page shows"


def banned() -> None:
    ann = db.session.scalars(db.select(Member).where(Member.username == "ann")).one()
    sanction = sanctions.impose(
        player_of(ann).id,
        sanctions.Measure("ban"),
        by=None,
        reason="Two accounts.",
        now=clock.now(),
    )
    assert isinstance(sanction, sanctions.Sanction), sanction


def signed_out_elsewhere() -> None:
    db.session.execute(update(MemberSession).values(ended_at=clock.now()))


def taken_out_of_the_league() -> None:
    ann = db.session.scalars(db.select(Member.id).where(Member.username == "ann")).one()
    db.session.execute(delete(LeagueMember).where(LeagueMember.member_id == ann))


@pytest.mark.parametrize("url", [TABLE, NOW_PAGE])
@pytest.mark.parametrize(
    ("revoke", "status"),
    [(banned, 401), (signed_out_elsewhere, 401), (taken_out_of_the_league, 404)],
)
def test_who_may_no_longer_see_it_is_told_so_by_the_next_poll(
    ann: FlaskClient, url: str, revoke: Callable[[], None], status: int
) -> None:
    etag = tag(ann, url)
    revoke()
    db.session.commit()
    assert poll(ann, url, etag).status_code == status


def test_a_public_league_that_is_closed_is_closed_to_the_next_poll(
    ann: FlaskClient, league: League, sign_in: Callable[..., FlaskClient]
) -> None:
    league.is_public = True
    db.session.commit()
    outsider = sign_in(username="out")
    etag = tag(outsider, TABLE)
    assert poll(outsider, NOW_PAGE, tag(ann, NOW_PAGE)).status_code == 404, (
        "what happens in it is its members'"
    )
    league.is_public = False
    db.session.commit()
    assert poll(outsider, TABLE, etag).status_code == 404
    assert poll(ann, TABLE, etag).status_code == 304


def test_a_tag_of_another_league_or_gameweek_says_nothing(ann: FlaskClient) -> None:
    etag = tag(ann, TABLE)
    for other in ('"f1-0-0"', '"f"', etag.replace("f", "p"), "*"):
        answer = poll(ann, TABLE, other)
        assert answer.status_code == (304 if other == "*" else 200), other

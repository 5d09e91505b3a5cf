"""Unchanged polls answered from memory (decision 113).

What they cost, what ends them, and on which tables they rest.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text

from app.accounts import member_sessions
from app.accounts.models import Member, MemberSession
from app.accounts.players import player_of
from app.core import clock
from app.core.db import db
from app.fantasy.leagues import services as leagues
from app.fantasy.market.models import Gameweek
from app.fantasy.notices import services as notices
from app.fantasy.notices.services import NewNotice
from app.fantasy.standings.models import League
from app.moderation import sanctions
from tests.fantasy.test_league_page import TABLE
from tests.polling import is_fast, poll, remembered
from tests.tiers import repeated
from tests.worlds.games import DRIVE, ingest_and_refresh, messages

SWINGS, GAME, BELL = f"{TABLE}/swings", "/games/g1", "/notices/bell"
TEAM, MATCHUP = f"{TABLE}/teams/1", f"{TABLE}/matchups/1/1"
POLLS = [TABLE, f"{TABLE}?table=week", TEAM, MATCHUP, SWINGS, GAME, BELL]


@pytest.fixture
def ann(league: League, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    ingest_and_refresh(messages(DRIVE))
    return sign_in(username="ann")


def ann_id() -> int:
    return db.session.scalars(db.select(Member.id).where(Member.username == "ann")).one()


@pytest.mark.parametrize("url", POLLS)
def test_an_unchanged_poll_costs_no_sql_and_one_round_trip(ann: FlaskClient, url: str) -> None:
    tag = remembered(ann, url)
    assert is_fast(ann, url, tag)


@pytest.mark.parametrize("url", POLLS)
def test_its_headers_are_those_of_the_usual_way(app: Flask, ann: FlaskClient, url: str) -> None:
    tag = poll(ann, url).headers["ETag"]
    usual, fast = poll(ann, url, tag), poll(ann, url, tag)
    assert sorted(fast.headers) == sorted(usual.headers)
    assert fast.headers["ETag"] == tag
    assert "no-store" in fast.headers["Cache-Control"]


@pytest.mark.parametrize("url", [TABLE, SWINGS, GAME])
def test_a_poll_of_before_a_restore_is_answered_whole(
    app: Flask, ann: FlaskClient, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    """RFC 9110, section 8.8.3: an ETag stands for one content.

    A restored database gives its versions out again.
    """
    before = poll(ann, url).headers["ETag"]
    assert remembered(ann, url) == before
    monkeypatch.setitem(app.extensions, "timeline", 7)
    after = poll(ann, url, before)
    assert after.status_code == 200
    assert after.headers["ETag"] == before.replace('"f', '"f7.')
    assert remembered(ann, url) == after.headers["ETag"]


def test_a_visitor_without_a_session_polls_a_game_from_memory(ann: FlaskClient, app: Flask) -> None:
    visitor = app.test_client()
    tag = remembered(visitor, GAME)
    assert "no-store" not in poll(visitor, GAME, tag).headers["Cache-Control"]


def test_a_memory_answers_one_browser_one_address_and_one_tag(
    ann: FlaskClient, app: Flask, sign_in: Callable[..., FlaskClient]
) -> None:
    tag = remembered(ann, TABLE)
    assert poll(sign_in(username="zed"), TABLE, tag).status_code == 404
    assert poll(app.test_client(), TABLE, tag).status_code == 401
    assert not is_fast(ann, SWINGS, tag)
    assert poll(ann, TABLE, '"f1-0-0"').status_code == 200
    assert ann.get(TABLE, headers={"If-None-Match": tag}).status_code == 200, "no fragment asks"
    assert ann.post(TABLE, headers={"HX-Request": "true", "If-None-Match": tag}).status_code == 405


def test_a_fragment_that_says_nothing_of_what_it_rests_on_is_not_remembered(
    ann: FlaskClient,
) -> None:
    filtered = f"{GAME}/plays?quarter=1"
    tag = poll(ann, filtered).headers["ETag"]
    assert poll(ann, filtered, tag).status_code == 304
    assert not is_fast(ann, filtered, tag)


def banned() -> None:
    player = player_of(db.session.get_one(Member, ann_id()))
    sanction = sanctions.impose(
        player.id, sanctions.Measure("ban"), by=None, reason="Two accounts.", now=clock.now()
    )
    assert isinstance(sanction, sanctions.Sanction), sanction


def suspended() -> None:
    until = clock.now() + timedelta(days=1)
    player = player_of(db.session.get_one(Member, ann_id()))
    sanction = sanctions.impose(
        player.id,
        sanctions.Measure("suspension", until),
        by=None,
        reason="Insults.",
        now=clock.now(),
    )
    assert isinstance(sanction, sanctions.Sanction), sanction


def signed_out_elsewhere() -> None:
    assert member_sessions.end(db.session.scalars(db.select(MemberSession.id)).one(), clock.now())


def signed_out_everywhere() -> None:
    member_sessions.end_all(ann_id(), clock.now())
    db.session.commit()


def signed_out_by_hand() -> None:
    with db.engine.begin() as connection:
        connection.execute(text("DELETE FROM member_sessions"))


GONE = [banned, suspended, signed_out_elsewhere, signed_out_everywhere, signed_out_by_hand]


@pytest.mark.parametrize("url", [TABLE, *repeated("another page", SWINGS, BELL)])
@pytest.mark.parametrize("revoke", GONE)
def test_who_is_kept_out_is_told_so_by_the_next_poll(
    ann: FlaskClient, url: str, revoke: Callable[[], None]
) -> None:
    tag = remembered(ann, url)
    revoke()
    assert poll(ann, url, tag).status_code == 401


def league_id() -> int:
    return db.session.scalars(db.select(League.id).where(League.slug == "row")).one()


def removed_by_the_commissioner() -> None:
    assert leagues.remove(league_id(), ann_id(), clock.now()) is None


def left() -> None:
    assert leagues.leave(ann_id(), league_id(), clock.now()) is None


def taken_out_by_hand() -> None:
    db.session.execute(text("DELETE FROM league_members WHERE member_id = :ann"), {"ann": ann_id()})
    db.session.commit()


@pytest.mark.parametrize("url", [TABLE, MATCHUP, *repeated("another page", SWINGS, TEAM)])
@pytest.mark.parametrize("revoke", [removed_by_the_commissioner, left, taken_out_by_hand])
def test_who_is_out_of_the_league_is_told_so_by_the_next_poll(
    ann: FlaskClient, commissioner: Member, url: str, revoke: Callable[[], None]
) -> None:
    tag = remembered(ann, url)
    revoke()
    assert poll(ann, url, tag).status_code == 404


def test_a_public_league_that_closes_is_closed_to_the_next_poll(
    ann: FlaskClient, sign_in: Callable[..., FlaskClient]
) -> None:
    leagues.set_public(league_id(), is_public=True)
    outsider = sign_in(username="out")
    tag = remembered(outsider, TABLE)
    leagues.set_public(league_id(), is_public=False)
    assert poll(outsider, TABLE, tag).status_code == 404


def test_a_play_is_on_the_next_poll(league: League, sign_in: Callable[..., FlaskClient]) -> None:
    ingest_and_refresh(messages(DRIVE[:-1]))
    ann = sign_in(username="ann")
    tags = {url: remembered(ann, url) for url in (TABLE, TEAM, MATCHUP, SWINGS, GAME)}
    ingest_and_refresh(messages(DRIVE)[len(DRIVE) - 1 :])
    assert {url: poll(ann, url, tag).status_code for url, tag in tags.items()} == dict.fromkeys(
        tags, 200
    )


def test_a_notice_is_in_the_bell_at_the_next_poll_and_so_is_that_it_was_read(
    ann: FlaskClient,
) -> None:
    tag = remembered(ann, BELL)
    notices.notify(
        [NewNotice(ann_id(), "mention", "mention:1", "A word", "Said.", "/leagues/row")],
        clock.now(),
    )
    db.session.commit()
    assert poll(ann, BELL, tag).status_code == 200
    unread = remembered(ann, BELL)
    assert ann.post("/notices/read", data={"up_to": "9999"}).status_code == 303
    assert poll(ann, BELL, unread).status_code == 200


def test_the_next_gameweek_begins_at_its_deadline(
    ann: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = db.session.scalars(db.select(Gameweek)).one()
    begins = clock.now() + timedelta(seconds=20)
    values = {
        name: getattr(first, name)
        for name in ("season_id", "competition", "season", "season_type", "name")
    }
    db.session.add(Gameweek(**values, week=2, deadline=begins))
    db.session.execute(
        text("UPDATE gameweeks SET deadline = :at WHERE week = 1"),
        {"at": begins - timedelta(days=7)},
    )
    db.session.commit()
    tag = remembered(ann, TABLE)
    monkeypatch.setattr(clock, "now", lambda: begins)
    assert poll(ann, TABLE, tag).status_code == 200


def test_a_session_ends_at_its_time(ann: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    tag, later = remembered(ann, BELL), clock.now() + timedelta(days=400)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert poll(ann, BELL, tag).status_code == 401

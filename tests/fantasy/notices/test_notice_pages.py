"""The page, the bell and the feed, as a browser and a feed reader ask for them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from html import unescape
from xml.etree import ElementTree

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.notices import services as notices
from app.fantasy.notices.services import NewNotice, notify
from app.fantasy.notices.words import Corrected, Moved, Words, correction
from app.record import events as ev
from app.record.words import named_sentence
from tests.statements import count_statements

NOW = datetime(2026, 9, 15, 4, tzinfo=UTC)
ATOM = "{http://www.w3.org/2005/Atom}"
POLL = {"HX-Request": "true"}
TOUCHDOWN = ev.Pass(
    team="SUM",
    passer="H1",
    receiver="H2",
    result="complete",
    throw_yard=90,
    reception_yard=95,
    is_touchdown=True,
)


@pytest.fixture
def ann(member: Callable[..., Member]) -> Member:
    return member("ann")


@pytest.fixture
def as_ann(ann: Member, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    return sign_in(username="ann")


def give_notices(
    member: Member, count: int = 1, delta: int | None = None, at: datetime = NOW
) -> None:
    for number in range(count):
        words = Words(
            f"Corrected <{number}>", "6.00 fewer. Why: The catch & run was overturned.", delta
        )
        row = NewNotice.of(
            member.id, "mention", f"mention:{number}", words, f"/leagues/row?n={number}"
        )
        notify([row], at + timedelta(minutes=number))
    db.session.commit()


def feed_address(client: FlaskClient) -> str:
    text = client.get("/notices").text
    return text.split('id="feed-address"')[1].split('value="')[1].split('"')[0]


def test_the_page_shows_notices_with_their_difference_newest_first(
    as_ann: FlaskClient, ann: Member
) -> None:
    give_notices(ann, 2, delta=-6000)
    text = as_ann.get("/notices").text
    assert text.index("Corrected &lt;1&gt;") < text.index("Corrected &lt;0&gt;")
    assert "-6.00" in text
    assert "The catch &amp; run was overturned." in text
    assert text.count("is-unread") == 2


def test_a_notice_shows_names_as_they_are(as_ann: FlaskClient, ann: Member) -> None:
    why = named_sentence(TOUCHDOWN, {"H1": "Ann <Arm>", "H2": "Ann"})
    words = correction("Week 1", Corrected("Row of Ann", Moved(6000, 0), [why]))
    notify([NewNotice.of(ann.id, "correction", "correction:1:1:g:1", words, "/leagues/row")], NOW)
    db.session.commit()
    assert str(why) in unescape(as_ann.get("/notices").text)


def test_notices_stand_under_their_day(as_ann: FlaskClient, ann: Member) -> None:
    for day in (0, 0, 1):
        give_notices(ann, 1 + day, at=NOW + timedelta(days=day))
    text = as_ann.get("/notices").text
    assert re.findall(r'data-style="day">([^<]+)<', text) == ["Wed 16 Sep", "Tue 15 Sep"]


def test_a_member_without_notices_reads_what_will_be_there(as_ann: FlaskClient) -> None:
    assert "No notifications yet" in as_ann.get("/notices").text


def test_opening_a_notice_marks_it_alone_and_shows_its_page(
    as_ann: FlaskClient, ann: Member
) -> None:
    give_notices(ann, 2)
    newest = notices.newest(ann.id)[0]
    answer = as_ann.post(f"/notices/{newest.id}/open")
    assert (answer.status_code, answer.location) == (303, "/leagues/row?n=1")
    assert [row.is_read for row in notices.newest(ann.id)] == [True, False]


def test_marking_all_leaves_what_came_in_after_the_page_was_drawn(
    as_ann: FlaskClient, ann: Member
) -> None:
    give_notices(ann, 1)
    up_to = notices.overview(ann.id).latest
    give_notices(ann, 2)
    assert as_ann.post("/notices/read", data={"up_to": up_to}).status_code == 303
    assert [row.is_read for row in notices.newest(ann.id)] == [False, True]
    assert as_ann.post("/notices/read", data={"up_to": "much"}).status_code == 400
    assert notices.overview(ann.id).unread == 1


def test_nobody_opens_anothers_notice(
    as_ann: FlaskClient, sign_in: Callable[..., FlaskClient], member: Callable[..., Member]
) -> None:
    bob = member("bob")
    give_notices(bob)
    (row,) = notices.newest(bob.id)
    assert as_ann.post(f"/notices/{row.id}/open").status_code == 404
    assert notices.overview(bob.id).unread == 1


def test_notices_are_paged_and_a_page_beyond_the_last_is_the_last(
    as_ann: FlaskClient, ann: Member
) -> None:
    give_notices(ann, notices.PAGE_ROWS + 1)
    assert "Page 1 of 2" in as_ann.get("/notices").text
    last = as_ann.get("/notices?page=9").text
    assert "Page 2 of 2" in last
    assert "Corrected &lt;0&gt;" in last
    assert "Corrected &lt;1&gt;" not in last


def test_more_notices_cost_no_more_statements(as_ann: FlaskClient, ann: Member) -> None:
    give_notices(ann, 1)
    with count_statements() as single:
        as_ann.get("/notices")
    give_notices(ann, 12)
    with count_statements() as many:
        as_ann.get("/notices")
    assert many() == single() == 5  # who, the overview, the rows, the calendar, the bell


def test_the_bell_counts_and_its_poll_is_answered_with_304_until_the_number_changes(
    as_ann: FlaskClient, ann: Member
) -> None:
    give_notices(ann, 1)
    page = as_ann.get("/leagues").text
    assert "Notifications, 1 unread" in page
    first = as_ann.get("/notices/bell", headers=POLL)
    assert first.headers["ETag"] == '"f1"'
    assert r"""hx-headers='{"If-None-Match": "\"f1\""}'""" in page
    again = {**POLL, "If-None-Match": '"f1"'}
    assert as_ann.get("/notices/bell", headers=again).status_code == 304
    give_notices(ann, 2)
    changed = as_ann.get("/notices/bell", headers=again)
    assert (changed.status_code, "Notifications, 2 unread" in changed.text) == (200, True)
    assert "<html" not in changed.text
    assert as_ann.get("/notices/bell").location == "/notices"


def test_a_stranger_sees_no_bell_and_is_asked_to_sign_in(client: FlaskClient) -> None:
    assert 'id="bell"' not in client.get("/games").text
    assert "/sign-in" in (client.get("/notices").location or "")


def test_the_feed_has_every_notice_as_an_entry_without_a_session(
    app: Flask, as_ann: FlaskClient, ann: Member
) -> None:
    give_notices(ann, 2)
    answer = app.test_client().get(feed_address(as_ann))
    assert answer.mimetype == "application/atom+xml"
    feed = ElementTree.fromstring(answer.data)  # noqa: S314  (our own)
    entries = feed.findall(f"{ATOM}entry")
    assert [entry.findtext(f"{ATOM}title") for entry in entries] == [
        "Corrected <1>",
        "Corrected <0>",
    ]
    assert len({entry.findtext(f"{ATOM}id") for entry in entries}) == 2
    link = entries[0].find(f"{ATOM}link")
    assert link is not None
    assert link.get("href") == "http://localhost/leagues/row?n=1"
    assert (
        feed.findtext(f"{ATOM}updated")
        == entries[0].findtext(f"{ATOM}updated")
        == "2026-09-15T04:01:00+00:00"
    )
    assert entries[0].findtext(f"{ATOM}content", "").endswith("The catch & run was overturned.")


def test_an_unchanged_feed_is_304_and_an_empty_one_is_valid(
    app: Flask, as_ann: FlaskClient, ann: Member
) -> None:
    address, reader = feed_address(as_ann), app.test_client()
    empty = reader.get(address)
    assert ElementTree.fromstring(empty.data).findall(f"{ATOM}entry") == []  # noqa: S314
    etag = {"If-None-Match": empty.headers["ETag"]}
    assert reader.get(address, headers=etag).status_code == 304
    give_notices(ann)
    assert reader.get(address, headers=etag).status_code == 200


def test_a_new_address_ends_the_old_one_and_no_other_members(
    app: Flask, as_ann: FlaskClient, sign_in: Callable[..., FlaskClient]
) -> None:
    other_feed = feed_address(sign_in(username="bob"))
    old, reader = feed_address(as_ann), app.test_client()
    assert as_ann.post("/notices/feed").status_code == 303
    assert (reader.get(old).status_code, reader.get(feed_address(as_ann)).status_code) == (404, 200)
    assert reader.get(other_feed).status_code == 200


def test_a_forged_address_is_not_found(app: Flask, as_ann: FlaskClient) -> None:
    address = feed_address(as_ann)
    for forged in (address.replace(".atom", "x.atom"), "/notices/WzEsMV0.atom", "/notices/.atom"):
        assert app.test_client().get(forged).status_code == 404, forged

"""What just happened in a league, as its members see it.

At once, for them alone, and for every play on a page.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from html import unescape

import pytest
from flask.testing import FlaskClient
from sqlalchemy import text

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.standings.models import League
from app.record import events as ev
from tests.fantasy.test_balance import PENDING, UPHELD
from tests.fantasy.test_league_page import poll
from tests.worlds.games import (
    DRIVE,
    ingest,
    ingest_and_refresh,
    make_game,
    messages,
    timed_messages,
)
from tests.worlds.leagues import make_league, make_sheet

NOW_PAGE = "/leagues/row/swings"


@pytest.fixture
def ann(league: League, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    return sign_in(username="ann")


def rows(page: str) -> list[str]:
    """The teams of the first table of swings, as read."""
    match = re.search(r'<table class="swing-table".*?</table>', page, re.DOTALL)
    assert match is not None
    lines = re.findall(r"<tr[^>]*>(.*?)</tr>", match[0], re.DOTALL)[1:]
    return [" ".join(unescape(re.sub(r"<[^>]+>", " ", line)).split()) for line in lines]


def test_the_play_is_in_the_fragment_as_soon_as_it_is_ingested(
    ann: FlaskClient, measured: Callable[[str], None]
) -> None:
    """Also before the tables' own refresh has run, which may be coalesced."""
    ingest_and_refresh(timed_messages(DRIVE[:6]))
    answer = poll(ann, NOW_PAGE)
    assert poll(ann, NOW_PAGE, answer.headers["ETag"]).status_code == 304
    begun = time.perf_counter()
    ingest(timed_messages(DRIVE)[6:])
    after = poll(ann, NOW_PAGE, answer.headers["ETag"])
    took = time.perf_counter() - begun
    assert after.status_code == 200
    assert "Player1 to Player2 for 65 yards. Touchdown!" in after.text
    assert rows(after.text) == ["Team ann +13.20 14.20 1", "Team bob +12.50 12.50 2"]
    assert "every 1s" in after.text
    measured(f"a play's swing: {took * 1000:.0f} ms from the message to the fragment")


def test_it_stands_beside_the_table_of_the_league_and_not_in_a_table_as_of_then(
    ann: FlaskClient,
) -> None:
    assert 'id="now"' in ann.get("/leagues/row").text  # nothing yet, but it asks
    ingest_and_refresh(timed_messages(DRIVE))
    page = ann.get("/leagues/row").text
    assert rows(page)[0] == "Team ann +13.20 14.20 1"
    assert "Share this play" in page
    assert 'id="now"' not in ann.get("/leagues/row?at=5&game=g1").text
    assert 'id="now"' not in poll(ann, "/leagues/row").text


def test_who_overtook_whom_is_said(
    member: Callable[..., Member], sign_in: Callable[..., FlaskClient]
) -> None:
    make_game()
    ann, bob = member("ann"), member("bob")
    league = make_league(ann.id, {ann.id: "Team ann", bob.id: "Team bob"})
    make_sheet(ann.id, league, ["H3"])
    make_sheet(bob.id, league, ["H2"])
    db.session.commit()
    ingest_and_refresh(timed_messages(DRIVE))
    page = sign_in(username="ann").get(NOW_PAGE).text
    overtaken, ahead = (
        "Team ann 0.00 1.00 1 → ▼ down from 1 to 2",
        "Team bob +12.50 12.50 2 → ▲ up from 2 to 1",
    )
    assert rows(page) == [overtaken, ahead]
    assert rows(sign_in(username="bob").get(NOW_PAGE).text) == [ahead]
    last = sign_in(username="ann").get("/leagues/row/swings/g1/2").text
    assert rows(last) == ["Team ann +1.00 1.00 1"]


def test_a_corrected_play_shows_both_swings_and_what_is_left(ann: FlaskClient) -> None:
    ingest_and_refresh(timed_messages(DRIVE))
    assert "After the correction" not in ann.get("/leagues/row/swings/g1/3").text
    run = ev.Run(team="HRB", player="H2", kind="after_catch", start_yard=60, end_yard=99)
    ingest_and_refresh(
        timed_messages([*DRIVE, ev.Overturn(event=9, ruling=run, reason="short of the goal line")])[
            -1:
        ]
    )
    page = unescape(ann.get("/leagues/row/swings/g1/3").text)
    assert [
        page.index(words) for words in ("Original call", "Correction", "After the correction")
    ] == sorted(
        page.index(words) for words in ("Original call", "Correction", "After the correction")
    )
    for words in ("+13.20", "-8.08", "+5.12", "(short of the goal line)"):  # Ann's captain threw it
        assert words in page, words
    assert "Correction" in ann.get(NOW_PAGE).text
    _, _, listed = ann.get("/leagues/row/swings/g1").text.partition("<main")
    assert listed.count("<li>") == 3 + listed.count("<li><a")


def test_a_play_that_moved_nobody_has_no_page_nor_has_one_of_elsewhere(ann: FlaskClient) -> None:
    ingest_and_refresh(timed_messages(DRIVE))
    make_game("g9", week=9)
    for path in ("g1/4", "g1/99", "g9/1", "none/1", "g9", "none"):
        assert ann.get(f"/leagues/row/swings/{path}").status_code == 404, path


@pytest.mark.parametrize("path", ["", "/g1", "/g1/3"])
def test_swings_are_for_members_of_the_league_alone(
    path: str, ann: FlaskClient, sign_in: Callable[..., FlaskClient]
) -> None:
    ingest_and_refresh(timed_messages(DRIVE))
    stranger = sign_in(username="out")
    assert stranger.get(f"{NOW_PAGE}{path}").status_code == 404
    db.session.execute(text("UPDATE leagues SET is_public = true"))
    db.session.commit()
    assert stranger.get(f"{NOW_PAGE}{path}").status_code == 404
    assert 'id="now"' not in stranger.get("/leagues/row").text


def test_both_tables_stand_there_while_a_call_is_under_review_and_go_with_it(
    ann: FlaskClient,
) -> None:
    ingest_and_refresh(messages(DRIVE[:9]))
    assert 'id="balance"' not in ann.get("/leagues/row").text
    ingest_and_refresh(messages([PENDING], first=10, play=3))
    page = unescape(ann.get("/leagues/row").text)
    assert "Challenge by SUM: under review (complete?)." in page
    stands, overturned = (
        [
            " ".join(re.sub(r"<[^>]+>", " ", row).split())
            for row in re.findall(r"<tr[^>]*>(.*?)</tr>", table, re.DOTALL)
        ]
        for table in re.findall(
            r'<table class="swing-table" id="balance-.*?</table>', page, re.DOTALL
        )
    )
    assert stands[1:] == [
        "1 Team ann 14.20",
        "2 Team bob 12.50",
        "3 ▼ worse with this ruling Team cat 0.00",
    ]
    assert overturned[1:] == [
        "1 Team ann 1.00",
        "2 Team bob 0.00",
        "2 ▲ better with this ruling Team cat 0.00",
    ]
    answer = poll(ann, NOW_PAGE)
    ingest_and_refresh(messages([UPHELD], first=11, play=3))
    after = poll(ann, NOW_PAGE, answer.headers["ETag"])
    assert after.status_code == 200
    assert 'id="balance"' not in after.text


def test_when_all_is_over_it_asks_no_more(ann: FlaskClient) -> None:
    ingest_and_refresh(timed_messages([*DRIVE, ev.GameEnded()]))
    last = poll(ann, NOW_PAGE)
    assert last.status_code == 286
    assert "hx-get" not in last.text
    assert "The game is over." not in last.text  # it moved nobody

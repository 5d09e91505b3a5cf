"""The calendar of deadlines and games: its secret address, and the format (RFC 5545)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient
from icalendar import Calendar

from app.core import clock
from app.core.db import db
from app.fantasy.notices import calendar_feed
from app.fantasy.notices.calendar_feed import revised_entries
from app.fantasy.pages.calendar.entries import Entry
from app.fantasy.pages.calendar.ical import calendar
from app.fantasy.standings.models import League
from app.record.models import Game

SignIn = Callable[..., FlaskClient]
NOW = datetime(2026, 9, 10, 12, tzinfo=UTC)
KICKOFF = datetime(2026, 9, 13, 17, 25, tzinfo=UTC)
GAME = Entry(
    "game-g1",
    KICKOFF,
    KICKOFF + timedelta(hours=3),
    "PHL at SEA: Ann; Bo, and " + "é" * 60,
    "Your players: Ann, Bo.",
    "/games/g1",
)
REVISED = {"game-g1": (2, NOW)}


def document() -> bytes:
    return calendar([GAME], REVISED, "https://pressbox.example", "pressbox.example")


def test_an_entry_comes_back_from_a_reader_of_calendars_as_it_went_in() -> None:
    (event,) = Calendar.from_ical(document()).walk("VEVENT")
    assert event["UID"] == "game-g1@pressbox.example"
    assert event["SEQUENCE"] == 2
    assert event["DTSTART"].dt == KICKOFF
    assert event["DTEND"].dt == KICKOFF + timedelta(hours=3)
    assert str(event["SUMMARY"]) == GAME.title
    assert str(event["DESCRIPTION"]).endswith("https://pressbox.example/games/g1")


def test_lines_are_short_end_with_crlf_and_times_are_in_utc() -> None:
    """RFC 5545, 3.1: at most 75 octets a line."""
    raw = document()
    lines = raw.split(b"\r\n")
    assert max(map(len, lines)) <= 75
    assert b"\n" not in raw.replace(b"\r\n", b"")
    assert b"DTSTART:20260913T172500Z" in lines


def test_the_sequence_rises_with_each_change_only() -> None:
    first = revised_entries({}, {"a": "17:00", "b": "x"}, NOW)
    second = revised_entries(first, {"a": "17:00"}, NOW + timedelta(days=1))
    third = revised_entries(second, {"a": "20:00"}, NOW + timedelta(days=2))
    assert [revised["a"][1] for revised in (first, second, third)] == [0, 0, 1]
    assert second["a"][2] == NOW.isoformat()


def test_an_entry_that_left_and_came_back_goes_on_counting() -> None:
    """A game that is postponed and put on again (RFC 5545, 3.8.7.4: never a lower number)."""
    first = revised_entries({}, {"a": "17:00"}, NOW)
    second = revised_entries(first, {}, NOW + timedelta(days=1))
    third = revised_entries(second, {}, NOW + timedelta(days=9))
    assert third == second, "noted once"
    assert revised_entries(third, {"a": "17:00"}, NOW + timedelta(days=10))["a"][1] == 1
    assert revised_entries(third, {}, NOW + timedelta(days=400)) == {}


@pytest.fixture
def address(league: League, sign_in: SignIn) -> str:
    """The address of Ann's calendar, which she has just made."""
    assert sign_in(username="ann").post("/notices/calendar").status_code == 303
    token = calendar_feed.token_of(1)
    assert token is not None
    return f"/notices/{token}.ics"


def test_a_member_makes_renews_and_withdraws_the_address(
    league: League, sign_in: SignIn, client: FlaskClient
) -> None:
    ann = sign_in(username="ann")
    assert "Get a calendar address" in ann.get("/notices").text
    addresses = []
    for _ in range(2):
        ann.post("/notices/calendar")
        addresses.append(f"/notices/{calendar_feed.token_of(1)}.ics")
    assert [client.get(path).status_code for path in addresses] == [404, 200]
    ann.post("/notices/calendar/withdraw")
    assert client.get(addresses[1]).status_code == 404
    assert "Get a calendar address" in ann.get("/notices").text
    assert client.get("/notices/x.ics").status_code == 404


def test_the_games_of_ones_players_are_listed_without_a_sign_in(
    address: str, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = db.session.get_one(Game, "g1")
    monkeypatch.setattr(clock, "now", lambda: game.kickoff - timedelta(days=1))
    answer = client.get(address)
    assert answer.content_type == "text/calendar; charset=utf-8"
    events = {str(event["UID"]).split("@")[0]: event for event in _events(answer.data)}
    assert "HRB" in str(events["game-g1"]["SUMMARY"])
    assert events["game-g1"]["DTSTART"].dt == game.kickoff
    assert events["game-g1"]["SEQUENCE"] == 0


def test_a_moved_kickoff_raises_the_sequence_and_keeps_the_uid(
    address: str, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = db.session.get_one(Game, "g1")
    before = game.kickoff
    monkeypatch.setattr(clock, "now", lambda: before - timedelta(days=1))
    client.get(address)
    db.session.get_one(Game, "g1").kickoff = before + timedelta(hours=2)
    db.session.commit()
    event = next(event for event in _events(client.get(address).data) if "game-g1" in event["UID"])
    assert (event["SEQUENCE"], event["DTSTART"].dt) == (1, before + timedelta(hours=2))
    unchanged = next(
        event for event in _events(client.get(address).data) if "game-g1" in event["UID"]
    )
    assert unchanged["SEQUENCE"] == 1


def _events(data: bytes) -> list[Any]:
    return list(Calendar.from_ical(data).walk("VEVENT"))

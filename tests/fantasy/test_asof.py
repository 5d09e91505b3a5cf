"""A league's table as of a moment: what the members had then, correct and not stored."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from sqlalchemy import text

from app.core.db import db
from app.fantasy.standings.models import League
from app.fantasy.standings.queries import Standing, standings
from app.record import events as ev
from tests.polling import forget_parts
from tests.statements import count_statements
from tests.worlds.games import (
    NULLIFIED_DRIVE,
    RECORDED_AT,
    ingest_and_refresh,
    make_game,
    timed_messages,
)


@pytest.fixture
def ann(league: League, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    return sign_in(username="ann")


def points(text: str) -> list[str]:
    """Rank order of the table: team and points."""
    rows = re.findall(r'<tr id="member-\d+".*?</tr>', text, re.DOTALL)
    return [
        f"{re.search(r'>(Team [a-z]+)<', row)[1]} "
        f"{re.search(r'points.><span[^>]*>(-?[0-9.]+)<', row)[1]}"
        for row in rows
    ]


def test_the_table_at_every_event_is_the_one_that_was_shown_then(
    ann: FlaskClient, league: League
) -> None:
    batch = timed_messages(NULLIFIED_DRIVE)
    tables: list[list[Standing]] = []
    for message in batch:
        ingest_and_refresh([message])
        tables.append(standings(league.id, 1))
    for number, then in enumerate(tables, start=1):
        expected = [
            f"{row.team_name} {row.points // 1000}.{row.points % 1000 // 10:02d}" for row in then
        ]
        assert points(ann.get(f"/leagues/row?game=g1&at={number}").text) == expected, number
    assert any(then != tables[-1] for then in tables), "the table never moved"


def test_a_correction_is_in_the_table_from_its_own_event_on(ann: FlaskClient) -> None:
    ingest_and_refresh(timed_messages(NULLIFIED_DRIVE))
    before, after = ann.get("/leagues/row?game=g1&at=11"), ann.get("/leagues/row?game=g1&at=12")
    assert points(before.text) == ["Team ann 14.20", "Team bob 12.50", "Team cat 0.00"]
    assert (
        points(after.text)
        == points(ann.get("/leagues/row").text)
        == ["Team ann 1.00", "Team bob 0.00", "Team cat 0.00"]
    )
    assert "As of Q1 14:20, SUM at HRB" in before.text
    assert "every 2s" not in before.text
    assert "Back to now" in before.text


def test_the_other_games_count_up_to_that_time(ann: FlaskClient) -> None:
    make_game("g2")
    run = [
        ev.Snap(possession="HRB", spot=25, period=1, clock=900, down=1, distance=10),
        ev.Run(team="HRB", player="H3", kind="rush", start_yard=25, end_yard=65),
    ]
    ingest_and_refresh(timed_messages(NULLIFIED_DRIVE))
    # H3 has 4 more points from second 7 on
    ingest_and_refresh(timed_messages(run, "g2", start=RECORDED_AT + 5_000))
    assert points(ann.get("/leagues/row?game=g1&at=6").text)[0] == "Team ann 1.00"
    assert points(ann.get("/leagues/row?game=g1&at=7").text)[0] == "Team ann 5.00"
    assert points(ann.get("/leagues/row?game=g2&at=1").text)[0] == "Team ann 1.00"


@pytest.mark.parametrize(
    "at", [str(RECORDED_AT + 11_500), "2026-09-10T00:26:51.5Z", "2026-09-10T02:26:51.500+02:00"]
)
def test_the_table_at_an_instant(ann: FlaskClient, at: str) -> None:
    ingest_and_refresh(timed_messages(NULLIFIED_DRIVE))
    response = ann.get("/leagues/row", query_string={"at": at})
    assert points(response.text)[0] == "Team ann 14.20"
    assert "As of Thu 10 Sep 2026, 00:26:51 UTC" in response.text


def test_before_the_first_event_everybody_has_nothing_and_all_are_to_come(ann: FlaskClient) -> None:
    ingest_and_refresh(timed_messages(NULLIFIED_DRIVE))
    response = ann.get("/leagues/row?game=g1&at=0")
    assert points(response.text) == ["Team ann 0.00", "Team bob 0.00", "Team cat 0.00"]
    assert "2 yet to play" in response.text


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ("at=5", "game: &#39;nothing&#39; is not a game of this week; choose"),
        ("game=zzz&at=Q1-3:00", "game: &#39;zzz&#39; is not a game of this week; choose"),
        ("game=g1&at=soon", "at: &#39;soon&#39; is not a valid moment. Enter"),
    ],
)
def test_a_moment_that_cannot_be_found_says_why(ann: FlaskClient, query: str, fault: str) -> None:
    ingest_and_refresh(timed_messages(NULLIFIED_DRIVE))
    response = ann.get(f"/leagues/row?{query}")
    assert response.status_code == 422
    assert fault in response.text
    assert points(response.text)[0] == "Team ann 1.00"


def test_looking_back_is_for_members_of_the_league_alone(
    ann: FlaskClient, sign_in: Callable[..., FlaskClient]
) -> None:
    ingest_and_refresh(timed_messages(NULLIFIED_DRIVE))
    assert sign_in(username="out").get("/leagues/row?game=g1&at=5").status_code == 404


def derived() -> list[object]:
    """A hash of the rows of every table that is derived from the record."""
    tables = ("sheet_points", "player_points", "league_versions", "stat_lines", "game_states")
    return [
        db.session.scalar(
            text(f"SELECT md5(string_agg(t::text, '' ORDER BY t::text)) FROM {table} t")
        )
        for table in tables
    ]


def test_looking_back_writes_nothing_and_asks_a_fixed_number_of_queries(ann: FlaskClient) -> None:
    ingest_and_refresh(timed_messages(NULLIFIED_DRIVE))
    tables = ("sheet_points", "player_points", "league_versions", "stat_lines", "game_states")
    before = [
        db.session.scalar(text(f"SELECT md5(string_agg(t::text, '' ORDER BY t::text)) FROM {t} t"))
        for t in tables
    ]
    forget_parts(ann)
    with count_statements() as statements:
        ann.get("/leagues/row?game=g1&at=3")
    forget_parts(ann)
    with count_statements() as many:
        ann.get("/leagues/row?game=g1&at=12")
    assert statements() == many()
    after = [
        db.session.scalar(text(f"SELECT md5(string_agg(t::text, '' ORDER BY t::text)) FROM {t} t"))
        for t in tables
    ]
    assert before == after

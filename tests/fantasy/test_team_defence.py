"""A D/ST on a team sheet.

Its points follow the record and its corrections, and open down to what made them.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.scoring.changes import effects
from app.fantasy.scoring.explain import Explanation, explanation
from app.fantasy.scoring.export import stats_rows
from app.fantasy.scoring.models import PlayerPoints
from app.fantasy.scoring.rules import ESPN, YAHOO
from app.fantasy.standings.live_scores import live_scores
from app.fantasy.standings.models import League
from app.record import events as ev
from app.record import queries as record
from app.record.models import StatLine
from app.record.services import store_defences
from tests.record.test_team_defence import CAUGHT, SNAP, THROWN, run
from tests.worlds.games import ingest_and_refresh, make_game, messages, touchdown_drive
from tests.worlds.leagues import make_league, make_sheet

PICK_SIX: list[ev.Body] = [SNAP, THROWN, CAUGHT, run("SUM")]


@pytest.fixture(autouse=True)
def ann(app: Flask, member: Callable[..., Member]) -> Member:
    """Of Yahoo's league, with Summit's D/ST and Harbor's runner."""
    make_game()
    store_defences(["HRB", "SUM"])
    ann = member("ann")
    league = make_league(
        ann.id, {ann.id: "Ann's Team"}, rules="yahoo", team_format="nfl-team-defence"
    )
    make_sheet(ann.id, league, ["SUM-DST", "H3"])
    db.session.commit()
    return ann


def defence(rules: str = "yahoo", club: str = "SUM") -> tuple[int, int]:
    query = select(PlayerPoints.points, PlayerPoints.held).where(
        PlayerPoints.player_id == f"{club}-DST", PlayerPoints.rules == rules
    )
    points, held_points = db.session.execute(query).one()
    return points, held_points


def sheet_points() -> int | None:
    (score,) = live_scores(db.session.scalars(select(League.id)).all())
    return score.sheet_points


def why(rules: str = "yahoo") -> Explanation:
    game = record.game("g1")
    assert game is not None
    explained = explanation(game, "SUM-DST", {"yahoo": YAHOO, "espn": ESPN}[rules])
    assert explained is not None
    return explained


def test_a_defence_begins_with_a_clean_sheet_and_loses_it_score_by_score() -> None:
    ingest_and_refresh(messages(touchdown_drive()[:2]))
    assert (defence(), defence("espn"), defence("standard")) == ((10_000, 0), (10_000, 0), (0, 0))
    ingest_and_refresh(messages(touchdown_drive()[2:], first=3))
    assert (defence(), defence("espn")) == ((4_000, 0), (3_000 + 5_000, 0))
    assert sheet_points() == 4_000 + 1_000
    ingest_and_refresh(messages(PICK_SIX, first=12, play=4))
    assert defence() == (4_000 + 2_000 + 6_000, 0)
    assert defence(club="HRB") == (10_000, 0)


def test_an_overturned_touchdown_gives_a_defence_its_level_back() -> None:
    ingest_and_refresh(messages(touchdown_drive()[:9]))
    assert defence() == (7_000, 0)
    ruling = ev.Run(team="HRB", player="H2", kind="after_catch", start_yard=60, end_yard=95)
    ingest_and_refresh(
        messages([ev.Overturn(event=9, ruling=ruling, reason="out at the 5")], first=10, play=3)
    )
    assert defence() == (10_000, 0)
    assert sheet_points() == 10_000 + 1_000
    corrected = effects(["g1"], ["SUM-DST"], YAHOO)
    assert corrected.worth == {("g1", "SUM-DST", 10): 3_000}
    assert effects(["g1"], ["SUM-DST"], ESPN).worth == {("g1", "SUM-DST", 10): 1_000}
    ingest_and_refresh(messages(touchdown_drive(), first=11, play=3))
    assert effects(["g1"], ["SUM-DST"], YAHOO).worth == {("g1", "SUM-DST", 10): 0}


def test_an_interception_that_was_taken_back_takes_its_points() -> None:
    ingest_and_refresh(messages(PICK_SIX))
    assert defence() == (18_000, 0)
    ingest_and_refresh(messages([ev.Nullify(events=(2, 3, 4), reason="Offside")], first=5, play=1))
    assert defence() == (10_000, 0)
    assert effects(["g1"], ["SUM-DST"], YAHOO).worth == {("g1", "SUM-DST", 5): -8_000}
    explained = why()
    assert explained.total == "10.00"
    assert [(row.points, row.taken_by is not None) for row in explained.rows] == [
        ("10.00", False),
        ("8.00", True),
    ]


def test_points_of_a_play_under_review_are_held_with_the_level() -> None:
    ingest_and_refresh(messages(touchdown_drive()[:9]))
    ingest_and_refresh(messages([ev.Challenge(ruling="pending")], first=10, play=3))
    assert defence() == (7_000, -3_000)
    ingest_and_refresh(messages([ev.Challenge(ruling="upheld")], first=11, play=3))
    assert defence() == (7_000, 0)


def test_why_shows_the_levels_first_then_the_plays() -> None:
    ingest_and_refresh(messages([*touchdown_drive(), *PICK_SIX]))
    explained = why("espn")
    assert explained.name == "Summit D/ST"
    assert explained.total == "16.00"
    assert [(row.points, row.parts, row.words) for row in explained.rows] == [
        ("3.00", ("7 to 13 points allowed",), "7 points allowed in the whole game"),
        ("5.00", ("under 100 yards allowed",), "75 yards allowed in the whole game"),
        (
            "8.00",
            ("interception 2.00", "touchdown 6.00"),
            "Player1 to Player2, intercepted by Player9 at the HRB 40, returned for 40 yards. "
            "Touchdown!",
        ),
    ]
    assert [(kind.name, kind.points) for kind in explained.kinds] == [
        ("Team defense", "8.00"),
        ("Points and yards allowed", "8.00"),
    ]


def test_the_page_of_a_defences_points(client: FlaskClient) -> None:
    ingest_and_refresh(messages(PICK_SIX))
    text = client.get("/games/g1/points/SUM-DST?rules=yahoo").text
    assert "18.00 points" in text
    assert "no points allowed" in text


def test_the_team_page_says_what_the_defence_did(
    ann: Member, sign_in: Callable[..., FlaskClient]
) -> None:
    ingest_and_refresh(messages([*touchdown_drive(), *PICK_SIX]))
    text = sign_in("member", "ann").get(f"/leagues/row/teams/{ann.id}").text
    assert "7 points, 75 yd allowed; 1 INT, 1 TD" in text
    assert "Summit D/ST" in text


def test_the_defences_are_nobody_in_the_box_score(client: FlaskClient) -> None:
    ingest_and_refresh(messages(PICK_SIX))
    assert [row[1] for row in stats_rows("g1")] == ["H1", "H2", "S9"]
    assert db.session.get(StatLine, ("g1", "SUM-DST")) is not None
    assert "D/ST" not in client.get("/games/g1").text

"""Every point opens down to its play, and what a correction took away says so."""

from __future__ import annotations

import re

from flask.testing import FlaskClient

from app.fantasy.scoring.explain import explanation
from app.fantasy.scoring.rules import HALF_PPR_IDP, PPR, STANDARD
from app.fantasy.standings.models import League
from app.record import events as ev
from app.record import queries as record
from tests.worlds.games import ingest, messages, touchdown_drive


def test_points_add_up_from_the_plays_that_earned_them(league: League) -> None:
    ingest(messages(touchdown_drive()))
    game = record.game("g1")
    assert game is not None
    explained = explanation(game, "H2", PPR)
    assert explained is not None
    assert explained.total == "13.50"
    assert [(row.points, row.parts, row.source, row.taken_by) for row in explained.rows] == [
        (
            "13.50",
            ("catch 1.00", "65 receiving yards 6.50", "receiving touchdown 6.00"),
            "partition 0, offsets 7 and 8",
            None,
        ),
    ]
    assert explained.rows[0].words == "Player1 to Player2 for 65 yards. Touchdown!"
    assert explained.rows[0].situation == "Q1 14:30, 1st & 10"


def test_what_was_taken_away_is_shown_with_the_correction(league: League) -> None:
    ingest(messages(touchdown_drive()[:9]))
    ruling = ev.Run(team="HRB", player="H2", kind="after_catch", start_yard=60, end_yard=90)
    ingest(messages([ev.Overturn(event=9, ruling=ruling, reason="knee was down")], first=10))
    game = record.game("g1")
    assert game is not None
    explained = explanation(game, "H2", STANDARD)
    assert explained is not None
    assert explained.total == "5.50"
    assert [(row.points, row.taken_by is not None) for row in explained.rows] == [
        ("5.50", False),
        ("10.00", True),
    ]
    standing, taken = explained.rows
    assert standing.words == "Player1 to Player2 to the SUM 10 for 55."
    assert taken.words == "Player1 to Player2 for 65 yards. Touchdown!"
    assert "knee was down" in (taken.taken_by or "")


def test_the_page_tells_it_and_unknown_things_are_404(league: League, client: FlaskClient) -> None:
    ingest(messages(touchdown_drive()[:9]))
    ingest(messages([ev.Nullify(events=(8, 9), reason="holding")], first=10))
    text = client.get("/games/g1/points/H2").text
    assert "0.00 points" in text
    assert "Removed: No play (holding): " in text
    assert "event 8" not in text.split("Removed: ")[1].split("</")[0]
    assert client.get("/games/g1/points/nobody").status_code == 404
    assert client.get("/games/nope/points/H2").status_code == 404
    assert client.get("/games/g1/points/H2?rules=none").status_code == 404


def test_everybody_whom_a_play_names_is_shown_by_name(league: League) -> None:
    sack = ev.Sack(
        team="HRB", player="H1", start_yard=25, end_yard=20, by_team="SUM", by=("S9", "S3")
    )
    tackle = ev.Tackle(team="SUM", tackler="S9", tackled="H3", kind="solo", yard=35)
    kick = ev.Kick(
        team="HRB",
        kicker="H2",
        kind="field_goal",
        result="blocked",
        blocked_by="S9",
        blocked_by_team="SUM",
        distance=40,
    )
    ingest(messages([*touchdown_drive()[:5], sack, tackle, kick]))
    game = record.game("g1")
    assert game is not None
    explained = explanation(game, "S9", HALF_PPR_IDP)
    assert explained is not None
    assert [row.words for row in explained.rows] == [
        "Player1 sacked at the HRB 20 for -5 (Player9, S. Player3), Player2 40-yard field goal is "
        "blocked by Player9 (Player9)."
    ]


def test_a_correction_that_took_points_away_names_its_footballers(league: League) -> None:
    ingest(messages(touchdown_drive()[:9]))
    ruling = ev.Sack(team="HRB", player="H1", start_yard=35, end_yard=30, by_team="SUM", by=("S9",))
    ingest(messages([ev.Overturn(event=8, ruling=ruling), ev.Nullify(events=(9,))], first=10))
    game = record.game("g1")
    assert game is not None
    explained = explanation(game, "H2", STANDARD)
    assert explained is not None
    assert [row.taken_by for row in explained.rows if row.taken_by] == [
        "Overturned: Player1 sacked at the HRB 30 for -5 (Player9). "
        "Before: Player1 to Player2 for 65 yards. Touchdown!"
    ] * len(explained.rows)


def test_points_are_grouped_by_kind_with_subtotals_that_add_up(league: League) -> None:
    ingest(messages(touchdown_drive()))
    ingest(messages([ev.Nullify(events=(6,), reason="holding")], first=12))
    game = record.game("g1")
    assert game is not None
    explained = explanation(game, "H2", PPR)
    assert explained is not None
    assert [(kind.name, kind.points, kind.parts) for kind in explained.kinds] == [
        (
            "Receiving",
            "13.50",
            (("catch", "1.00"), ("65 receiving yards", "6.50"), ("receiving touchdown", "6.00")),
        )
    ]
    runner = explanation(game, "H3", PPR)
    assert runner is not None
    assert (runner.kinds, runner.total) == ((), "0.00"), "what was taken away is in no subtotal"


def test_the_way_back_leads_to_the_team_and_nowhere_else(
    league: League, client: FlaskClient
) -> None:
    ingest(messages(touchdown_drive()))
    ask = "/games/g1/points/H2?back="
    assert (
        'href="/leagues/row/teams/1?week=1">Back to the team'
        in client.get(f"{ask}/leagues/row/teams/1?week=1").text
    )
    for elsewhere in ("https://example.org/leagues/", "//example.org", "/account", "", "%00"):
        assert "Back to the team" not in client.get(f"{ask}{elsewhere}").text


def test_a_page_of_one_statistic_says_its_points_once_in_each_place(
    league: League, client: FlaskClient
) -> None:
    """In the first line, in its category and with its play."""
    ingest(messages(touchdown_drive()))
    text = client.get("/games/g1/points/H3").text
    assert re.findall(r"\b1\.00\b", text) == ["1.00"] * 3
    assert "<tfoot>" not in text


def test_the_place_in_the_record_is_folded_away(league: League, client: FlaskClient) -> None:
    ingest(messages(touchdown_drive()))
    text = client.get("/games/g1/points/H2").text
    assert text.index("By category") < text.index("Play-by-play") < text.index("<details")
    assert text.count("<details") == 1
    assert "partition 0, offsets 7 and 8" in text
    assert "event 9" not in text, "members have never seen the number of an event"

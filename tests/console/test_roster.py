"""Who may be named in a game, and what a scorer adds to its rosters."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.core.db import db
from app.record import events as ev
from app.record.models import Club, Footballer
from scorer_console import queries
from scorer_console.entry import services
from scorer_console.lease.leases import take
from scorer_console.record.accepted import accepted_events
from scorer_console.record.numbering import RefusedEntryError, Sender
from scorer_console.roster import queries as roster
from tests.console.conftest import CONSOLE, RUN, SNAP, Enter
from tests.worlds.scorer import HOLDER

NOW = datetime(2026, 11, 22, 18, 5, tzinfo=UTC)
NEW = {
    "type": "roster",
    "team": "SF",
    "player": "made-1",
    "number": 84,
    "name": "Nan New",
    "position": "WR",
}


def said(answer: TestResponse) -> dict[str, Any]:
    """What the console's door answered."""
    assert isinstance(answer.json, dict)
    return answer.json


def run_by(player: str) -> dict[str, Any]:
    return RUN | {"player": player}


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (
            run_by("nobody"),
            "player: nobody is not on SF's roster; add them to SF with the roster key (l)",
        ),
        (
            run_by("dal-54"),
            "player: dal-54 plays for DAL, not for SF; add them to SF with the roster key (l)",
        ),
        (run_by("?DAL-84"), "player: ?DAL-84 plays for DAL, not for SF"),
        (
            {
                "type": "tackle",
                "team": "DAL",
                "tackler": "dal-54",
                "tackled": "who",
                "kind": "solo",
            },
            "tackled: who is not on SF's roster",
        ),
        (
            {
                "type": "sack",
                "team": "SF",
                "player": "sf-10",
                "start_yard": 30,
                "end_yard": 22,
                "by_team": "DAL",
            }
            | {"by": ["dal-54", "sf-25"]},
            "by: sf-25 plays for SF, not for DAL",
        ),
        (
            {"type": "fumble", "team": "SF", "player": "sf-25", "yard": 30, "forced_by": "who"},
            "forced_by: who is not on DAL's roster",
        ),
        (
            {"type": "overturn", "event": 1, "ruling": run_by("nobody")},
            "ruling.player: nobody is not on SF's roster",
        ),
        (
            {"type": "roster", "team": "SF", "player": "who", "status": "starter"},
            "player: who is not on SF's roster",
        ),
        (
            {"type": "roster", "team": "SF", "player": "?SF-84", "name": "A Number"},
            None,
        ),
        (
            {"type": "roster", "team": "SF", "player": "?DAL-84", "name": "A Number"},
            "player: ?DAL-84 plays for DAL",
        ),
    ],
    ids=lambda value: value["type"] if isinstance(value, dict) else "",
)
def test_whoever_is_on_no_roster_is_refused_with_field_player_and_remedy(
    enter: Enter, body: dict[str, Any], fault: str | None
) -> None:
    assert enter(SNAP).status_code == 200
    answer = enter(body)
    if fault is None:
        assert answer.status_code == 200
    else:
        assert (answer.status_code, said(answer)["error"][: len(fault)]) == (422, fault)
        assert accepted_events("g1").last_number == 1


def test_the_event_of_an_entry_is_named_and_nothing_of_it_enters(enter: Enter) -> None:
    answer = enter(SNAP, run_by("nobody"))
    assert answer.status_code == 422
    assert said(answer)["error"].startswith("Event 2 of 2: player: nobody is not on SF's roster")
    assert accepted_events("g1").last_number == 0


def test_a_footballer_of_a_third_club_and_a_team_defence_are_no_players_of_the_game(
    enter: Enter,
) -> None:
    db.session.add(Club(id="LAR", name="Los Angeles", nickname="Rams", colour="#003594"))
    db.session.flush()
    db.session.add(
        Footballer(id="lar-1", name="Otto Other", club_id="LAR", position="WR", number=1)
    )
    db.session.add(
        Footballer(id="SF-DST", name="SF D/ST", club_id="SF", position="DST", number=None)
    )
    db.session.commit()
    assert "lar-1 is not on SF's roster" in said(enter(SNAP, run_by("lar-1")))["error"]
    assert "SF-DST is not on SF's roster" in said(enter(SNAP, run_by("SF-DST")))["error"]
    joined = {"type": "roster", "team": "SF", "player": "lar-1", "number": 18}
    assert enter(SNAP, joined, run_by("lar-1")).status_code == 200
    (row,) = [player for player in roster.roster("g1", "SF", "DAL") if player.id == "lar-1"]
    assert (row.club, row.number, row.name) == ("SF", 18, "Otto Other")


def test_a_new_player_can_be_named_in_the_same_entry_and_after_it(enter: Enter) -> None:
    assert enter(SNAP, NEW, run_by("made-1")).status_code == 200
    answer = enter(run_by("made-1"))
    assert answer.status_code == 200
    assert said(answer)["situation"]["people"] == [
        {
            "id": "made-1",
            "club": "SF",
            "number": 84,
            "name": "Nan New",
            "position": "WR",
            "status": "",
        }
    ]
    assert "Nan New runs" in said(answer)["situation"]["recent"][0]["words"]
    assert enter({"type": "nullify", "events": [2]}).status_code == 200
    assert "made-1 is not on SF's roster" in said(enter(run_by("made-1")))["error"]


def test_an_entry_that_was_accepted_is_answered_again_whatever_the_roster_is_now(
    enter: Enter,
) -> None:
    key = "0a1b2c3d-0000-4000-8000-000000000099"
    assert enter(SNAP, NEW).status_code == 200
    first = enter(run_by("made-1"), key=key)
    assert enter({"type": "nullify", "events": [2]}).status_code == 200
    again = enter(run_by("made-1"), key=key)
    assert again.status_code == 200
    assert (
        said(again)["accepted"][0]["event_number"]
        == said(first)["accepted"][0]["event_number"]
        == 3
    )


def test_the_door_without_a_browser_is_the_same(game: str) -> None:
    take(game, HOLDER, NOW)
    with pytest.raises(RefusedEntryError, match="nobody is not on SF's roster"):
        services.enter(
            game, "k", [services.Submitted(run_by("nobody"))], NOW, Sender(HOLDER.console)
        )


def test_an_unknown_number_waits_with_every_event_that_names_it(enter: Enter) -> None:
    tackle = {
        "type": "tackle",
        "team": "DAL",
        "tackler": "?DAL-99",
        "tackled": "?SF-84",
        "kind": "solo",
    }
    answer = enter(SNAP, run_by("?SF-84"), tackle)
    assert answer.status_code == 200
    waiting = said(answer)["situation"]["unknown"]
    assert [
        (unknown["id"], unknown["club"], unknown["number"], unknown["count"]) for unknown in waiting
    ] == [
        ("?DAL-99", "DAL", 99, 1),
        ("?SF-84", "SF", 84, 2),
    ]
    assert [(event["number"], event["play_number"]) for event in waiting[1]["events"]] == [
        (2, 1),
        (3, 1),
    ]
    assert "Unknown number 84 of SF runs" in said(answer)["situation"]["recent"][0]["words"]


def test_roster_entries_leave_the_next_snap_and_the_ball_as_they_are(enter: Enter) -> None:
    facts = [
        {"type": "roster", "team": "SF", "player": "sf-25", "status": status}
        for status in ("out", "injured")
    ]
    before = said(enter(SNAP, RUN))["situation"]
    after = said(enter(*facts))["situation"]
    assert (after["suggestion"], after["ball"], after["live"]) == (
        before["suggestion"],
        before["ball"],
        False,
    )
    live = said(enter(SNAP))["situation"]
    assert said(enter(facts[0]))["situation"]["live"] == live["live"]


def test_after_the_final_score_somebody_can_still_be_registered(enter: Enter) -> None:
    assert enter(SNAP, RUN, {"type": "final", "home_score": 0, "away_score": 0}).status_code == 200
    assert enter(NEW).status_code == 200
    corrected = {"type": "stat_correction", "event": 2, "ruling": run_by("made-1")}
    assert enter(corrected).status_code == 200


def test_the_console_of_another_game_knows_nobody_of_this_one(
    scorer: FlaskClient, enter: Enter
) -> None:
    assert enter(NEW).status_code == 200
    assert CONSOLE
    assert [row.id for row in roster.roster("other", "SF", "DAL")] == ["dal-54", "sf-10", "sf-25"]


def test_the_page_of_rosters_says_who_took_part(enter: Enter, scorer: FlaskClient) -> None:
    hurt = {"type": "roster", "team": "DAL", "player": "dal-54", "number": 45, "status": "injured"}
    starts = {"type": "roster", "team": "SF", "player": "sf-10", "status": "starter"}
    assert enter(starts, SNAP, run_by("?SF-84"), hurt).status_code == 200
    game = queries.game("g1")
    assert game is not None
    away, home = roster.lists("g1", game.away, game.home)
    assert [(row.numbers, row.name, row.played, row.status) for row in away.rows] == [
        ("45", "Will Tackle", False, "injured")
    ]
    assert [(row.numbers, row.name, row.starts, row.played) for row in home.rows] == [
        ("10", "Ann <Passer>", True, True),
        ("25", "Joe Runner", False, False),
        ("84", "unknown number 84 of SF", False, True),
    ]
    page = scorer.get("/console/g1/roster")
    assert page.status_code == 200
    for words in ("Ann &lt;Passer&gt;", "2 played.", "injured", "unknown number 84 of SF"):
        assert words in page.text
    assert scorer.get("/console/nothing/roster").status_code == 404


def test_facts_are_events_of_the_wire() -> None:
    fact = ev.RosterFact(
        team="SF", player="made-1", name="Nan New", number=84, position="WR", status="starter"
    )
    assert ev.body_from(ev.body_to(fact)) == fact
    with pytest.raises(ev.InvalidEventError, match="number"):
        ev.body_from(NEW | {"number": 100})
    with pytest.raises(ev.InvalidEventError, match="name"):
        ev.body_from(NEW | {"name": " "})

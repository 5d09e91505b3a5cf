"""Footballers beyond the two rosters.

Found by name, put on a roster, and given what a player made by hand did.
"""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

from app.core.db import db
from app.record.models import Club, Footballer
from scorer_console.roster import footballers
from scorer_console.roster import queries as roster
from tests.console.conftest import RUN, SNAP, Enter

URL = "/console/g1/footballers"
JOINED = {
    "type": "roster",
    "team": "SF",
    "player": "lar-1",
    "name": "Otto Other",
    "position": "WR",
    "number": 18,
}
MADE = {
    "type": "roster",
    "team": "SF",
    "player": "made-1",
    "number": 84,
    "name": "Nan New",
    "position": "WR",
}


@pytest.fixture
def others(game: str) -> None:
    """Of a third club Otto Other, its D/ST and twenty who are called Pat Many.

    Of none, Olga Other.
    """
    db.session.add(Club(id="LAR", name="Los Angeles", nickname="Rams", colour="#003594"))
    db.session.flush()
    named = [("lar-1", "Otto Other", "LAR", "WR", 18), ("free-1", "Olga Other", None, "QB", None)]
    named += [("LAR-DST", "LAR Other D/ST", "LAR", "DST", None)]
    named += [(f"lar-{n}", "Pat Many", "LAR", "LB", n) for n in range(50, 70)]
    for player_id, name, club, position, number in named:
        db.session.add(
            Footballer(id=player_id, name=name, club_id=club, position=position, number=number)
        )
    db.session.commit()


def found(scorer: FlaskClient, **asked: Any) -> Any:
    answer = scorer.get(URL, query_string=asked)
    assert answer.status_code == 200
    return answer.json


def test_people_of_every_club_and_of_none_are_found_by_a_part_of_the_name(
    scorer: FlaskClient, others: None
) -> None:
    assert found(scorer, name=" otHer ") == {
        "rows": [
            {"id": "free-1", "name": "Olga Other", "club": "", "position": "QB", "number": None},
            {"id": "lar-1", "name": "Otto Other", "club": "LAR", "position": "WR", "number": 18},
        ],
        "page": 1,
        "more": False,
    }
    assert [row["id"] for row in found(scorer, name="o")["rows"]][:2] == ["free-1", "lar-1"], (
        "beginnings first"
    )
    for nobody in ("", "%", "_", "Other D/ST"):
        assert found(scorer, name=nobody)["rows"] == []


def test_pages_are_bounded_and_follow_each_other(scorer: FlaskClient, others: None) -> None:
    pages = [found(scorer, name="many", page=number) for number in (1, 2, 3)]
    assert [(len(page["rows"]), page["more"]) for page in pages] == [
        (8, True),
        (8, True),
        (4, False),
    ]
    assert [row["id"] for page in pages for row in page["rows"]] == [
        f"lar-{n}" for n in range(50, 70)
    ]
    assert found(scorer, name="many", page=-3)["page"] == 1
    assert found(scorer, name="many", page=10**9) == {
        "rows": [],
        "page": footballers.PAGES,
        "more": False,
    }


def test_there_is_nothing_to_find_for_a_game_that_is_none(
    scorer: FlaskClient, others: None
) -> None:
    assert scorer.get("/console/none/footballers?name=other").status_code == 404
    assert scorer.get("/console/none/footballers/lar-1/events").status_code == 404


def test_whoever_was_found_joins_under_their_own_id_and_plays(
    scorer: FlaskClient, enter: Enter, others: None
) -> None:
    assert enter(SNAP, JOINED, RUN | {"player": "lar-1"}).status_code == 200
    (row,) = [player for player in roster.roster("g1", "SF", "DAL") if player.id == "lar-1"]
    assert (row.club, row.number, row.name) == ("SF", 18, "Otto Other")
    assert db.session.get_one(Footballer, "lar-1").club_id == "LAR", (
        "their registration stays as an import has it"
    )


@pytest.mark.parametrize("stranger", ["LAR-DST", "nobody"])
def test_a_team_defence_or_an_invented_id_joins_nothing(
    enter: Enter, others: None, stranger: str
) -> None:
    answer = enter(JOINED | {"player": stranger})
    assert answer.status_code == 422
    assert f"{stranger} is not on SF's roster" in answer.text


def test_the_events_that_name_a_player_come_plays_first_as_they_stand(
    scorer: FlaskClient, enter: Enter
) -> None:
    run = RUN | {"player": "made-1"}
    tackle = {
        "type": "tackle",
        "team": "DAL",
        "tackler": "dal-54",
        "tackled": "made-1",
        "kind": "solo",
    }
    assert enter(MADE, SNAP, RUN, tackle).status_code == 200
    assert enter({"type": "overturn", "event": 3, "ruling": run}).status_code == 200
    naming = scorer.get(f"{URL}/made-1/events").json
    assert naming is not None
    assert (naming["id"], naming["count"]) == ("made-1", 3)
    assert [(event["number"], event["play_number"]) for event in naming["events"]] == [
        (3, 1),
        (4, 1),
        (1, 0),
    ]
    assert naming["events"][0]["body"]["player"] == "made-1"
    nobody = scorer.get(f"{URL}/sf-10/events").json
    assert nobody == {"id": "sf-10", "count": 0, "events": []}


def test_forty_events_are_told_of_one_who_did_more(scorer: FlaskClient, enter: Enter) -> None:
    for _ in range(5):
        assert enter(SNAP, *[RUN] * 9).status_code == 200
    naming = scorer.get(f"{URL}/sf-25/events").json
    assert naming is not None
    assert (naming["count"], len(naming["events"])) == (45, 40)


def test_what_a_made_player_did_can_be_given_to_the_footballer_and_taken_back(
    scorer: FlaskClient, enter: Enter, others: None
) -> None:
    assert enter(MADE, SNAP, RUN | {"player": "made-1"}).status_code == 200
    ruling = {"type": "roster", "team": "SF", "player": "lar-1", "number": 84}
    answer = enter(
        JOINED | {"number": 84},
        {
            "type": "stat_correction",
            "event": 3,
            "ruling": RUN | {"player": "lar-1"},
            "reason": "identified",
        },
        {"type": "stat_correction", "event": 1, "ruling": ruling, "reason": "identified"},
    )
    assert answer.status_code == 200
    rows = {player.id: player for player in roster.roster("g1", "SF", "DAL")}
    assert "made-1" not in rows
    assert rows["lar-1"].number == 84
    for number in (6, 5, 4):
        around = scorer.get(f"/console/g1/events/{number}").json
        assert around is not None
        assert enter(*around["undo"]).status_code == 200
    assert enter(RUN | {"player": "made-1"}).status_code == 200, "they are back"

"""The console's pages: who may see them, entering, the log's way from waiting to ingested."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import unescape
from uuid import uuid4

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import event, update

from app.core import clock
from app.core.db import db
from app.record.ingest import ingest_batch
from app.record.models import Game
from app.stream.messages import Message
from app.stream.models import DeadLetter, OutboxMessage
from app.stream.topics import GAME_EVENTS
from scorer_console.entry.rules import PAGES
from tests.console.conftest import CONSOLE, RUN, SNAP, Enter

FORM = {
    "home": "SF",
    "away": "DAL",
    "kickoff": "2026-11-29T13:00",
    "zone": "America/Los_Angeles",
    "week": "12",
    "season_type": "REG",
    "game_id": "",
}
HTMX = {"HX-Request": "true"}


def publish(game: str, ingest: bool = False) -> None:
    """Sets what the relay sets, and takes the messages in."""
    rows = db.session.query(OutboxMessage).filter_by(game_id=game).order_by(OutboxMessage.id).all()
    for offset, row in enumerate(rows):
        row.published_at, row.partition, row.offset = clock.now(), 3, 1200 + offset
    messages = [
        Message(GAME_EVENTS.name, 3, 1200 + i, game, row.payload) for i, row in enumerate(rows)
    ]
    db.session.commit()
    if ingest:
        ingest_batch(messages, clock.now(), lambda _: None)


def block(page: str, name: str) -> dict:
    match = re.search(
        rf'<script type="application/json" id="{name}">(.*?)</script>', page, re.DOTALL
    )
    assert match is not None
    return json.loads(match[1])


def log_states(page: str) -> list[tuple[str, str]]:
    return re.findall(r'<li data-event="(\d+)" data-state="(\w+)"', page)


@pytest.mark.parametrize(
    "path", ["/console/", "/console/g1", "/console/g1/log", "/console/g1/events/1"]
)
@pytest.mark.parametrize("role", ["member", "moderator", "operator"])
def test_nobody_but_a_scorer_learns_that_the_console_exists(
    game: str, sign_in: Callable[..., FlaskClient], role: str, path: str
) -> None:
    assert sign_in(role).get(path).status_code == 404


def one_snap() -> dict[str, object]:
    return {"key": str(uuid4()), "console": CONSOLE, "entries": [{"body": SNAP}]}


def test_a_stranger_cannot_enter_events(game: str, client: FlaskClient) -> None:
    answer = client.post(
        "/console/g1/events",
        json={"key": str(uuid4()), "console": CONSOLE, "entries": [{"body": SNAP}]},
    )
    assert answer.status_code == 404
    assert db.session.get(Game, game, populate_existing=True).last_event_number == 0


def test_the_list_shows_status_and_last_event(scorer: FlaskClient, enter: Enter) -> None:
    enter(SNAP)
    page = scorer.get("/console/").text
    assert "Dallas at San Francisco" in page
    assert "#1" in page


def test_a_delay_is_shown_until_play_resumes(scorer: FlaskClient, enter: Enter) -> None:
    enter(SNAP, {"type": "delay", "phase": "start", "reason": "Lightning"})
    page = scorer.get("/console/g1").text
    assert block(page, "situation")["delayed"] is True
    assert '<dd data-strip="status">delayed</dd>' in page
    enter({"type": "delay", "phase": "end"})
    assert '<dd data-strip="status">live</dd>' in scorer.get("/console/g1").text


def test_a_game_is_registered_with_an_id_made_from_day_and_clubs(
    scorer: FlaskClient, game: str
) -> None:
    answer = scorer.post("/console/", data=FORM)
    assert answer.status_code == 303
    assert answer.location.endswith("/console/20261129-DAL-SF")
    game_row = db.session.get(Game, "20261129-DAL-SF")
    assert (game_row.season, game_row.week, game_row.kickoff.isoformat()) == (
        2026,
        12,
        "2026-11-29T21:00:00+00:00",
    )


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"game_id": "g1"}, "There is already a game g1"),
        ({"away": "SF"}, "A club cannot play itself"),
        ({"kickoff": "soon"}, "Enter day and time"),
        ({"zone": "Nowhere/Land"}, "Choose a time zone by place"),
        ({"week": "77"}, "Enter the week as a number from 1 to 30"),
        ({"week": ""}, "Enter the week"),
        ({"home": "XXX"}, "Not a valid choice"),
        ({"season_type": "NOW"}, "Not a valid choice"),
    ],
)
def test_a_refusal_stands_at_its_field(
    scorer: FlaskClient, game: str, change: dict, sentence: str
) -> None:
    answer = scorer.post("/console/", data=FORM | change)
    assert answer.status_code == 422
    assert sentence in unescape(answer.text)
    assert f'id="{next(iter(change))}-fault"' in answer.text


def test_an_entry_gets_its_numbers_and_the_next_situation(enter: Enter) -> None:
    answer = enter(SNAP, RUN)
    assert answer.status_code == 200
    assert answer.json["accepted"] == [
        {"event_number": 1, "play_number": 1, "repeated": False},
        {"event_number": 2, "play_number": 1, "repeated": False},
    ]
    situation = answer.json["situation"]
    assert (situation["next_event"], situation["play_number"]) == (3, 1)
    assert situation["suggestion"]["down"] == 2
    assert situation["suggestion"]["distance"] == 6
    assert situation["line"]["state"] == "waiting"


def test_sending_the_same_entry_again_gives_the_same_numbers(enter: Enter) -> None:
    key = str(uuid4())
    first = enter(SNAP, RUN, key=key).json["accepted"]
    enter(SNAP)
    second = enter(SNAP, RUN, key=key).json["accepted"]
    assert (
        [event["event_number"] for event in second]
        == [event["event_number"] for event in first]
        == [1, 2]
    )
    assert enter(SNAP).json["accepted"][0]["event_number"] == 4


@pytest.mark.parametrize(
    ("bodies", "sentence"),
    [
        ([SNAP | {"down": 5}], "down: expected `int` <= 4"),
        ([SNAP, RUN | {"end_yard": 120}], "Event 2 of 2: end_yard: expected `int` <= 100"),
        (
            [{"type": "run", "team": "SF", "kind": "rush", "start_yard": 1}],
            "end_yard: this field is missing",
        ),
        ([RUN | {"team": "NYG"}], "team: NYG does not play in this game; name SF or DAL."),
        (
            [{"type": "nullify", "events": [7]}],
            "event: 7 has not happened yet; the last event is 0.",
        ),
        ([{"type": "goal"}], "goal"),
        ([{}], "type"),
    ],
)
def test_a_refused_entry_names_the_field_and_writes_nothing(
    enter: Enter, game: str, bodies: list, sentence: str
) -> None:
    answer = enter(*bodies)
    assert answer.status_code == 422
    assert sentence in answer.json["error"]
    assert db.session.get(Game, game, populate_existing=True).last_event_number == 0


@pytest.mark.parametrize(
    "body", ["", "[]", '{"key": "x", "entries": []}', '{"entries": [{"body": {}}]}']
)
def test_what_is_no_entry_is_refused_with_a_sentence(
    scorer: FlaskClient, game: str, body: str
) -> None:
    answer = scorer.post("/console/g1/events", data=body, content_type="application/json")
    assert answer.status_code == 422
    assert answer.json["error"].startswith("The entry could not be read")


@pytest.mark.parametrize(
    ("path", "body", "name"),
    [
        (
            "/console/g1/events",
            '{"key": "a", "entries": [{"body": {"type": "snap", "type": "run"}}]}',
            "type",
        ),
        ("/console/g1/preview", '{"entries": [], "entries": []}', "entries"),
        ("/console/g1/lease", '{"console": "a", "console": "b"}', "console"),
    ],
)
def test_a_name_that_is_given_twice_is_refused(
    scorer: FlaskClient, game: str, path: str, body: str, name: str
) -> None:
    """Parsers read such an object differently (RFC 8259, section 4), so it is refused."""
    answer = scorer.post(path, data=body, content_type="application/json")
    assert (answer.status_code, answer.json["errors"][0]["field"]) == (400, name)
    assert f"{name} appears twice in one object" in answer.json["detail"]


def test_a_game_that_is_not_registered_is_refused_with_the_remedy(
    scorer: FlaskClient, game: str
) -> None:
    answer = scorer.post(
        "/console/nowhere/events",
        json={"key": str(uuid4()), "console": CONSOLE, "entries": [{"body": SNAP}]},
    )
    assert answer.status_code == 422
    assert "Register it first" in answer.json["error"]
    assert scorer.get("/console/nowhere").status_code == 404


def test_the_log_follows_an_event_from_waiting_to_published_to_ingested(
    scorer: FlaskClient, enter: Enter, game: str
) -> None:
    enter(SNAP, RUN)
    assert log_states(scorer.get("/console/g1").text) == [("1", "waiting"), ("2", "waiting")]
    publish(game)
    page = scorer.get("/console/g1/log", headers=HTMX).text
    assert log_states(page) == [("1", "published"), ("2", "published")]
    assert "partition 3, offset 1201" in page
    assert block(page, "situation")["line"]["state"] == "behind"
    publish(game, ingest=True)
    page = scorer.get("/console/g1/log", headers=HTMX).text
    assert log_states(page) == [("1", "ingested"), ("2", "ingested")]
    assert block(page, "situation")["line"]["state"] == "clear"


def test_a_dead_letter_is_shown_with_its_reason(
    scorer: FlaskClient, enter: Enter, game: str
) -> None:
    enter(SNAP)
    publish(game)
    payload = db.session.query(OutboxMessage).one().payload
    reason = "clock: expected `int` <= 900"
    db.session.add(
        DeadLetter(
            topic=GAME_EVENTS.name,
            partition=3,
            offset=1200,
            key=game,
            payload=payload,
            reason=reason,
        )
    )
    db.session.commit()
    page = scorer.get("/console/g1/log", headers=HTMX).text
    assert log_states(page) == [("1", "dead")]
    assert reason in unescape(page)
    assert block(page, "situation")["line"]["words"] == "1 refused by ingestion"


def test_a_poll_that_shows_it_already_gets_304_until_something_changes(
    scorer: FlaskClient, enter: Enter, game: str
) -> None:
    enter(SNAP)
    first = scorer.get("/console/g1/log", headers=HTMX)
    assert "<html" not in first.text
    known = HTMX | {"If-None-Match": first.headers["ETag"]}
    assert scorer.get("/console/g1/log", headers=known).status_code == 304
    publish(game)
    assert scorer.get("/console/g1/log", headers=known).status_code == 200


def test_the_page_carries_the_same_fragment_as_the_poll(scorer: FlaskClient, enter: Enter) -> None:
    enter(SNAP)
    page = scorer.get("/console/g1").text
    fragment = scorer.get("/console/g1/log", headers=HTMX).text
    assert "".join(fragment.split()) in "".join(page.split())


def test_the_roster_cannot_break_out_of_its_block(scorer: FlaskClient, game: str) -> None:
    page = scorer.get("/console/g1").text
    assert "<Passer>" not in page
    names = {player["name"] for player in block(page, "roster")}
    assert "Ann <Passer>" in names


def test_the_page_has_no_inline_script_and_no_inline_style(
    scorer: FlaskClient, enter: Enter
) -> None:
    enter(SNAP, RUN)
    for path in ("/console/", "/console/g1"):
        page = scorer.get(path).text
        assert not re.search(r'<script(?![^>]*(src=|type="application/json"))', page)
        assert " style=" not in page
        assert not re.search(r"\son\w+=", page)


def test_a_nullified_event_is_struck_out_and_can_be_brought_back(
    scorer: FlaskClient, enter: Enter
) -> None:
    enter(SNAP)
    enter(RUN)
    situation = enter({"type": "nullify", "events": [2]}).json["situation"]
    assert "<del>" in scorer.get("/console/g1/log", headers=HTMX).text
    assert situation["recent"][0]["numbers"] == [3]
    assert situation["recent"][0]["undo"][0]["type"] == "overturn"
    situation = enter(*situation["recent"][0]["undo"], play_number=1).json["situation"]
    assert situation["suggestion"]["distance"] == 6


def test_an_earlier_event_can_be_asked_for_by_number(scorer: FlaskClient, enter: Enter) -> None:
    enter(SNAP, RUN)
    enter({"type": "overturn", "event": 2, "ruling": RUN | {"end_yard": 31}})
    event = scorer.get("/console/g1/events/2").json
    assert (event["play_number"], event["stands"], event["body"]["end_yard"]) == (1, True, 31)
    assert scorer.get("/console/g1/events/9").status_code == 404


def test_the_log_takes_as_many_queries_for_ten_more_events(
    scorer: FlaskClient, enter: Enter
) -> None:
    def queries() -> int:
        statements: list[str] = []

        def count(connection, cursor, statement, *details: object) -> None:  # type: ignore[no-untyped-def]
            statements.append(statement)

        event.listen(db.engine, "before_cursor_execute", count)
        assert scorer.get("/console/g1/log", headers=HTMX).status_code == 200
        event.remove(db.engine, "before_cursor_execute", count)
        return len(statements)

    enter(SNAP)
    before = queries()
    for _ in range(5):
        enter(SNAP, RUN)
    assert queries() == before


def test_a_lost_outbox_row_is_never_hidden_by_the_version(
    scorer: FlaskClient, enter: Enter, game: str
) -> None:
    enter(SNAP)
    publish(game)
    first = scorer.get("/console/g1/log", headers=HTMX)
    db.session.execute(update(OutboxMessage).values(published_at=None))
    db.session.commit()
    again = scorer.get("/console/g1/log", headers=HTMX | {"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 200
    assert log_states(again.text) == [("1", "waiting")]


def test_after_the_final_score_only_corrections_are_taken(
    scorer: FlaskClient, enter: Enter, game: str
) -> None:
    enter(SNAP, RUN)
    enter({"type": "final", "home_score": 0, "away_score": 0})
    at_once = enter(SNAP)
    publish(game, ingest=True)
    refused = enter(SNAP)
    for response in (at_once, refused):
        assert response.status_code == 422
        assert "The score is final" in response.json["error"]
    correction = {"type": "stat_correction", "event": 2, "ruling": RUN | {"player": "sf-10"}}
    assert enter(correction, play_number=1).status_code == 200
    assert enter({"type": "nullify", "events": [3]}).status_code == 200
    assert enter(SNAP).status_code == 200  # the final score is taken back: the game goes on


def test_a_review_ends_on_the_strip_with_its_ruling_or_with_the_correction(
    scorer: FlaskClient, enter: Enter
) -> None:
    def under_review() -> list[int]:
        reviewed = block(scorer.get("/console/g1").text, "situation")["under_review"]
        assert ("Under review:" in scorer.get("/console/g1").text) == bool(reviewed)
        return reviewed

    enter(SNAP, RUN)
    enter({"type": "challenge", "ruling": "pending"})
    assert under_review() == [1]
    enter({"type": "challenge", "ruling": "overturned"})
    assert under_review() == [1]
    enter({"type": "overturn", "event": 2, "ruling": RUN | {"end_yard": 31}}, play_number=1)
    assert under_review() == []
    enter({"type": "challenge", "ruling": "pending"})
    enter({"type": "challenge", "ruling": "upheld"})
    assert under_review() == []


def test_no_page_of_the_console_stands_where_a_game_could(app: Flask) -> None:
    places = {
        rule.rule.split("/")[2]
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith("/console/")
    }
    assert places - {"", "<game_id>"} == PAGES

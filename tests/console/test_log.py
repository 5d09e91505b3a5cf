"""The console's log: plays with their parts, and the search through the whole game."""

from __future__ import annotations

import re

from flask.testing import FlaskClient

from tests.console.conftest import RUN, SNAP, Enter

TACKLE = {"type": "tackle", "team": "DAL", "tackler": "dal-54", "kind": "solo"}
SECOND = {**SNAP, "spot": 34, "clock": 660, "down": 2, "distance": 6}
THROWN = {
    "type": "pass",
    "team": "SF",
    "passer": "sf-10",
    "result": "incomplete",
    "throw_yard": 34,
}


def plays(page: str) -> list[tuple[str, str, list[str]]]:
    """Number, title and parts of each play of a log."""
    rows = re.findall(r'<li class="log-play[^"]*" data-play="(\d+)">(.*?)</ol>', page, re.DOTALL)
    return [
        (
            number,
            re.sub(r"\s+", " ", re.search(r'"grows">(.*?)</span>', row, re.DOTALL)[1]).strip(),
            re.findall(r'data-event="(\d+)"', row),
        )
        for number, row in rows
    ]


def test_the_events_of_a_play_are_one_entry_with_its_parts(
    scorer: FlaskClient, enter: Enter
) -> None:
    enter(SNAP, RUN, TACKLE)
    enter(SECOND, THROWN)
    assert plays(scorer.get("/console/g1").text) == [
        ("2", "Q1 11:00 SF 2nd &amp; 6 at SF 34", ["4", "5"]),
        ("1", "Q1 11:40 SF 1st &amp; 10 at SF 30", ["1", "2", "3"]),
    ]


def test_a_correction_of_an_earlier_play_stands_with_that_play(
    scorer: FlaskClient, enter: Enter
) -> None:
    enter(SNAP, RUN)
    enter(SECOND, THROWN)
    enter({"type": "nullify", "events": [2], "reason": "slip"}, play_number=1)
    page = scorer.get("/console/g1").text
    assert [(number, events) for number, _, events in plays(page)] == [
        ("1", ["1", "2", "5"]),
        ("2", ["3", "4"]),
    ]
    assert re.search(r'data-event="2"[^>]*is-struck', page)


def test_plays_are_found_by_player_and_by_quarter(scorer: FlaskClient, enter: Enter) -> None:
    enter(SNAP, RUN, TACKLE)
    enter({**SECOND, "period": 2}, THROWN)

    def found(text: str) -> list[str]:
        page = scorer.get("/console/g1/find", query_string={"find": text}).text
        return [number for number, _, _ in plays(page)]

    assert found("tackle") == ["1"]
    assert found("54") == ["1"]
    assert found("q2") == ["2"]
    assert found("p1") == ["1"]
    assert found("31") == []
    enter({**TACKLE, "tackler": "?DAL-31"})
    assert found("31") == ["2"], "a number that nobody wears yet"
    assert found("q1 passer") == []
    whole = scorer.get("/console/g1/find", query_string={"find": "54"}).text
    assert "1 play" in whole
    assert re.search(r'data-event="3"[^>]*is-match', whole), "the part that fits is marked"
    assert scorer.get("/console/none/find").status_code == 404

"""The server refuses what a play cannot have, and corrections that change nothing."""

from __future__ import annotations

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.console.conftest import RUN, SNAP, Enter

TRY = {
    "type": "snap",
    "possession": "SF",
    "spot": 98,
    "period": 1,
    "clock": 690,
    "situation": "try",
}
RUN_OF_THE_TRY = RUN | {"start_yard": 98, "end_yard": 100, "is_touchdown": True}
TWO = {"type": "conversion", "team": "SF", "kind": "rush", "good": True, "player": "sf-25"}
KICKOFF = {
    "type": "snap",
    "possession": "SF",
    "spot": 35,
    "period": 1,
    "clock": 690,
    "situation": "kickoff",
}
ON_A_TRY = "A run cannot be in a try: enter an extra point, or a try for two points."


def refusal_of(answer: TestResponse) -> str:
    assert answer.status_code == 422
    return str(answer.get_json()["error"])


def test_a_run_on_a_try_is_refused_with_its_snap_and_after_it(
    scorer: FlaskClient, enter: Enter
) -> None:
    enter(SNAP, RUN | {"end_yard": 100, "is_touchdown": True})
    assert refusal_of(enter(TRY, RUN_OF_THE_TRY)) == ON_A_TRY
    assert enter(TRY).status_code == 200, "nothing of the refused entry was taken"
    assert refusal_of(enter(RUN_OF_THE_TRY)) == ON_A_TRY
    assert enter(TWO).status_code == 200


def test_a_kickoff_is_entered_with_the_snap_of_one(enter: Enter) -> None:
    kick = {"type": "kick", "team": "SF", "kind": "kickoff", "result": "touchback"}
    assert "A kickoff cannot be in a play from scrimmage" in refusal_of(enter(SNAP, kick))
    assert "A run cannot be in a kickoff" in refusal_of(enter(KICKOFF, RUN))
    assert enter(KICKOFF, kick).status_code == 200


def test_a_new_ruling_makes_no_play_impossible_and_mends_one(enter: Enter) -> None:
    enter(SNAP, RUN)  # 1 and 2
    as_a_try = {"type": "overturn", "event": 1, "ruling": TRY, "reason": "slip", "by_scorer": True}
    assert refusal_of(enter(as_a_try)) == ON_A_TRY
    as_an_extra_point = {"type": "kick", "team": "SF", "kind": "extra_point", "result": "good"}
    ruling = {"type": "overturn", "event": 2, "ruling": as_an_extra_point, "reason": "slip"}
    assert "An extra point cannot be in a play from scrimmage" in refusal_of(enter(ruling))
    both = {"type": "overturn", "event": 2, "ruling": TWO, "reason": "slip", "by_scorer": True}
    assert enter(as_a_try, both).status_code == 200, "the entry is judged as a whole"


def test_a_correction_that_changes_nothing_is_refused_and_its_preview_says_so(
    scorer: FlaskClient, enter: Enter
) -> None:
    enter(SNAP, RUN)
    idle = {"type": "overturn", "event": 2, "ruling": RUN, "reason": "slip", "by_scorer": True}
    says = "This changes nothing. Event 2 already says so."
    assert refusal_of(enter(idle)) == says
    asked = {"entries": [{"body": idle, "play_number": None}]}
    assert refusal_of(scorer.post("/console/g1/preview", json=asked)) == says
    longer = idle | {"ruling": RUN | {"end_yard": 35}}
    assert enter(longer).status_code == 200
    assert refusal_of(enter(longer)) == says, "what stands now counts"
    assert enter(idle).status_code == 200
    moved = {**idle, "ruling": RUN | {"place": 1.5}}
    assert enter(moved).status_code == 200, "another place is a change"

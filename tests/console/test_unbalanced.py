"""The console says at once what does not balance, with a likely cause, until it is fixed."""

from __future__ import annotations

from flask.testing import FlaskClient

from tests.console.conftest import RUN, SNAP, Enter

WRONG = SNAP | {"spot": 39, "down": 2, "distance": 1, "clock": 660}
RIGHT = SNAP | {"spot": 34, "down": 2, "distance": 6, "clock": 660}


def test_what_does_not_balance_is_shown_until_it_is_mended(
    scorer: FlaskClient, enter: Enter
) -> None:
    enter(SNAP, RUN)
    assert "Doesn't add up" not in scorer.get("/console/g1/log").text
    enter(WRONG)
    page = scorer.get("/console/g1/log").text
    assert "<strong>Doesn't add up:</strong> play 2: 2nd &amp; 1, SF at SF 39;" in page
    assert (
        "Likely 5 yards further on: play 1: a penalty of 5 yards is missing, or the spot of this "
        "snap is." in page
    )
    assert "Doesn't add up: 1</h3>" in page
    enter({"type": "overturn", "event": 3, "ruling": RIGHT})
    assert "Doesn't add up" not in scorer.get("/console/g1/log").text


def test_an_older_finding_leaves_the_strip_and_stays_in_the_list(
    scorer: FlaskClient, enter: Enter
) -> None:
    enter(SNAP, RUN)
    enter(WRONG)
    for down, spot in ((3, 39), (4, 39)):
        enter(
            {"type": "run", "team": "SF", "kind": "rush", "start_yard": 39, "end_yard": 39},
            SNAP | {"spot": spot, "down": down, "distance": 1, "clock": 660 - 40 * down},
        )
    page = scorer.get("/console/g1/log").text
    assert "<strong>Doesn't add up:</strong>" not in page
    assert "Doesn't add up: 1</h3>" in page


def test_the_list_is_short_and_the_rest_is_on_the_games_page(
    scorer: FlaskClient, enter: Enter
) -> None:
    enter(SNAP)
    for second in range(6):
        enter(SNAP | {"clock": 690 - second})
    page = scorer.get("/console/g1/log").text
    assert "Doesn't add up: 6</h3>" in page
    assert page.count("<strong>Play ") == 4
    assert 'href="/games/g1#findings"' in page

"""What the console finds odd about an entry, asked of its own module in a real browser.

Warnings, never walls.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page

from app.record.events import catalogue

pytestmark = pytest.mark.e2e
ROOT = Path(__file__).parent.parent.parent

SNAP = {
    "type": "snap",
    "possession": "HRB",
    "spot": 30,
    "period": 2,
    "clock": 700,
    "down": 2,
    "distance": 7,
    "situation": "scrimmage",
}
SITUATION = {
    "clubs": {"home": "HRB", "away": "SUM"},
    "snap": SNAP | {"clock": 730, "spot": 27, "down": 1, "distance": 10},
    "suggestion": SNAP | {"check": False},
    "ball": {"team": "HRB", "yard": 30},
    "score": {"HRB": 7, "SUM": 3},
    "types": catalogue(),
}
RUN = {
    "type": "run",
    "team": "HRB",
    "player": "H3",
    "kind": "rush",
    "start_yard": 30,
    "end_yard": 34,
}
ASK = """async ([body, situation]) => {
  const { warningsOf } = await import("/static/js/console/entry/warnings.js");
  const { Roster } = await import("/static/js/console/roster.js");
  const roster = new Roster([
    { id: "H3", club: "HRB", number: 3, name: "Runner", position: "RB" },
    { id: "S9", club: "SUM", number: 9, name: "Tackler", position: "LB" },
  ]);
  const other = (club) => (club === "HRB" ? "SUM" : "HRB");
  return warningsOf([body], { ...situation, roster, other });
}"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """An empty page that can import the console's modules, straight from their folder."""
    page = browser.new_page(base_url="http://console.test")
    page.route(
        "**/static/**",
        lambda route: route.fulfill(path=ROOT / urlsplit(route.request.url).path[1:]),
    )
    page.route(
        "http://console.test/",
        lambda route: route.fulfill(body="<!doctype html>", content_type="text/html"),
    )
    page.goto("/")
    yield page
    page.close()


@pytest.mark.parametrize(
    ("body", "warning"),
    [
        (SNAP, None),
        (SNAP | {"clock": 731}, "The clock runs backward: 12:11 after 12:10."),
        (SNAP | {"period": 1}, "Q1 comes after Q2."),
        (SNAP | {"spot": 40}, "The last play ended at HRB 30."),
        (SNAP | {"possession": "SUM", "spot": 70}, "By the last play HRB has the ball."),
        (SNAP | {"down": 3}, "By the last play it is 2nd down."),
        (SNAP | {"down": 1, "distance": 7}, "First down is 10 yards from there."),
        (RUN, None),
        (RUN | {"player": None}, None),
        (RUN | {"player": "S9"}, "9 Tackler is not on HRB’s roster."),
        (RUN | {"start_yard": 25}, "The ball was at HRB 30."),
        (RUN | {"end_yard": 100}, "The run ends in the end zone without a touchdown."),
        (RUN | {"end_yard": 100, "is_touchdown": True}, None),
        ({"type": "tackle", "team": "SUM", "tackler": "S9", "tackled": "H3", "kind": "solo"}, None),
        (
            {"type": "tackle", "team": "SUM", "tackler": "H3", "kind": "solo"},
            "3 Runner is not on SUM’s roster.",
        ),
        (
            {"type": "sack", "team": "HRB", "start_yard": 30, "end_yard": 33},
            "A sack that gains yards.",
        ),
        (
            {"type": "kick", "team": "HRB", "kind": "field_goal", "result": "good", "distance": 71},
            "A field goal of 71 yards would be a record.",
        ),
        (
            {
                "type": "penalty",
                "team": "HRB",
                "status": "accepted",
                "yards": 10,
                "foul": "Holding",
            },
            None,
        ),
        (
            {"type": "penalty", "team": "HRB", "status": "accepted", "yards": 7, "foul": "Holding"},
            "7 yards. Half the distance, or a typo?",
        ),
        ({"type": "scoreboard", "home_score": 7, "away_score": 3, "period": 2, "clock": 700}, None),
        (
            {"type": "final", "home_score": 7, "away_score": 6},
            "The plays don’t add up to this. The game is unconfirmed until they do.",
        ),
    ],
)
def test_what_looks_wrong_is_said_in_the_fields_own_terms(
    page: Page, body: dict[str, Any], warning: str | None
) -> None:
    warnings = page.evaluate(ASK, [body, SITUATION])
    assert (warning in warnings) if warning else (warnings == [])

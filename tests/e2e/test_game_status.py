"""A game that is not played as planned.

The scorer says so by keyboard, and a member sees what it means.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.fantasy.standings.models import League
from scorer_console.record.numbering import Entry
from tests.e2e.keyboard import keys, recorded
from tests.e2e.looking import PHONE, looks_right
from tests.e2e.road import bring_in, record_has
from tests.worlds.games import make_game, touchdown_drive
from tests.worlds.leagues import make_league, make_sheet
from tests.worlds.scorer import leave, submit

pytestmark = pytest.mark.e2e


@pytest.fixture
def league(member: Callable[..., Member]) -> League:
    """Ann has Harbor's passer; g1 and g2 are the gameweek's games."""
    make_game("g1")
    make_game("g2")
    ann = member("ann")
    member("sal", role="scorer")
    league = make_league(ann.id, {ann.id: "Ann's Team"})
    make_sheet(ann.id, league, ["H1"], captain="H1")
    db.session.commit()
    return league


def test_a_member_sees_what_the_scorer_says_of_a_game_by_keyboard(
    league: League, open_page: Callable[..., Page]
) -> None:
    bodies = touchdown_drive()
    count = submit("g2", [Entry(body, f"d:{i}") for i, body in enumerate(bodies)], clock.now())[
        -1
    ].event_number
    leave("g2", clock.now())
    record_has("g2", count)
    ann, sal = open_page("ann", viewport=PHONE), open_page("sal")
    ann.goto("/leagues/row")
    table = ann.locator("#standings")
    expect(table).to_contain_text("Live: 1 game")

    sal.goto("/console/g1")
    expect(sal.locator("#cmd")).to_be_focused()
    keys(sal, "b", "p", "Thunderstorm", "Enter", "Enter")
    recorded(sal, "#1")
    bring_in()
    expect(table).to_contain_text(
        "Postponed without a new date: Summit at Harbor. The deadline stays"
    )
    looks_right(ann, "game-postponed")

    sal.goto("/console/g2")
    expect(sal.locator("#cmd")).to_be_focused()
    keys(sal, "b", "u", "Lightning", "Enter", "Enter")
    recorded(sal, f"#{count + 1}")
    bring_in()
    expect(table).not_to_contain_text("Live: 1 game")
    expect(table.get_by_role("link", name=re.compile("Suspended"))).to_be_visible()
    ann.goto("/games/g2")
    expect(ann.get_by_role("region", name="Score")).to_contain_text("Suspended")
    keys(sal, "b", "a", "Enter", "Enter")
    recorded(sal, f"#{count + 2}")
    bring_in()
    expect(ann.get_by_role("region", name="Score")).not_to_contain_text("Suspended")

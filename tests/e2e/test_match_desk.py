"""An operator voids a match that its provider dropped, after a preview.

The member who guessed it reads so.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from app.core import clock
from app.predictions.points import PRESETS
from tests.e2e.looking import PHONE, looks_right
from tests.worlds.tournament import World

pytestmark = pytest.mark.e2e


def test_an_operator_voids_a_match_that_vanished(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    member("olive", role="operator")
    cup, now = World(PRESETS["margin"], "Harvest Cup"), clock.now()
    cup.match("m1", kickoff=now + timedelta(days=1))
    cup.match("m2", "liv", "mun", kickoff=now + timedelta(days=1))
    cup.poll(now)
    cup.guess("Ann", "m2", 2, 1, now)
    del cup.matches["m2"]
    cup.poll(now)

    page = open_page("olive", viewport=PHONE, expect_errors=["422"])
    page.goto("/ops")
    page.get_by_role("link", name="1 finding in provider answers").click()
    row = (
        page.get_by_role("region", name="Needs attention")
        .get_by_role("row")
        .filter(has_text="The match m2 is missing")
    )
    expect(row).to_be_visible()  # the click's page has come
    looks_right(page, "ops-findings")
    row.get_by_role("link", name="Void, merge or move m2").click()
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("Choose a decision.")).to_be_visible()
    page.get_by_label("Decision").select_option("Void it")
    page.get_by_label("Reason").fill("The cup is a match shorter.")
    page.get_by_role("button", name="Preview").click()
    preview = page.get_by_role("region", name="Preview")
    expect(preview).to_contain_text("Liv vs Mun (Week 1) will not count")
    expect(preview).to_contain_text("1 pick kept")
    looks_right(page, "ops-match-preview")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_role("region", name="Decided")).to_contain_text("Voided by Olive")
    expect(page.get_by_label("Decision")).to_contain_text("Count it again")
    page.goto("/ops/matches")
    expect(page.get_by_role("row").filter(has_text="Liv vs Mun")).to_contain_text("void")

    ann = open_page("ann", viewport=PHONE)
    ann.goto("/notices")
    expect(ann.get_by_text(re.compile("Liv vs Mun does not count"))).to_be_visible()

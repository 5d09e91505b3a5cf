"""An operator follows a season on a phone and sees what its feeds did."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from app.core import clock
from app.feeds import running, services
from tests.e2e.looking import PHONE, looks_right
from tests.worlds.season_files import ROSTER, SCHEDULE, written

pytestmark = pytest.mark.e2e


def test_an_operator_follows_a_season_and_sees_what_is_wrong(
    app: Flask,
    member: Callable[..., Member],
    open_page: Callable[..., Page],
    tmp_path: Path,
) -> None:
    member("olive", role="operator")
    written(tmp_path, "games.csv", SCHEDULE)
    written(tmp_path, "roster_2026.csv", ROSTER)
    written(tmp_path, "injuries_2026.csv", ROSTER)
    for feed in services.add(services.Following("nflverse", 2026, str(tmp_path)), clock.now()):
        running.run(feed.id, clock.now())

    page = open_page("olive", viewport=PHONE)
    page.goto("/ops/feeds")
    expect(page.get_by_role("row", name="Schedule 2026")).to_contain_text("5 games added")
    expect(page.get_by_role("row", name="Injury reports 2026")).to_contain_text(
        "this is a roster, not a list of injury reports"
    )
    looks_right(page)
    page.get_by_role("link", name="Rosters 2026").click()
    expect(page.get_by_role("heading", name="Rosters 2026")).to_be_visible()
    looks_right(page)
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_text("when resumed")).to_be_visible()
    page.get_by_text("Remove", exact=True).click()
    expect(page.get_by_text("The data it added stays.")).to_be_visible()
    looks_right(page)
    page.get_by_role("button", name="Remove this feed").click()
    expect(page.get_by_role("link", name="Schedule 2026")).to_be_visible()
    expect(page.get_by_role("link", name="Rosters 2026")).to_have_count(0)
    page.get_by_role("textbox", name="Season").fill("2027")
    page.get_by_role("button", name="Follow").click()
    expect(page.get_by_role("link", name="Schedule 2027")).to_be_visible()

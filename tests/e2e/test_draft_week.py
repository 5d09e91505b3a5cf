"""A member's week in a draft league on a phone, and the commissioner who helps."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.fantasy.market.models import FootballerSeason
from app.fantasy.rosters.queries import names_of, rosters_of
from tests.e2e.looking import LAPTOP, PHONE, looks_right
from tests.worlds.draft_leagues import Days, make_drafted_league

pytestmark = pytest.mark.e2e


def test_a_week_of_lineup_injured_reserve_and_a_drop(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    world = make_drafted_league(member, days=Days.before(clock.now() + timedelta(days=3)))
    runner, receiver, passer = (world.lineup(1)[place] for place in (1, 3, 0))
    names = names_of([runner, receiver, passer])
    db.session.get_one(FootballerSeason, (world.season.season_id, passer)).status = "injured"
    db.session.commit()

    ann = open_page("ann", viewport=PHONE)
    ann.goto(f"/leagues/{world.league.slug}")
    pages = ann.get_by_role("navigation", name="League", exact=True)
    pages.get_by_role("link", name="Team").click()
    expect(ann.get_by_role("heading", name="Starters")).to_be_visible()
    looks_right(ann, "roster-phone")

    ann.get_by_role("link", name="Set lineup,").click()
    ann.locator("#place-2 .tile").click()
    ann.get_by_role("button", name="Remove").click()
    expect(ann.locator("#place-2")).to_contain_text("Add player")
    ann.locator("#market").get_by_role("button", name="Close").click()
    expect(ann.locator("#market")).to_be_hidden()
    ann.get_by_role("button", name="Save lineup").click()
    expect(ann.get_by_text("Saved.", exact=True)).to_be_visible()
    looks_right(ann, "lineup-phone")

    ann.goto(f"/leagues/{world.league.slug}/roster")
    ann.locator("summary").filter(has_text=names[passer]).click()
    ann.get_by_role("button", name="To injured reserve").click()
    expect(ann.get_by_role("status").filter(has_text=f"{names[passer]} has moved")).to_be_visible()
    expect(ann.get_by_role("region", name="Injured reserve")).to_contain_text(names[passer])

    ann.locator("summary").filter(has_text=names[receiver]).click()
    ann.locator("li").filter(has_text=names[receiver]).get_by_role("link", name="Drop").click()
    looks_right(ann, "roster-drop-phone")
    ann.get_by_role("button", name="Drop").click()
    expect(
        ann.get_by_role("status").filter(has_text=f"You dropped {names[receiver]}")
    ).to_be_visible()
    assert receiver not in rosters_of(world.league.id).places

    ann.get_by_role("link", name="Settings", exact=True).click()
    looks_right(ann, "commissioner-phone")
    ann.get_by_role("link", name="Move players").click()
    ann.get_by_role("group", name="Move 1").get_by_label("Player").select_option(
        label=names[runner]
    )
    ann.get_by_role("group", name="Move 1").get_by_label("Move to").select_option("2-active")
    ann.get_by_role("button", name="Preview").click()
    expect(ann.get_by_role("region", name="Bob FC after these moves")).to_contain_text(
        names[runner]
    )
    looks_right(ann, "commissioner-moves-phone")
    ann.set_viewport_size(LAPTOP)
    ann.get_by_label("Reason").fill("A trade that they agreed on at dinner")
    ann.get_by_role("button", name="Make these moves").click()
    expect(ann.get_by_text("A trade that they agreed on at dinner")).to_be_visible()
    ann.get_by_role("link", name="Settings", exact=True).click()
    looks_right(ann, "commissioner-laptop")
    assert rosters_of(world.league.id).places[runner].franchise == 2

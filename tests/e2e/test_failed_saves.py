"""A save that fails does not look like a save.

Offline, signed out elsewhere, cookies gone, refused.

Nothing that was typed is lost, the page says what became of it, and what may be repeated is
repeated until it is saved (PRODUCT: the deadline holds; a save that was acknowledged is kept).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from flask import Flask
from playwright.sync_api import Locator, Page, expect

from app.accounts import member_sessions
from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues.services import NewLeague
from app.fantasy.sheets import services as sheets
from app.fantasy.standings.models import League
from app.predictions.points import PRESETS
from tests.conftest import PASSWORD
from tests.e2e.cable import DEAD_LINE, Cable
from tests.e2e.looking import PHONE, looks_right
from tests.e2e.signing_in import sign_in
from tests.e2e.team_editor import expect_armband, make_captain
from tests.worlds.league_season import CHOICE
from tests.worlds.seasons import make_open_season
from tests.worlds.team_sheets import make_world, rows, team
from tests.worlds.tournament import World as Tournament

pytestmark = pytest.mark.e2e

# htmx:sendAbort: a poll was under way when the page led to the sign-in page.
ERRORS = [
    *DEAD_LINE,
    "400",
    "401",
    "403",
    "404",
    "500",
    "Response Status Error Code",
    "htmx:sendAbort",
]


@pytest.fixture
def cable(site: str) -> Iterator[Cable]:
    cable = Cable(site)
    yield cable
    cable.cut()


def sign_out_elsewhere(member_id: int) -> None:
    member_sessions.end_all(member_id, clock.now())
    db.session.commit()


def sign_in_again(page: Page, username: str) -> None:
    """The save has led here, and leads back."""
    page.wait_for_url("**/sign-in?next=*")
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(lambda url: "/sign-in" not in url)


def message(page: Page) -> Locator:
    return page.locator("#message")


def test_a_team_that_cannot_be_saved(
    app: Flask, member: Callable[..., Member], open_page: Callable[..., Page], cable: Cable
) -> None:
    ann = member("ann")
    world = make_world(real=True, first=clock.now() + timedelta(days=2))
    saved = sheets.save(
        ann.id, world.team_rules.id, world.gameweeks[0].id, team(version=0), clock.now()
    )
    assert isinstance(saved, sheets.Saved)
    page = open_page("ann", viewport=PHONE, base_url=cable.address, expect_errors=ERRORS)
    save, done = (
        page.get_by_role("button", name="Save team"),
        page.locator(".done-note[data-focus]"),
    )

    page.goto("/team")
    make_captain(page, 1)
    cable.cut()
    save.click()
    expect(message(page)).to_contain_text("Not saved yet. We'll keep trying.")
    looks_right(page)
    save.click(trial=True)  # nothing lies on it
    assert rows()[0].version == 1
    cable.mend()
    expect(done).to_contain_text("Saved.")
    expect(message(page)).to_contain_text("You are connected again. Your changes are saved.")
    assert (rows()[0].version, rows()[0].captain) == (2, 1)

    for loses, place in ((lambda: sign_out_elsewhere(ann.id), 4), (page.context.clear_cookies, 5)):
        make_captain(page, place)
        loses()
        save.click()
        sign_in_again(page, "ann")
        expect_armband(page, place)
        expect(message(page)).to_contain_text(
            "You are signed in again. Your changes are here, but not saved yet."
        )
        save.click()
        expect(done).to_contain_text("Saved.")
        assert rows()[0].captain == place

    make_captain(page, 1)
    page.context.clear_cookies()
    # in another tab: the token of this one is void
    sign_in(page.context, app, "ann", cable.address)
    save.click()
    expect(done).to_contain_text("Saved.")
    make_captain(page, 4)
    page.route(
        "**/team/*",
        lambda route: route.fulfill(status=500, content_type="text/plain", body="It broke. Wait."),
    )
    save.click()
    expect(message(page)).to_contain_text("It broke. Wait.")


def test_a_guess_that_cannot_be_saved(
    app: Flask, open_page: Callable[..., Page], cable: Cable
) -> None:
    cup = Tournament(PRESETS["margin"], "Harvest Cup")
    cup.match("m1", kickoff=clock.now() + timedelta(hours=2))
    cup.poll(clock.now())
    cup.player("Ann")
    ann = db.session.scalars(db.select(Member).filter_by(username="ann")).one()
    page = open_page("ann", viewport=PHONE, base_url=cable.address, expect_errors=ERRORS)
    page.goto(f"/tournaments/{cup.id}")
    match = page.get_by_role("article", name="Ars vs Che")

    def guess(home: int, away: int) -> None:
        match.get_by_label("Ars", exact=True).fill(str(home))
        match.get_by_label("Che", exact=True).fill(str(away))
        page.keyboard.press("Tab")

    cable.cut()
    guess(2, 1)
    expect(message(page)).to_contain_text("Not saved yet. We'll keep trying.")
    cable.mend()
    expect(match.get_by_role("status")).to_have_text("Saved: 2–1")
    for number, loses in enumerate(
        (lambda: sign_out_elsewhere(ann.id), page.context.clear_cookies), start=3
    ):
        loses()
        match.get_by_label("Ars", exact=True).fill(str(number))
        page.keyboard.press("Tab")
        sign_in_again(page, "ann")
        expect(match.get_by_role("status")).to_have_text(f"Saved: {number}–1")
        expect(message(page)).to_contain_text("You are signed in again.")


@pytest.mark.parametrize("where", ["settings", "console"])
def test_a_form_that_cannot_be_sent(
    app: Flask,
    member: Callable[..., Member],
    open_page: Callable[..., Page],
    cable: Cable,
    where: str,
    game: str,
) -> None:
    person = member("ann", role="scorer")
    if where == "settings":
        season = make_open_season(clock.now() + timedelta(days=30), time_zone="America/New_York")
        new = NewLeague("Row", "Ann FC", season_id=season.id, choice=CHOICE, rules="half_ppr_idp")
        league = leagues.create(person.id, new, clock.now())
        assert isinstance(league, League)
        path, label, button = f"/leagues/{league.slug}/settings", "League name", "Rename"
    else:
        path, label, button = f"/console/{game}/details", "Stadium", "Save details"
    page = open_page("ann", base_url=cable.address, expect_errors=ERRORS)
    page.goto(path)
    field, send, saved = (
        page.get_by_label(label, exact=True),
        page.get_by_role("button", name=button),
        page.get_by_text("Saved."),
    )
    field.fill("The First Name")
    cable.cut()
    send.click()
    expect(message(page)).to_contain_text("We'll send this when you reconnect")
    expect(field).to_have_value("The First Name")
    looks_right(page)
    cable.mend()
    expect(saved).to_be_visible()
    expect(field).to_have_value("The First Name")
    for loses, name in (
        (lambda: sign_out_elsewhere(person.id), "The Second"),
        (page.context.clear_cookies, "The Third"),
    ):
        page.goto(path)
        field.fill(name)
        loses()
        send.click()
        sign_in_again(page, "ann")
        expect(field).to_have_value(name)
        expect(message(page)).to_contain_text(
            "You are signed in again. Your changes are here, but not saved yet."
        )
        send.click()
        expect(saved).to_be_visible()
        expect(field).to_have_value(name)
    page.goto(path)  # which does not say "Saved." of the save before
    field.fill("The Fourth")
    page.context.clear_cookies()
    # in another tab: the token of this one is void
    sign_in(page.context, app, "ann", cable.address)
    send.click()
    expect(saved).to_be_visible()
    expect(field).to_have_value("The Fourth")
    field.fill("The Fifth")
    member("bob")
    page.context.clear_cookies()
    sign_in(page.context, app, "bob", cable.address)
    send.click()
    expect(message(page)).to_contain_text("This browser is now signed in as someone else.")

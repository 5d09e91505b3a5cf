"""A member drags the slider back through a live game, filters its plays, and returns to now."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask import Flask
from playwright.sync_api import Page, Route, expect

from app.core import clock
from app.record import events as ev
from scorer_console.record.numbering import Entry
from tests.e2e.looking import PHONE, looks_right
from tests.e2e.road import bring_in, record_has
from tests.waiting import until
from tests.worlds.games import make_game, touchdown_drive
from tests.worlds.scorer import submit

pytestmark = pytest.mark.e2e


@pytest.fixture
def drive(app: Flask) -> None:
    make_game("g1")
    submit("g1", [Entry(body, f"d:{i}") for i, body in enumerate(touchdown_drive())], clock.now())
    record_has("g1", 11)


def open_sheet(page: Page) -> None:
    page.get_by_role("button", name="Rewind").click()
    expect(page.get_by_role("form", name="Rewind")).to_be_visible()


def drag(page: Page, number: int) -> None:
    """Moves the slider to the event, as a finger does.

    The browser reports every step on the way.
    """
    slider = page.get_by_label("Point in the game")
    expect(slider).to_be_visible()
    slider.evaluate(
        "(slider, to) => { for (const value of [to + 2, to + 1, to]) {"
        " slider.value = value; slider.dispatchEvent(new Event('input', {bubbles: true})); } }",
        number,
    )


@pytest.mark.usefixtures("drive")
def test_the_slider_shows_the_game_as_it_was_while_it_goes_on(
    open_page: Callable[..., Page],
) -> None:
    page = open_page(viewport=PHONE)
    page.goto("/games/g1/box")
    row = page.get_by_role("row", name=re.compile("H. Player1"))
    expect(row).to_contain_text("65")
    expect(page.get_by_label("Point in the game")).to_be_hidden()
    open_sheet(page)
    expect(page.get_by_label("Point in the game")).to_be_focused()
    looks_right(page, "any-moment")
    drag(page, 6)
    expect(page.get_by_text("As of Q1 15:00")).to_be_visible()
    expect(row).to_have_count(0)
    expect(page).to_have_url(re.compile(r"/games/g1/box\?at=6$"))
    submit("g1", [Entry(ev.Timeout(team="SUM"), "late")], clock.now())
    bring_in()
    drag(page, 8)
    expect(page.get_by_text("As of Q1 14:30")).to_be_visible()
    expect(page.get_by_label("Point in the game")).to_have_attribute("max", "12")
    page.keyboard.press("Escape")
    expect(page.get_by_label("Point in the game")).to_be_hidden()
    page.get_by_role("link", name="Plays", exact=True).click()
    expect(page.get_by_text("Player1 to Player2 to the SUM 40 for 25")).to_be_visible()
    expect(page.get_by_text("for 65 yards")).to_have_count(0)
    page.get_by_label("Type").select_option("run")
    expect(page.get_by_text("Player1 to Player2 to the SUM 40 for 25")).to_have_count(0)
    expect(page.get_by_text("Player3 runs to the HRB 35 for 10")).to_be_visible()
    page.get_by_role("link", name="Back to now").click()
    expect(page.get_by_text("for 65 yards")).to_be_visible()


@pytest.mark.usefixtures("drive")
def test_a_filter_chosen_before_htmx_is_there_counts(open_page: Callable[..., Page]) -> None:
    page = open_page(viewport=PHONE)
    routes: list[Route] = []
    page.route("**/vendor/htmx-*", lambda route: routes.append(route))  # a slow network
    page.goto("/games/g1/plays", wait_until="commit")
    page.get_by_label("Type").select_option("run")
    until(lambda: page.evaluate("1") and routes, "the browser asks for htmx")
    expect(page.get_by_text("Player1 to Player2 for 65 yards")).to_be_visible()
    routes[0].continue_()
    expect(page.get_by_text("Player1 to Player2 for 65 yards")).to_have_count(0)
    expect(page.get_by_text("Player3 runs to the HRB 35 for 10")).to_be_visible()


@pytest.mark.usefixtures("drive")
def test_filters_stay_while_the_list_follows_the_game(open_page: Callable[..., Page]) -> None:
    page = open_page(viewport=PHONE)
    page.goto("/games/g1/plays")
    page.get_by_label("Club").select_option("SUM")
    expect(page).to_have_url(re.compile("club=SUM"))
    expect(page.get_by_text("Player3 runs to the HRB 35 for 10")).to_have_count(0)
    page.get_by_label("Club").focus()
    late: list[ev.Body] = [
        ev.Snap(possession="SUM", spot=25, period=1, clock=800, down=1, distance=10),
        ev.Run(team="SUM", player="S3", kind="rush", start_yard=25, end_yard=37),
    ]
    submit("g1", [Entry(body, f"late:{i}") for i, body in enumerate(late)], clock.now())
    bring_in()
    expect(page.get_by_text("S. Player3 runs to the SUM 37 for 12")).to_be_visible()
    expect(page.locator("#board")).to_contain_text("13:20")
    expect(page.get_by_label("Club")).to_be_focused()
    expect(page.get_by_label("Club")).to_have_value("SUM")


@pytest.mark.usefixtures("drive")
def test_looking_back_and_filtering_without_javascript(open_page: Callable[..., Page]) -> None:
    page = open_page(viewport=PHONE, java_script_enabled=False)
    page.goto("/games/g1/plays")
    open_sheet(page)
    page.get_by_label("Rewind to", exact=True).fill("Q1-14:59")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_text("As of Q1 15:00")).to_be_visible()
    page.get_by_label("Type").select_option("kick")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_text("As of Q1 15:00")).to_be_visible()
    expect(page.get_by_text("kicks off")).to_be_visible()
    expect(page.get_by_text("Player3 runs to the HRB 35 for 10")).to_have_count(0)


@pytest.mark.usefixtures("drive")
def test_older_drives_are_folded_and_a_link_to_a_play_opens_its_drive(
    open_page: Callable[..., Page],
) -> None:
    newer: list[ev.Body] = [
        ev.Snap(possession="SUM", spot=25, period=1, clock=800, down=1, distance=10),
        ev.Run(team="SUM", player="S3", kind="rush", start_yard=25, end_yard=37),
    ]
    submit("g1", [Entry(body, f"newer:{i}") for i, body in enumerate(newer)], clock.now())
    bring_in()
    page = open_page(viewport=PHONE)
    page.goto("/games/g1/plays")
    touchdown = page.get_by_text("Player1 to Player2 for 65 yards")
    expect(page.get_by_text("Player3 runs to the SUM 37 for 12")).to_be_visible()
    expect(touchdown).to_be_hidden()
    looks_right(page, "plays-by-drive")
    page.locator("#fold-drive-1").press("Enter")
    expect(touchdown).to_be_visible()
    page.goto("/games/g1")
    page.goto("/games/g1/plays#play-3")
    expect(touchdown).to_be_in_viewport()

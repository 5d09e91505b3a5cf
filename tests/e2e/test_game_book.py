"""The box score on a phone and a desktop, and the game book on A4 and Letter.

Also what a scorer sees when it does not balance.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from app.core import clock
from app.record import events as ev
from app.record.seal import found_in
from scorer_console.record.numbering import Entry
from tests.e2e.looking import PHONE, looks_right, picture
from tests.e2e.road import record_has
from tests.worlds.entered_game import enter_simulated
from tests.worlds.games import make_game, touchdown_drive
from tests.worlds.scorer import leave, submit

pytestmark = pytest.mark.e2e
STEPS = 200


def enter(bodies: list[ev.Body]) -> None:
    submit("g1", [Entry(body, f"start:{i}") for i, body in enumerate(bodies)], clock.now())
    leave("g1", clock.now())
    record_has("g1", len(bodies))


def test_the_box_score_and_the_book_of_a_quarter_are_read_and_printed(
    app: Flask, open_page: Callable[..., Page]
) -> None:
    enter_simulated("g1", 4, STEPS)
    record_has("g1", STEPS)
    page = open_page(viewport=PHONE)
    page.goto("/games/g1/box")
    expect(page.get_by_role("row", name=re.compile("^Red zone"))).to_be_visible()
    expect(page.get_by_role("heading", name="Punting")).to_be_visible()
    looks_right(page, "box-score")
    page.goto("/games/g1/book")
    expect(page.get_by_role("heading", name="Seal")).to_be_visible()
    assert found_in(page.content()) is not None
    looks_right(page, "game-book")
    is_laid_out_for_print(page)
    for paper, points in (("A4", (595, 842)), ("Letter", (612, 792))):
        prints_on(page, paper, points)


def test_the_book_follows_the_theme_on_a_screen_and_is_black_on_white_on_paper(
    app: Flask, open_page: Callable[..., Page]
) -> None:
    enter_simulated("g1", 4, STEPS)
    record_has("g1", STEPS)
    page = open_page(viewport=PHONE, color_scheme="dark")
    page.goto("/games/g1/book")
    body = page.locator("body")
    expect(body).to_have_css("background-color", "rgb(15, 21, 18)")
    looks_right(page, "game-book-dark")
    page.emulate_media(media="print")
    expect(body).to_have_css("background-color", "rgb(255, 255, 255)")
    expect(body).to_have_css("color", "rgb(20, 24, 26)")


A4_PRINTED = 703  # px of the width of A4 between its margins of 12 mm


def is_laid_out_for_print(page: Page) -> None:
    """At the width of a sheet no table scrolls and no name takes three lines.

    No chapter begins a sheet of its own.

    Pages are numbered: the browser fills the margin box (CSS Paged Media 3).
    """
    page.emulate_media(media="print")
    page.set_viewport_size({"width": A4_PRINTED, "height": 1000})
    layout = page.evaluate(
        """() => {
            const all = (chosen) => [...document.querySelectorAll(chosen)];
            const lines = (cell) => {
                const range = document.createRange();
                range.selectNodeContents(cell);
                return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size;
            };
            return {
                scrolling: all(".table-scroll")
                    .filter((box) => getComputedStyle(box).overflowX !== "visible").length,
                wide: all(".table-scroll")
                    .filter((box) => box.scrollWidth > box.clientWidth + 1).length,
                lines: Math.max(...all("tbody th").map(lines)),
                broken: all("section")
                    .filter((part) => getComputedStyle(part).breakBefore !== "auto").length,
                numbered: [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
                    .some((rule) => rule instanceof CSSPageRule
                        && rule.cssText.includes("counter(page)")),
            };
        }"""
    )
    assert layout.pop("lines") <= 2
    assert layout == {"scrolling": 0, "wide": 0, "broken": 0, "numbered": True}
    page.emulate_media(media="screen")
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]


def prints_on(page: Page, paper: str, points: tuple[int, int]) -> None:
    """Every printed sheet has the size of the paper."""
    printed = page.pdf(format=paper)
    sizes = {
        (round(float(wide)), round(float(high)))
        for wide, high in re.findall(rb"/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)", printed)
    }
    assert sizes
    for wide, high in sizes:  # a browser rounds a millimetre up or down
        assert abs(wide - points[0]) <= 2
        assert abs(high - points[1]) <= 2
    if folder := os.environ.get("SCREENS"):
        (Path(folder) / f"game-book-{paper}.pdf").write_bytes(printed)


def test_a_scorer_sees_at_once_what_does_not_balance(
    app: Flask,
    member: Callable[..., Member],
    open_page: Callable[..., Page],
) -> None:
    make_game("g1")
    member("sal", role="scorer")
    bodies = touchdown_drive()[:7]
    bodies[6] = ev.Snap(possession="HRB", spot=40, period=1, clock=870, down=1, distance=10)
    enter(bodies)
    page = open_page("sal", viewport=PHONE)
    page.goto("/console/g1")
    expect(page.locator("#cmd")).to_be_focused()
    strip = page.get_by_role("region", name="Situation")
    expect(strip.get_by_text("Doesn't add up:")).to_be_visible()
    expect(strip).to_contain_text("a penalty of 5 yards is missing")
    expect(page.get_by_role("heading", name="Doesn't add up: 1")).to_be_visible()
    looks_right(page, "console-unbalanced")
    page.goto("/games/g1")
    expect(page.get_by_role("region", name="Data check")).to_contain_text("Play 3")
    looks_right(page, "game-unbalanced")


def test_a_scorer_writes_the_details_by_keys_and_the_book_has_them(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    make_game("g1")
    member("sal", role="scorer")
    enter(touchdown_drive())
    page = open_page("sal", viewport=PHONE, expect_errors=["422"])
    page.goto("/console/g1/details")
    page.get_by_label("Attendance").fill("a lot")
    page.get_by_label("Referee").fill("A. Whistle")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Attendance: enter a whole number")).to_be_visible()
    expect(page.get_by_label("Referee")).to_have_value("A. Whistle")
    looks_right(page, "details-fault")
    page.get_by_label("Attendance").fill("71,008")
    page.keyboard.press("Tab")
    page.keyboard.type("Harbor Field")
    page.keyboard.press("Tab")
    page.keyboard.type("Grass")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="Saved.")).to_have_count(1)
    picture(page, "details-saved")
    page.get_by_role("link", name="View game book").click()
    expect(page.get_by_role("heading", name="Details")).to_be_visible()
    expect(page.get_by_text("71,008")).to_be_visible()
    page.get_by_role("heading", name="Details").scroll_into_view_if_needed()
    picture(page, "game-book-details")

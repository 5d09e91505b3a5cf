"""The race of a league on a phone and a laptop.

It fits, names each line, and is read by touch at any gameweek.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from tests.e2e.looking import LAPTOP, NARROWEST, PHONE, in_sizes, looks_right
from tests.worlds.played_league import played_league

pytestmark = pytest.mark.e2e
YARDS = (
    {"ann": 50, "bob": 40},
    {"ann": 10, "bob": 60},
    {"ann": 30, "bob": 30},
    {"ann": 90, "bob": 20},
)
# The parts of the chart that stand outside of it, or whose letters are smaller than 12 px.
UNREADABLE = """() => {
    const charts = [...document.querySelectorAll(".race-svg")];
    const chart = charts.find(one => one.getBoundingClientRect().width);
    const frame = chart.getBoundingClientRect(), scale = frame.width / chart.viewBox.baseVal.width;
    return [...chart.querySelectorAll("text, polyline, circle")].filter(part => {
        const box = part.getBoundingClientRect();
        return box.left < frame.left || box.right > frame.right
            || part.matches("text") && parseFloat(getComputedStyle(part).fontSize) * scale < 12;
    }).map(part => part.outerHTML);
}"""


def test_the_race_fits_names_its_lines_and_is_read_by_touch(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    ids = {name: member(name).id for name in ("ann", "bob")}
    played = played_league(ids, YARDS)
    ann = open_page("ann", viewport=PHONE)
    ann.goto(f"/leagues/{played.league.slug}/race")
    chart = ann.get_by_role("img", name="Points behind the leader after each week")
    expect(chart).to_have_count(1)  # the style sheet hides one of two
    key = ann.get_by_role("list", name="After Week 4").get_by_role("listitem")
    expect(key).to_contain_text(["Ann FC", "Bob FC"])
    expect(key.locator("strong")).to_have_text(["Leader", "-6.00"])
    expect(chart.locator(".name")).to_have_text(["Ann FC", "Bob FC"])
    ann.evaluate("document.fonts.ready.then(() => null)")
    for _ in in_sizes(ann, PHONE, LAPTOP, PHONE | {"width": NARROWEST}):
        expect(chart).to_have_count(1)
        assert ann.evaluate(UNREADABLE) == []

    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    assert box is not None
    chart.click(position={"x": box["width"] / 3, "y": box["height"] / 2})
    expect(ann.get_by_role("heading", name="After Week 2")).to_be_visible()
    expect(ann.locator(".race-key strong")).to_have_text(["-8.00", "Leader"])
    slider = ann.get_by_role("slider", name="Week")
    slider.press("Home")
    expect(ann.get_by_role("heading", name="After Week 1")).to_be_visible()
    expect(ann.locator(".race-key strong")).to_have_text(["Leader", "-2.00"])
    ann.get_by_role("link", name="Ranks").click()
    expect(ann.get_by_role("img", name="Ranks after each week")).to_have_count(1)
    expect(ann.locator(".race-key strong")).to_have_text(["1", "2"])
    looks_right(ann, "race-ranks")


def test_without_scripts_the_key_says_how_it_stands(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    ids = {name: member(name).id for name in ("ann", "bob")}
    played = played_league(ids, YARDS[:2])
    ann = open_page("ann", viewport=PHONE, java_script_enabled=False)
    ann.goto(f"/leagues/{played.league.slug}/race")
    expect(ann.get_by_role("heading", name="After Week 2")).to_be_visible()
    # in the order of the table
    expect(ann.locator(".race-key strong")).to_have_text(["Leader", "-8.00"])
    expect(ann.get_by_role("slider")).to_have_count(0)

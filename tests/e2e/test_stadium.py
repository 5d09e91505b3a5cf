"""The stadium's view: read from a metre, without the members' menu, in the sun and at night."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from tests.e2e.desk import play
from tests.e2e.keyboard import keys, recorded
from tests.e2e.looking import LAPTOP, looks_right
from tests.worlds.games import make_game

pytestmark = pytest.mark.e2e
READ_FROM_A_METRE = 26  # px
FULL_CONTRAST = 12
CONTRAST = """(selector) => {
  const element = document.querySelector(selector);
  const channels = (text) => text.match(/[\\d.]+/g).map(Number);
  let box = element;
  while (channels(getComputedStyle(box).backgroundColor)[3] === 0) box = box.parentElement;
  const light = ([r, g, b]) => [r, g, b].map((value) => value / 255)
    .map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
  const pair = [getComputedStyle(element).color, getComputedStyle(box).backgroundColor]
    .map((text) => light(channels(text))).sort((a, b) => b - a);
  return (pair[0] + 0.05) / (pair[1] + 0.05);
}"""


@pytest.fixture
def page(member: Callable[..., Member], open_page: Callable[..., Page]) -> Page:
    """The console of a game with two plays, on a laptop."""
    make_game("g1")
    member("sal", role="scorer")
    page = open_page("sal", viewport=LAPTOP)
    page.goto("/console/g1")
    expect(page.locator("#cmd")).to_be_focused()
    keys(page, "b", "Enter", "Enter")
    recorded(page, "#1 to #2")
    play(page, 1)
    recorded(page, "#4 to #5")
    play(page, 3)
    recorded(page, "#7 to #8")
    return page


def size_of(page: Page, selector: str) -> float:
    size: float = page.evaluate(
        "(selector) => parseFloat(getComputedStyle(document.querySelector(selector)).fontSize)",
        selector,
    )
    return size


def test_the_sentence_and_the_next_snap_are_read_from_a_metre_and_the_keys_stay_in_sight(
    page: Page,
) -> None:
    expect(page.get_by_role("navigation")).to_have_count(0)
    expect(page.get_by_role("link", name="‹ Games")).to_be_visible()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    keys(page, "r", "Enter", "3", "Enter", "+4", "Enter", "9", "Enter")
    expect(page.locator("#sentence-label")).to_have_text("Enter records")
    expect(page.locator("#next")).to_contain_text("Next: HRB ball")
    for selector in ("#sentence", "#next"):
        assert size_of(page, selector) >= READ_FROM_A_METRE
        assert page.evaluate(CONTRAST, selector) >= FULL_CONTRAST
    for name in ("r run", "? help", "j play list"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight"), "nothing scrolls"
    looks_right(page, "stadium")


def test_light_and_size_are_remembered(page: Page) -> None:
    before = size_of(page, "#sentence")
    keys(page, "+")
    assert size_of(page, "#sentence") > before
    keys(page, "D")
    expect(page.get_by_role("button", name="Theme: sun")).to_be_visible()
    keys(page, "D")
    expect(page.get_by_role("button", name="Theme: night")).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Theme: night")).to_be_visible()
    assert size_of(page, "#sentence") > before
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(0, 0, 0)"
    keys(page, "-")
    assert size_of(page, "#sentence") == before
    looks_right(page, "stadium-night")


def test_the_log_is_by_play_and_searched_by_player_and_quarter(page: Page) -> None:
    newest = page.locator(".log .log-play").first
    expect(newest).to_contain_text("Play 2")
    expect(newest).to_contain_text("Q1 13:30 HRB 1st & 10 at HRB 37")
    expect(newest.get_by_role("listitem")).to_have_count(3)
    keys(page, "/")
    page.keyboard.type("player9 p1")
    matches = page.get_by_role("region", name="Plays found")
    expect(matches.locator(".log-play")).to_have_count(1)
    expect(matches.locator(".is-match")).to_contain_text("S. Player9")
    looks_right(page, "stadium-find")
    keys(page, "Escape")
    expect(page.locator("#cmd")).to_be_focused()
    expect(matches).to_be_hidden()


@pytest.mark.full  # tests/console/test_lesson.py has the marks
def test_a_trainee_is_asked_for_plays_and_gets_a_mark(page: Page) -> None:
    page.goto("/console/")
    page.get_by_label("Visiting club").first.select_option("SUM")
    page.get_by_label("Home club").first.select_option("HRB")
    page.get_by_role("button", name="Start the lesson: 12 plays, graded").click()
    expect(page.locator("#cmd")).to_be_focused()
    asked = page.get_by_role("status", name="What happens")
    expect(asked).to_have_text("HRB kicks off: a touchback.")
    looks_right(page, "lesson")
    keys(page, "b", "Enter", "Enter", "L", "kt", "Enter")
    expect(asked).to_contain_text("3 runs for 3, tackle by 9.")
    keys(page, "r3+3/8", "Enter")
    expect(page.get_by_text("Not yet: Tackle by 9")).to_be_visible()
    recorded(page, "#5 to #7")
    keys(page, "u", "Enter", "Enter", "r3+3/9", "Enter")
    expect(asked).to_contain_text("24 and 31 share the tackle.")
    lines = ("p1c2+6+4/24,31", "p1i85/24", "s1-7/91", "p1c2+12/9", "kp5fo12", "n h fs 66")
    for number, line in enumerate(lines, 4):
        keys(page, line, "Enter")
        expect(page.get_by_role("heading", name=f"play {number} of 12")).to_be_visible()
    keys(page, "r3+8", "Enter")
    expect(page.get_by_text("Not yet: Fumble by 3 is missing.")).to_be_visible()
    for line in ("f/9va31", "p1c2+8t", "k4", "kr28g+24/40"):
        keys(page, line, "Enter")
        expect(page.locator("#cmd")).to_have_value("")
    expect(page.get_by_role("status", name="Grade")).to_have_text(
        "Grade A: 12 of 12 plays are right."
    )

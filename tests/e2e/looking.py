"""What every page is looked at for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.sizes import FULL

NARROWEST = 320  # px
PHONE = {"width": 390, "height": 844}
LAPTOP = {"width": 1280, "height": 800}
AXE = Axe().axe_script
_tried_paints: set[str] = set()
# Contrast takes most of axe's time, and depends on how an element is painted: an ordinary run tries
# it once for each way to paint, which is the text's colour, size and weight and everything that is
# painted behind it.
VIOLATIONS = """async (tried) => {
    const ways = new Map();
    const behind = (element) => {
        const style = getComputedStyle(element);
        const above = element.parentElement ? behind(element.parentElement) : "";
        const own = [style.backgroundColor, style.backgroundImage, style.opacity].join(" ");
        return own === "rgba(0, 0, 0, 0) none 1" ? above : `${above} > ${own}`;
    };
    for (const element of document.body.querySelectorAll("*")) {
        if (!element.checkVisibility()) continue;
        const { color, fontSize, fontWeight } = getComputedStyle(element);
        const way = [color, fontSize, fontWeight, behind(element)].join(" ");
        ways.set(way, [...(ways.get(way) ?? []), element]);
    }
    const untried = [...ways.keys()].filter((way) => !tried.includes(way));
    const include = untried.flatMap((way) => ways.get(way));
    const resultTypes = ["violations"];
    const rules = { "color-contrast": { enabled: false } };
    const results = [];
    if (include.length) {  // before anything is awaited: the page may replace these elements
        results.push(await axe.run({ include }, { resultTypes, runOnly: ["color-contrast"] }));
    }
    results.push(await axe.run({ resultTypes, rules }));
    const violations = results.flatMap((result) => result.violations);
    return [untried, violations.map(({ id, impact, help, nodes }) =>
        `${id} (${impact}): ${help}` + nodes.map((node) =>
            `\\n  ${node.target.join(" ")}\\n    ${node.html}`
            + `\\n    ${node.failureSummary}`).join(""))];
}"""
# Ids that stand twice: labels and descriptions lead to the first of them.
TWICE = """() => {
    const seen = new Set();
    return [...document.querySelectorAll("[id]")].map(({ id }) => id)
        .filter((id) => seen.has(id) || !seen.add(id));
}"""
# How wide the page is in its own fonts, and in those that are seen until they have come, or when
# they never do.
WIDTHS = """async () => {
    const style = document.documentElement.style;
    const widths = [];
    for (const font of ["system-ui, sans-serif", ""]) {  // an empty one takes the property away
        for (const name of ["--font", "--font-head"]) style.setProperty(name, font);
        await document.fonts.ready;
        widths.push(document.documentElement.scrollWidth);
    }
    return widths;
}"""
# Elements that end beyond the window, the innermost ones, but for those inside a box that scrolls
# by itself.
RUN_OVER = """() => [...document.body.querySelectorAll("*")].filter(one => {
    if (one.getBoundingClientRect().right <= document.documentElement.clientWidth) return false;
    for (let box = one.parentElement; box && box !== document.body; box = box.parentElement)
        if (getComputedStyle(box).overflowX !== "visible") return false;
    return true;
}).filter((one, _, all) => !all.some(other => other !== one && one.contains(other))).slice(0, 8)
  .map(one => `${one.outerHTML.slice(0, 160)} in <${one.parentElement.outerHTML.slice(0, 80)}`)"""


def looks_right(page: Page, name: str = "") -> None:
    """The page is accessible and fits a phone, a laptop and the narrowest phone.

    Accessibility takes most of the time: a full run looks for it on a phone and on a laptop, an
    ordinary one in the size that the page has. With a name, pictures of it are taken. The page's
    size stays as it was.
    """
    present, other = (PHONE, LAPTOP) if page.viewport_size == PHONE else (LAPTOP, PHONE)
    accessible(page)
    # What fits the narrowest phone fits the usual one too: a full run looks at both.
    looked_at = (present, other) if FULL or "SCREENS" in os.environ else (LAPTOP,)
    for size in in_sizes(page, *looked_at, PHONE | {"width": NARROWEST}):
        fits_the_window(page)
        if FULL and size == other:
            accessible(page)
        if name and size in (present, other):
            picture(page, name)


def fits_the_window(page: Page) -> None:
    """Nothing overflows the page at its width, in its own fonts and before they have loaded."""
    page.wait_for_load_state()  # a click returns when its page begins to arrive
    size = page.viewport_size
    assert size is not None
    widest = max(page.evaluate(WIDTHS))
    assert widest <= size["width"], (
        f"{page.url} takes {widest} of {size['width']} px: {page.evaluate(RUN_OVER)}"
    )


def accessible(page: Page) -> None:
    """No accessibility issue is found by axe."""
    page.wait_for_load_state()  # a click returns when its page begins to arrive
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE)
    untried, violations = page.evaluate(VIOLATIONS, [] if FULL else list(_tried_paints))
    assert not violations, "\n".join([page.url, *violations])
    twice = page.evaluate(TWICE)
    assert twice == [], f"{page.url} has ids twice: {twice}"
    _tried_paints.update(untried)


def picture(page: Page, name: str) -> None:
    """A picture of the whole page in the folder that SCREENS names; without it none is taken."""
    if folder := os.environ.get("SCREENS"):
        size = page.viewport_size
        assert size is not None
        page.screenshot(path=Path(folder) / f"{name}-{size['width']}.png", full_page=True)


def in_sizes(page: Page, *sizes: Any) -> Iterator[Any]:
    """Gives the page each size in turn, and then the one back that it had."""
    before = page.viewport_size
    assert before is not None
    for size in sizes:
        if page.viewport_size != size:
            page.set_viewport_size(size)
        yield size
    if page.viewport_size != before:
        page.set_viewport_size(before)

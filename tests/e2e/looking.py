"""What every page is looked at for."""

from __future__ import annotations

import os
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

NARROWEST = 320  # px
# What is seen until the page's own fonts have come, or when they never do.
FALLBACK = "system-ui, sans-serif"
SET_FONTS = """font => {
    for (const name of ["--font", "--font-head"]) document.documentElement.style.setProperty(name, font);
}"""
# Elements that end beyond the window, the innermost ones, but for those inside a box that scrolls by itself.
RUN_OVER = """() => [...document.body.querySelectorAll("*")].filter(one => {
    if (one.getBoundingClientRect().right <= document.documentElement.clientWidth) return false;
    for (let box = one.parentElement; box && box !== document.body; box = box.parentElement)
        if (getComputedStyle(box).overflowX !== "visible") return false;
    return true;
}).filter((one, _, all) => !all.some(other => other !== one && one.contains(other))).slice(0, 8)
  .map(one => `${one.outerHTML.slice(0, 160)} in <${one.parentElement.outerHTML.slice(0, 80)}`)"""


def fits_the_window(page: Page) -> None:
    """Nothing runs over the page's edge at the width that it has, in its own fonts and before they have come."""
    size = page.viewport_size
    assert size is not None
    for font in (FALLBACK, ""):  # an empty one takes the property away
        page.evaluate(SET_FONTS, font)
        page.evaluate("document.fonts.ready.then(() => null)")
        found = page.evaluate("document.documentElement.scrollWidth")
        assert found <= size["width"], f"{page.url} takes {found} of {size['width']} px: {page.evaluate(RUN_OVER)}"


def fits(page: Page) -> None:
    """As fits_the_window, at the page's width and at the narrowest; the width stays as it was."""
    size = page.viewport_size
    assert size is not None
    for width in (size["width"], NARROWEST):
        page.set_viewport_size({"width": width, "height": size["height"]})
        fits_the_window(page)
    page.set_viewport_size(size)


def accessible(page: Page) -> None:
    """axe finds nothing."""
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def picture(page: Page, name: str) -> None:
    """A picture of the whole page in the folder that SCREENS names; without it none is taken."""
    if folder := os.environ.get("SCREENS"):
        size = page.viewport_size
        assert size is not None
        page.screenshot(path=Path(folder) / f"{name}-{size['width']}.png", full_page=True)

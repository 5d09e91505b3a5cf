"""Acts of a member in the team editor."""

from __future__ import annotations

from playwright.sync_api import Page, expect


def open_place(page: Page, place: int) -> None:
    """Opens the market for a place, unless the act before has opened it."""
    market = page.locator(f"#market[data-place='{place}']")
    if not market.count() or not market.is_visible():
        page.locator(f"#place-{place} button").click()
    expect(market).to_be_visible()


def make_captain(page: Page, place: int, armband: str = "Captain") -> None:
    """Gives the player of a place an armband, and waits until the tile shows it."""
    open_place(page, place)
    page.locator("#market").get_by_role("button", name=armband, exact=True).click()
    expect_armband(page, place, armband)


def expect_armband(page: Page, place: int, armband: str = "Captain") -> None:
    """The tile of a place says that its player has the armband."""
    expect(page.locator(f"#place-{place} .marks")).to_contain_text(armband)

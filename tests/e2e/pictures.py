"""Takes the pictures of the README from a demo whose games are being played.

`make pictures` is `python -m tests.e2e.pictures ADDRESS`, beside `make run`. The scorer takes a
game over from the demo, which goes on with it when the browser has gone.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from app.demo.logins import DEMO_PASSWORD
from tests.e2e.browser import path_of_browser
from tests.e2e.looking import LAPTOP, PHONE

FOLDER = Path(__file__).parent.parent.parent / "docs/pictures"
MEMBER, LEAGUE = "inkwell", "front-page-derby"
COLOURS = 128
MOST_BYTES = 150_000
FRAMES_MS = 3000  # pages that move have moved


def sign_in(browser: Browser, address: str, username: str, **options: object) -> Page:
    page = browser.new_page(base_url=address, **options)  # type: ignore[arg-type]
    page.goto("/sign-in")
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password").fill(DEMO_PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url(lambda url: "/sign-in" not in url)
    return page


def take(page: Page, name: str) -> None:
    """Store what is in the window, in few colours."""
    page.wait_for_timeout(FRAMES_MS)
    with Image.open(io.BytesIO(page.screenshot())) as picture:
        few = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
        few.save(FOLDER / f"{name}.png", optimize=True)
    size = (FOLDER / f"{name}.png").stat().st_size
    assert size < MOST_BYTES, f"{name}.png has {size} bytes"


def take_members_pages(browser: Browser, address: str) -> None:
    phone = sign_in(browser, address, MEMBER, viewport=PHONE)
    phone.get_by_role("heading", name="Your players live").wait_for()
    take(phone, "home")
    phone.goto(f"/leagues/{LEAGUE}")
    phone.get_by_role("link", name="Your matchup").click()
    phone.get_by_role("heading", name="Starters").wait_for()
    take(phone, "matchup")
    laptop = sign_in(browser, address, MEMBER, viewport=LAPTOP)
    laptop.goto(f"/leagues/{LEAGUE}/replay/2")
    laptop.get_by_role("slider").wait_for()
    laptop.mouse.wheel(0, 515)  # px, to what moves
    take(laptop, "replay")


def take_console(browser: Browser, address: str) -> None:
    console = sign_in(browser, address, "scorer", viewport=LAPTOP)
    console.goto("/console/")
    live = console.get_by_role("row").filter(has=console.get_by_role("cell", name="live"))
    live.get_by_role("link").first.click()
    console.get_by_text("You are watching").wait_for()
    console.keyboard.press("Shift+T")
    console.get_by_text("You are watching").wait_for(state="hidden")
    console.keyboard.type("s")
    take(console, "console")


def main(address: str) -> None:
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        path = path_of_browser(playwright.chromium)
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        take_members_pages(browser, address)
        take_console(browser, address)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1])

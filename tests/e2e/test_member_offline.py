"""A member in the stadium's basement: pages without a network show their last state and say so."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from tests.e2e.cable import DEAD_LINE, Cable
from tests.e2e.looking import PHONE, looks_right
from tests.e2e.signing_in import sign_in_by_form, sign_out
from tests.waiting import until

pytestmark = pytest.mark.e2e

# What is kept: pages whose styles are kept too.
KEPT = """async (path) => {
  const files = (await caches.keys()).filter((name) => name.startsWith("files:"));
  const sheet = document.querySelector("link[href$='/css/base.css']").href;
  const styles = await Promise.all(files.map((name) => caches.match(sheet, { cacheName: name })));
  return styles.some(Boolean) && Boolean(await caches.match(path));
}"""
AS_A_POLL_LEAVES_IT = """() => {
  document.querySelector("h1").append(", 12.50");
  document.dispatchEvent(new Event("htmx:afterSettle"));
  window.dispatchEvent(new Event("offline"));
}"""
HOLDS = (
    "async ([path, text]) => Boolean((await (await caches.match(path))?.text())?.includes(text))"
)


def open_and_keep(page: Page, path: str) -> None:
    page.goto(path)
    until(lambda: page.evaluate(KEPT, path), f"{path} is kept")


@pytest.fixture
def cable(site: str) -> Iterator[Cable]:
    cable = Cable(site)
    yield cable
    cable.cut()


@pytest.mark.everyday("only a service worker shows it")
def test_pages_show_their_last_state_without_a_network_and_say_so(
    open_page: Callable[..., Page], member: Callable[..., Member], cable: Cable
) -> None:
    member("ann")
    page = open_page(
        viewport=PHONE, base_url=cable.address, service_workers="allow", expect_errors=DEAD_LINE
    )
    sign_in_by_form(page, "ann", stays=True)
    open_and_keep(page, "/games")
    # opened once: what a second look keeps could come after what the poll left
    open_and_keep(page, "/leagues")
    page.evaluate(AS_A_POLL_LEAVES_IT)
    until(
        lambda: page.evaluate(HOLDS, ["/leagues", "12.50"]), "the page is kept as the poll left it"
    )
    cable.cut()
    page.goto("/leagues")
    note = page.get_by_role("status").filter(has_text="You're offline. This page is from")
    expect(note).to_be_visible()
    expect(page.get_by_role("heading", name="Your leagues, 12.50")).to_be_visible()
    looks_right(page)
    page.goto("/account")
    expect(page.get_by_role("heading", name="You're offline")).to_be_visible()
    items = page.get_by_role("main").get_by_role("listitem")
    expect(items.filter(has_text="Games")).to_be_visible()
    looks_right(page)
    items.get_by_role("link", name="Leagues").click()
    expect(note).to_be_visible()
    cable.mend()
    page.get_by_role("link", name="Try again").click()
    expect(page.get_by_role("heading", name="Your leagues")).to_be_visible()
    expect(note).to_have_count(0)


def test_what_was_kept_goes_with_the_member(
    open_page: Callable[..., Page], member: Callable[..., Member], cable: Cable
) -> None:
    member("ann")
    page = open_page(base_url=cable.address, service_workers="allow", expect_errors=DEAD_LINE)
    sign_in_by_form(page, "ann", stays=True)
    open_and_keep(page, "/leagues")
    sign_out(page)
    page.wait_for_url(lambda url: not url.endswith("/leagues"))
    until(lambda: not page.evaluate("caches.match('/leagues').then(Boolean)"), "nothing is kept")
    cable.cut()
    page.goto("/leagues")
    expect(page.get_by_role("heading", name="You're offline")).to_be_visible()
    expect(page.get_by_role("heading", name="Available offline")).to_be_hidden()

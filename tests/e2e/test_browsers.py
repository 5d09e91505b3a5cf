"""A scorer's browser with two tabs, a tab that is closed, a crash, another scorer.

Nothing is lost or doubled.

What arrived is compared with what the browser kept: keys, order and numbers, in the outbox and in
the record.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, Route, expect

from tests.e2e.browser import path_of_browser
from tests.e2e.conftest import CHROMIUM, PATIENCE_MS
from tests.e2e.desk import (
    KEPT_PAGES,
    KICK_OFF,
    Desk,
    keeps_the_draft,
    keeps_the_page,
    kept_keys,
    line,
    play,
    plays_of,
    run,
    said,
    snap,
    unsent,
)
from tests.e2e.keyboard import keys
from tests.e2e.looking import LAPTOP, accessible
from tests.e2e.running import has_ended, kill
from tests.waiting import until

pytestmark = pytest.mark.e2e

LOSE_WHAT_IS_SENT = """() => {
  const ask = window.fetch;
  const lost = () => Promise.reject(new TypeError("lost"));
  window.fetch = (url, options) => (options?.method === "POST" ? lost() : ask(url, options));
}"""


@pytest.mark.everyday("only a browser keeps entries")
def test_closing_the_tab_in_the_middle_of_the_queue_loses_and_doubles_nothing(
    desk: Callable[..., Desk],
) -> None:
    """Worst of all moments.

    The server has accepted the third entry, and the browser never hears of it.
    """
    sal = desk()
    page = sal.console()
    sal.cut()
    for number in range(3):
        play(page, number)
    expect(line(page)).to_contain_text("6 unsent, saved here")
    keys_kept = kept_keys(page)
    answers: list[int] = []

    def lose_the_third_answer(route: Route) -> None:
        if len(answers) == 3:
            return route.abort()  # the line is dead from then on
        answer = route.fetch()  # the server has it
        answers.append(answer.status)
        return route.abort() if len(answers) == 3 else route.fulfill(response=answer)

    page.route("**/console/*/events", lose_the_third_answer)
    sal.reconnect()
    expect(line(page)).to_contain_text("4 unsent")
    expect(unsent(page).first).to_contain_text("no connection")
    assert answers == [200, 200, 200]
    page.close()
    assert len(sal.outbox()) == KICK_OFF + 4, (
        "a snap, a run with its tackle, and the snap that the browser still keeps"
    )
    again = sal.console()
    expect(line(again)).not_to_contain_text("unsent")
    assert plays_of(sal.arrived(keys_kept)) == 3


def started_with(argument: str) -> list[psutil.Process]:
    """Our processes that have it on their command line.

    One that ends while it is looked at is none.
    """
    names = []
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if argument in process.cmdline():
                names.append(process)
    return names


def test_a_killed_browser_gives_back_what_it_kept(
    site: str, scorers: None, browser: Browser, game: str, tmp_path: Path
) -> None:
    """Killed like a crash: no farewell, the same profile opened again."""

    def launch() -> BrowserContext:
        context = browser.browser_type.launch_persistent_context(
            tmp_path / "profile",
            executable_path=path_of_browser(browser.browser_type),
            args=CHROMIUM,
            base_url=site,
            viewport=LAPTOP,
        )
        context.set_default_timeout(PATIENCE_MS)
        return context

    sal = Desk(launch(), game)
    page = sal.console(sal.sign_in("sal"))
    sal.cut()
    for number in range(3):
        play(page, number)
    keys(page, "p", "1", "Enter", "c", "2")  # and a pass is being typed
    expect(line(page)).to_contain_text("6 unsent, saved here")
    keys_kept = kept_keys(page)
    keeps_the_draft(page, "2")
    own_processes = started_with(f"--user-data-dir={tmp_path / 'profile'}")
    assert own_processes
    with sal.context.expect_event("close"):
        for process in own_processes:
            kill(process)
    until(lambda: all(map(has_ended, own_processes)), "the browser's processes have ended")
    again = Desk(launch(), game)
    again.context.clear_cookies()  # which of them were on disk is chance
    page = again.console(again.sign_in("sal"))
    expect(line(page)).not_to_contain_text("unsent")
    assert plays_of(sal.arrived(keys_kept)) == 3
    expect(page.locator("#hint")).to_contain_text(
        "Set aside: pass. Press a to resume it, z to drop it."
    )
    keys(page, "a")
    expect(page.locator("#cmd")).to_have_value("2")
    expect(page.get_by_role("list", name="Answered so far")).to_contain_text("H. Player1")
    again.context.close()
    assert again.errors == []


def test_two_tabs_send_one_list_and_the_second_takes_over(desk: Callable[..., Desk]) -> None:
    sal = desk()
    first = sal.console()
    second = sal.console()
    notice = "Another tab of this browser sends for this game."
    expect(second.get_by_role("status", name="This browser")).to_contain_text(notice)
    expect(first.get_by_role("status", name="This browser")).to_be_hidden()
    posts: list[Page] = []

    def note(request: Request) -> None:
        if request.method == "POST" and request.url.endswith("/events"):
            posts.append(request.frame.page)

    sal.context.on("request", note)
    play(second, 0)
    expect(said(second)).to_contain_text("Recorded as #6 to #7")
    assert {*posts} == {first}
    before = sal.sent()
    sal.cut()
    play(first, 1)
    expect(line(second)).to_contain_text("2 unsent, saved here")
    play(second, 2)
    expect(line(first)).to_contain_text("4 unsent, saved here")
    play(first, 3)
    expect(line(second)).to_contain_text("6 unsent, saved here")
    assert {*posts} == {first}
    accessible(second)
    keys_kept = kept_keys(second)
    first.close()
    expect(second.get_by_role("status", name="This browser")).to_be_hidden()
    sal.reconnect()
    expect(line(second)).not_to_contain_text("unsent")
    assert plays_of(sal.arrived([*before, *keys_kept])) == 4
    assert posts[-1] is second


def test_two_tabs_that_both_enter_send_each_entry_once(desk: Callable[..., Desk]) -> None:
    """With the line up: the second tab's entries go through the first, and both say the numbers."""
    sal = desk()
    first = sal.console()
    second = sal.console()
    snap(first, 0)
    expect(said(second)).to_contain_text("Recorded as #5")
    run(second)
    for page in (first, second):
        expect(said(page)).to_contain_text("Recorded as #6 to #7")
        expect(line(page)).not_to_contain_text("unsent")
    assert plays_of(sal.arrived(sal.sent())) == 1


def test_what_is_being_typed_is_offered_again_after_a_reload(desk: Callable[..., Desk]) -> None:
    sal = desk(service_workers="allow")
    page = sal.console()
    keeps_the_page(page)
    snap(page, 0)
    expect(said(page)).to_contain_text("Recorded as #5")
    sal.cut()
    keys(page, "r", "r", "3", "Enter", "+")
    keeps_the_draft(page, "+")
    page.reload()
    expect(page.locator("#hint")).to_contain_text(
        "Set aside: run. Press a to resume it, z to drop it."
    )
    keys(page, "a")
    expect(page.locator("#cmd")).to_have_value("+")
    page.keyboard.press("End")
    keys(page, "4", "Enter", "9", "Enter", "Enter", "Enter")
    expect(line(page)).to_contain_text("1 unsent, saved here")
    page.reload()
    expect(line(page)).to_contain_text("1 unsent, saved here")
    expect(page.locator("#hint")).to_be_empty()  # recorded, so it is not offered beside the entry
    sal.reconnect()
    expect(line(page)).not_to_contain_text("unsent")
    assert plays_of(sal.arrived(sal.sent())) == 1


def test_entries_wait_for_their_own_scorer(desk: Callable[..., Desk]) -> None:
    """Signed out by a long night without a line: nobody else's name comes upon the entries."""
    sal = desk(service_workers="allow")
    page = sal.console()
    keeps_the_page(page)
    sal.cut()
    play(page, 0)
    expect(line(page)).to_contain_text("2 unsent, saved here")
    keys_kept = kept_keys(page)
    sal.context.clear_cookies()
    sal.reconnect()
    expect(unsent(page).first).to_contain_text("you are signed out")

    other = sal.sign_in("sue")
    expect(unsent(page).first).to_contain_text("someone else is signed in")
    assert len(sal.outbox()) == KICK_OFF
    until(lambda: other.evaluate(KEPT_PAGES) == [], "Sal's pages are gone from the browser")
    sues = sal.console(other)
    notice = sues.get_by_role("status", name="This browser")
    expect(notice).to_contain_text("2 entries of Sal wait here until Sal signs in")
    expect(unsent(sues)).to_have_count(0)
    expect(line(sues)).not_to_contain_text("unsent")
    play(sues, 0)
    expect(said(sues)).to_contain_text("Recorded as #6 to #7")
    assert kept_keys(sues) == keys_kept
    page.close()
    sues.close()
    sal.context.clear_cookies()

    page = sal.console(sal.sign_in("sal"))
    mine = page.get_by_role("list", name="Yours, not recorded").get_by_role("listitem")
    # Sue has had the game since, so that each is compared before it is sent
    expect(mine).to_have_count(2)
    page.keyboard.press("Shift+T")
    expect(page.get_by_role("status", name="Who is scoring")).to_contain_text("You are scoring.")
    for numbers in ("#8", "#9 to #10"):
        expect(page.get_by_text("Shift+S sends it")).to_be_visible()
        page.keyboard.press("Shift+S")
        expect(said(page)).to_contain_text(f"Recorded as {numbers}")
    expect(line(page)).not_to_contain_text("unsent")
    sent = sal.sent()
    assert len(sent) == 2 + len(keys_kept)
    assert plays_of(sal.arrived(sent)) == 2


def test_signing_out_with_unsent_entries_warns_and_clears_the_kept_pages(
    desk: Callable[..., Desk],
) -> None:
    sal = desk(service_workers="allow")
    page = sal.console()
    keeps_the_page(page)
    # Playwright's own routes do not see what a service worker's page sends
    page.evaluate(LOSE_WHAT_IS_SENT)
    play(page, 0)
    expect(line(page)).to_contain_text("2 unsent, saved here")
    keys_kept = kept_keys(page)
    page.get_by_role("button", name="Sign out").click()
    dialog = page.get_by_role("dialog", name="Sign out?")
    expect(dialog).to_contain_text("2 entries haven’t been sent yet")
    dialog.get_by_role("button", name="Stay signed in").click()
    expect(dialog).to_be_hidden()
    page.get_by_role("button", name="Sign out").click()
    dialog.get_by_role("button", name="Sign out anyway").click()
    expect(page.get_by_role("link", name="Sign in").first).to_be_visible()
    assert page.evaluate(KEPT_PAGES) == []
    assert kept_keys(page) == keys_kept
    page.close()
    page = sal.console(sal.sign_in("sal"))
    expect(line(page)).not_to_contain_text("unsent")
    assert plays_of(sal.arrived(keys_kept)) == 1

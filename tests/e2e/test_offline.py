"""A scorer whose network dies: what he enters waits in his browser, and reaches the record once, in order.

What arrived is compared with what the browser kept: keys, order and numbers, in the outbox and in the record.
"""

from __future__ import annotations

import re
import shutil
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import psutil
import pytest
from axe_playwright_python.sync_playwright import Axe
from flask import Flask
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Request, Route, StorageState, expect
from sqlalchemy import select, text

from app.accounts import services as accounts
from app.core import clock
from app.core.db import db
from app.core.redis import jobs_redis
from app.embedded.stack import Stack, free_port
from app.record import events as ev
from app.record.models import RecordedEvent
from app.record.progress import ingested_count
from app.stream.models import OutboxMessage
from scorer_console.numbering import Entry
from tests.conftest import PASSWORD
from tests.e2e.browser import SYSTEM_NAMES
from tests.e2e.conftest import CHROMIUM, LAPTOP, PHONE, RESULTS
from tests.e2e.keyboard import keys
from tests.record.factory import make_game, touchdown_drive
from tests.scorer import leave, submit
from tests.waiting import until
from workers.supervisor import Children, commands

pytestmark = pytest.mark.e2e

KICK_OFF = 4  # the events that are recorded before the scorer sits down
# What a browser notes on its console while the line is down, or an entry is refused; all else is a fault of ours.
EXPECTED = re.compile(
    r"Failed to load resource: (net::ERR_\w+|the server responded with a status of (4\d\d|5\d\d))"
    r"|htmx:(afterRequest|sendError|timeout)|Response Status Error Code [45]\d\d from /console/\w+/log"
)


# True once this tab has the right to send, or stands in line for it: it has read what is kept, then.
STANDS_IN_LINE = """async () => {
  const own = `who:${Math.random()}`;
  const all = await navigator.locks.request(own, () => navigator.locks.query());
  const me = all.held.find((one) => one.name === own).clientId;
  return [...all.held, ...all.pending].some((one) => one.clientId === me && one.name.startsWith("console-sends:"));
}"""


class House:
    """A whole Pressbox whose web process can be killed and started again."""

    def __init__(self, stack: Stack) -> None:
        self.settings = replace(stack.settings, port=free_port(), workers=1)
        self.children = Children(stack, commands(self.settings, web=True, demo=False))
        self.address = f"http://127.0.0.1:{self.settings.port}"
        self.numbers = count(1)

    def healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.address}/healthz", timeout=5):
                return True
        except OSError:
            return False

    def kill_web(self) -> None:
        web = psutil.Process(self.children.running["web"].pid)
        for process in [web, *web.children(recursive=True)]:
            process.kill()
        self.children.running["web"].wait(10)

    def start_web(self) -> None:
        web = next(command for command in self.children.commands if command.name == "web")
        self.children._start(web)
        until(self.healthy, "the web process is back", seconds=60)


@pytest.fixture(scope="module")
def house(_migrated: Flask, stack: Stack) -> Iterator[House]:
    """One for all tests here, each of which has a game of its own; sal and sue are scorers."""
    house = House(stack)
    with _migrated.app_context():
        tables = ", ".join(f'"{table.name}"' for table in db.metadata.sorted_tables)
        db.session.execute(text(f"TRUNCATE {tables} RESTART IDENTITY CASCADE"))
        db.session.commit()
        jobs_redis().flushall()
        for name in ("sal", "sue"):
            accounts.register(name, name.title(), PASSWORD, "scorer")
        house.children.start()
        try:
            until(house.healthy, "healthy", seconds=60)
            yield house
        finally:
            house.children.stop()
            db.session.remove()


@pytest.fixture
def game(house: House) -> str:
    """A new game of Summit at Harbor; Harbor has the ball on its own 25 after the kick-off."""
    game = make_game(f"g{next(house.numbers)}").id
    submit(game, [Entry(body, f"start:{i}") for i, body in enumerate(touchdown_drive()[:KICK_OFF])], clock.now())
    leave(game, clock.now())
    until(lambda: ingested_count(game) == KICK_OFF, "the kick-off in the record", seconds=60)
    return game


class Desk:
    """One browser of a scorer at a game, and what of it has reached the record."""

    def __init__(self, context: BrowserContext, game: str) -> None:
        self.context = context
        self.game = game
        self.errors: list[str] = []
        context.on("console", lambda message: self.note(message.text) if message.type == "error" else None)
        context.on("weberror", lambda error: self.note(str(error.error)))

    def note(self, text: str) -> None:
        if not EXPECTED.match(text):
            self.errors.append(text)

    def sign_in(self, name: str) -> Page:
        page = self.context.new_page()
        page.goto("/sign-in")
        page.get_by_label("Username").fill(name)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(lambda url: "/sign-in" not in url)
        return page

    def console(self, page: Page | None = None) -> Page:
        """The console, ready for keys: in the given tab or in a new one."""
        page = page or self.context.new_page()
        page.goto(f"/console/{self.game}")
        expect(page.locator("#cmd")).to_be_focused()
        until(lambda: page.evaluate(STANDS_IN_LINE), "the page has read what this browser keeps")
        return page

    def cut(self) -> None:
        self.context.set_offline(True)

    def mend(self) -> None:
        self.context.set_offline(False)

    def outbox(self) -> list[OutboxMessage]:
        db.session.rollback()
        rows = select(OutboxMessage).where(OutboxMessage.game_id == self.game).order_by(OutboxMessage.event_number)
        return list(db.session.scalars(rows))

    def sent(self) -> list[str]:
        """The keys of the scorer's entries in order; one that was there twice with others between stands twice."""
        found = [row.idempotency_key.rpartition(":")[0] for row in self.outbox()[KICK_OFF:]]
        return [key for before, key in zip(["", *found], found, strict=False) if key != before]

    def arrived(self, entries: list[str]) -> list[str]:
        """Waits until the entries are in the record and checks it to the last row; gives the types of the events."""
        until(lambda: self.sent() == entries, f"{len(entries)} entries in the outbox, in order, each once")
        rows = self.outbox()
        numbers = [row.event_number for row in rows]
        assert numbers == list(range(1, len(rows) + 1)), "numbers without a gap"
        until(lambda: ingested_count(self.game) == len(rows), "all of it in the record")
        originals = select(RecordedEvent).where(RecordedEvent.game_id == self.game, RecordedEvent.revision == 0)
        recorded = db.session.scalars(originals.order_by(RecordedEvent.event_number)).all()
        events = [ev.decode(row.payload) for row in rows]
        assert [one.event_number for one in recorded] == numbers
        assert [one.play_number for one in recorded] == [row.play_number for row in rows]
        assert [one.body for one in recorded] == [ev.body_to(one.body) for one in events]
        return [one.type for one in recorded[KICK_OFF:]]


@pytest.fixture(scope="module")
def signed_in(browser: Browser, house: House) -> StorageState:
    """Sal's cookies: signing in is not what is tested here, and is limited to some times a minute."""
    context = browser.new_context(base_url=house.address)
    Desk(context, "").sign_in("sal")
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture
def desk(
    browser: Browser, house: House, signed_in: StorageState, game: str, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Desk]]:
    """Makes browsers of sal: `desk()`; `desk(viewport=PHONE)`. An error that no dead line explains fails the test."""
    desks: list[Desk] = []

    def make(**options: Any) -> Desk:
        chosen = {"viewport": LAPTOP, "storage_state": signed_in} | options
        made = Desk(browser.new_context(base_url=house.address, **chosen), game)
        desks.append(made)
        return made

    yield make
    failed = getattr(request.node, "failed", False)
    for one in desks:
        for number, page in enumerate(one.context.pages if failed else []):
            RESULTS.mkdir(exist_ok=True)
            page.screenshot(path=RESULTS / f"{request.node.name}-{number}.png", full_page=True)
        one.context.close()
    if not failed:
        assert [error for one in desks for error in one.errors] == []


# Changes the first kept entry to one of an action that this console does not know.
FORGET_THE_ACTION = """() => new Promise((resolve) => {
  indexedDB.open("pressbox-console").onsuccess = ({ target: { result: db } }) => {
    const entries = db.transaction("entries", "readwrite").objectStore("entries");
    entries.getAll().onsuccess = ({ target: { result: [row] } }) => {
      entries.put({ ...row, kept: { ...row.kept, name: "gone" } });
    };
    entries.transaction.oncomplete = () => { db.close(); resolve(); };
  };
})"""
KEPT_KEYS = """() => new Promise((resolve) => {
  indexedDB.open("pressbox-console").onsuccess = ({ target: { result: db } }) => {
    db.transaction("entries").objectStore("entries").getAll().onsuccess = ({ target: { result: rows } }) => {
      db.close();
      resolve(rows.map((row) => row.key));
    };
  };
})"""
KEPT_DRAFTS = """() => new Promise((resolve) => {
  indexedDB.open("pressbox-console").onsuccess = ({ target: { result: db } }) => {
    db.transaction("drafts").objectStore("drafts").getAll().onsuccess = ({ target: { result: rows } }) => {
      db.close();
      resolve(rows.map((row) => row.draft?.text));
    };
  };
})"""
# Keeps every write to the entries waiting, as a slow drive does, until LET_GO.
HOLD_THE_DISK = """() => new Promise((held) => {
  indexedDB.open("pressbox-console").onsuccess = ({ target: { result: db } }) => {
    const entries = db.transaction("entries", "readwrite").objectStore("entries");
    window.letGo = false;
    const hold = () => { entries.count().onsuccess = () => { held(); window.letGo ? db.close() : hold(); }; };
    hold();
  };
})"""
LET_GO = "window.letGo = true"
KEPT_PATHS = """caches.keys().then(async (names) => {
  const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
  return requests.flat().map((request) => new URL(request.url).pathname);
})"""
KEPT_PAGES = "caches.keys().then((names) => names.filter((name) => name.startsWith('console-page:')))"


def line(page: Page) -> Locator:
    return page.get_by_role("status", name="Line")


def said(page: Page) -> Locator:
    return page.get_by_role("status", name="Result")


def unsent(page: Page) -> Locator:
    return page.get_by_role("list", name="Not accepted yet").get_by_role("listitem")


def keeps_the_page(page: Page) -> None:
    """Until the page and its files would survive a reload without a network."""
    until(lambda: page.evaluate("caches.match(location.pathname).then(Boolean)"), "the page is kept")


def kept_keys(page: Page) -> list[str]:
    """The keys of the entries that this browser has on disk, in order."""
    found: list[str] = page.evaluate(KEPT_KEYS)
    return found


def keeps_the_draft(page: Page, text: str) -> None:
    """Until what is being typed is on disk: nothing on the page tells, since only entries are promised to be kept."""
    until(lambda: page.evaluate(KEPT_DRAFTS) == [text], f"the draft {text!r} is kept")


def snap(page: Page, number: int) -> None:
    """The snap of play `number` of the drive: half a minute and 4 yards after the one before, always a first down."""
    left = 900 - 30 * number
    keys(page, "s", f"{left // 60}:{left % 60:02d} 1&10 o{25 + 4 * number}", "Enter")


def run(page: Page) -> None:
    """Number 3 gains 4 yards, number 9 tackles him: two events of one entry."""
    keys(page, "r", "r", "3", "Enter", "+4", "Enter", "9", "Enter", "Enter", "Enter")


def play(page: Page, number: int) -> None:
    snap(page, number)
    run(page)


def slip_of_a_finger(page: Page) -> None:
    """Overturns the last run and strikes out an event that has not happened: the server refuses it."""
    keys(page, "w", "Enter", "Enter", "Enter", "Enter", "+6", "Enter", "99", "Enter", "Enter")
    expect(page.locator("#sentence")).to_contain_text("OVERTURNED #6")
    keys(page, "Enter")


def plays_of(types: list[str]) -> int:
    """How many whole plays of `play` these are."""
    assert types == ["snap", "run", "tackle"] * (len(types) // 3)
    return len(types) // 3


def test_a_drive_entered_without_a_network_arrives_in_order(desk: Callable[..., Desk]) -> None:
    sal = desk()
    page = sal.console()
    play(page, 0)
    expect(said(page)).to_contain_text("Recorded as #6 to #7")
    keys(page, "s", "1430 1&10")  # the line dies while the second snap is typed
    sal.cut()
    keys(page, " o29", "Enter")
    run(page)
    for number in range(2, 7):
        play(page, number)
    expect(line(page)).to_contain_text("12 unsent, kept here")
    expect(line(page)).to_contain_text(re.compile(r"Offline.*Situation as of \d\d:\d\d"))
    expect(unsent(page)).to_have_count(12)
    keys_kept = kept_keys(page)
    assert len(set(keys_kept)) == 12
    assert len(sal.outbox()) == 7
    sal.mend()
    expect(line(page)).not_to_contain_text("unsent", timeout=20_000)
    before = [row.idempotency_key.rpartition(":")[0] for row in sal.outbox()[KICK_OFF:7]]
    assert plays_of(sal.arrived([*dict.fromkeys(before), *keys_kept])) == 7
    assert [row.play_number for row in sal.outbox()[KICK_OFF:]] == [play for play in range(2, 9) for _ in range(3)]
    expect(unsent(page)).to_have_count(0)
    assert kept_keys(page) == []


def test_an_entry_that_was_not_sent_yet_is_taken_back_here_and_only_the_rest_is_recorded(
    desk: Callable[..., Desk],
) -> None:
    sal = desk()
    page = sal.console()
    snap(page, 0)
    expect(said(page)).to_contain_text("Recorded as #5")
    sal.cut()
    run(page)
    play(page, 1)
    expect(line(page)).to_contain_text("3 unsent, kept here")
    keys(page, "u")
    expect(said(page)).to_contain_text("Taken back before it was sent")
    expect(line(page)).to_contain_text("2 unsent, kept here")
    keys(page, "u", "u")
    expect(said(page)).to_contain_text("may be recorded already")
    expect(line(page)).to_contain_text("1 unsent, kept here")
    keys_kept = kept_keys(page)
    sal.mend()
    expect(line(page)).not_to_contain_text("unsent", timeout=20_000)
    before = sal.sent()[:1]
    assert sal.arrived([*before, *keys_kept]) == ["snap", "run", "tackle"]


def test_an_entry_is_taken_back_or_dropped_once_the_disk_has_forgotten_it(desk: Callable[..., Desk]) -> None:
    """Until then a crash would bring it back, and one that was taken back would be sent."""
    sal = desk()
    page = sal.console()
    play(page, 0)
    expect(said(page)).to_contain_text("Recorded as #6 to #7")
    slip_of_a_finger(page)
    expect(line(page)).to_contain_text("Refused: 1 unsent")
    page.evaluate(HOLD_THE_DISK)
    keys(page, "z")
    expect(line(page)).to_contain_text("1 unsent, 1 of them being taken out")
    expect(said(page)).to_have_text("Dropping it …")
    page.evaluate(LET_GO)
    expect(said(page)).to_contain_text("Dropped.")
    assert kept_keys(page) == []

    sal.cut()
    play(page, 1)
    expect(line(page)).to_contain_text("2 unsent, kept here")
    keys_kept = kept_keys(page)
    page.evaluate(HOLD_THE_DISK)
    keys(page, "u")
    expect(line(page)).to_contain_text("2 unsent, 1 of them being taken out")
    expect(said(page)).to_have_text("Taking it back …")
    page.evaluate(LET_GO)
    expect(said(page)).to_contain_text("Taken back before it was sent")
    assert kept_keys(page) == keys_kept[:1]
    expect(line(page)).to_contain_text("1 unsent, kept here")
    sal.mend()
    expect(line(page)).not_to_contain_text("unsent", timeout=20_000)
    assert sal.sent()[2:] == keys_kept[:1]
    assert sal.arrived(sal.sent()) == ["snap", "run", "tackle", "snap"]


def test_a_reload_without_a_network_shows_the_console_and_what_it_keeps(desk: Callable[..., Desk]) -> None:
    sal = desk()
    page = sal.console()
    keeps_the_page(page)
    snap(page, 0)
    expect(said(page)).to_contain_text("Recorded as #5")
    kept = [path for path in page.evaluate(KEPT_PATHS) if not path.startswith("/static/")]
    assert sorted(kept) == ["/clubs.css", f"/console/{sal.game}"], "no fragment, no entry, no other page"
    sal.cut()
    run(page)
    play(page, 1)
    expect(line(page)).to_contain_text("3 unsent, kept here")
    keys_kept = kept_keys(page)
    page.reload()
    expect(line(page)).to_contain_text(re.compile(r"Offline: 3 unsent, kept here\. Situation as of \d\d:\d\d"))
    expect(unsent(page)).to_have_count(3)
    expect(page.locator("#sentence-label")).to_contain_text("before what is not sent yet")
    play(page, 2)  # the console works as before
    expect(line(page)).to_contain_text("5 unsent, kept here")
    keys_kept = kept_keys(page)
    assert len(keys_kept) == 5
    sal.mend()
    expect(line(page)).not_to_contain_text("unsent", timeout=20_000)
    first = sal.outbox()[KICK_OFF].idempotency_key.rpartition(":")[0]
    assert plays_of(sal.arrived([first, *keys_kept])) == 3


def test_closing_the_tab_in_the_middle_of_the_queue_loses_and_doubles_nothing(desk: Callable[..., Desk]) -> None:
    """Worst of all moments: the server has accepted the third entry, and the browser never hears of it."""
    sal = desk(service_workers="block")
    page = sal.console()
    sal.cut()
    for number in range(3):
        play(page, number)
    expect(line(page)).to_contain_text("6 unsent, kept here")
    keys_kept = kept_keys(page)
    answers: list[int] = []

    def lose_the_third_answer(route: Route) -> None:
        if len(answers) == 3:
            return route.abort()  # the line is dead from then on
        answer = route.fetch()  # the server has it
        answers.append(answer.status)
        return route.abort() if len(answers) == 3 else route.fulfill(response=answer)

    page.route("**/console/*/events", lose_the_third_answer)
    sal.mend()
    expect(line(page)).to_contain_text("4 unsent")
    expect(unsent(page).first).to_contain_text("no connection")
    assert answers == [200, 200, 200]
    page.close()
    assert len(sal.outbox()) == KICK_OFF + 4, "a snap, a run with its tackle, and the snap that the browser still keeps"
    again = sal.console()
    expect(line(again)).not_to_contain_text("unsent", timeout=20_000)
    assert plays_of(sal.arrived(keys_kept)) == 3


def test_a_killed_browser_gives_back_what_it_kept(house: House, browser: Browser, game: str, tmp_path: Path) -> None:
    """Killed like a crash: no farewell, the same profile opened again."""
    own = browser.browser_type.executable_path
    path = own if Path(own).exists() else next(found for name in SYSTEM_NAMES if (found := shutil.which(name)))

    def launch() -> BrowserContext:
        return browser.browser_type.launch_persistent_context(
            tmp_path / "profile", executable_path=path, args=CHROMIUM, base_url=house.address, viewport=LAPTOP
        )  # fmt: skip

    sal = Desk(launch(), game)
    page = sal.console(sal.sign_in("sal"))
    sal.cut()
    for number in range(3):
        play(page, number)
    keys(page, "p", "1", "Enter", "c", "2")  # and a pass is being typed
    expect(line(page)).to_contain_text("6 unsent, kept here")
    keys_kept = kept_keys(page)
    keeps_the_draft(page, "2")
    profile = f"--user-data-dir={tmp_path / 'profile'}"
    ours = [one for one in psutil.Process().children(recursive=True) if profile in one.cmdline()]
    assert ours
    with sal.context.expect_event("close"):
        for process in ours:
            process.kill()
    psutil.wait_procs(ours, timeout=10)
    again = Desk(launch(), game)
    page = again.sign_in("sal") if again.context.cookies() == [] else again.context.new_page()
    again.console(page)
    expect(line(page)).not_to_contain_text("unsent", timeout=20_000)
    assert plays_of(sal.arrived(keys_kept)) == 3
    expect(page.locator("#hint")).to_contain_text("Set aside: pass. Press a to take it up again.")
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
    expect(line(second)).to_contain_text("2 unsent, kept here")
    play(second, 2)
    expect(line(first)).to_contain_text("4 unsent, kept here")
    play(first, 3)
    expect(line(second)).to_contain_text("6 unsent, kept here")
    assert {*posts} == {first}
    found = Axe().run(second)
    assert found.violations_count == 0, found.generate_report()
    keys_kept = kept_keys(second)
    first.close()
    expect(second.get_by_role("status", name="This browser")).to_be_hidden()
    sal.mend()
    expect(line(second)).not_to_contain_text("unsent", timeout=20_000)
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


def test_a_double_click_or_a_double_enter_records_once(desk: Callable[..., Desk]) -> None:
    sal = desk()
    page = sal.console()
    keys(page, "s")
    page.get_by_role("button", name="Enter", exact=True).dblclick()
    expect(said(page)).to_contain_text("Recorded as #5")
    keys(page, "r", "r", "3", "Enter", "+4", "Enter", "9", "Enter", "Enter")
    sal.cut()
    keys(page, "Enter", "Enter")
    expect(line(page)).to_contain_text("1 unsent, kept here")
    sal.mend()
    expect(said(page)).to_contain_text("Recorded as #6 to #7", timeout=20_000)
    assert plays_of(sal.arrived(sal.sent())) == 1


def test_a_refused_entry_survives_a_reload_and_is_corrected_in_its_place(desk: Callable[..., Desk]) -> None:
    sal = desk()
    page = sal.console()
    keeps_the_page(page)
    play(page, 0)
    expect(said(page)).to_contain_text("Recorded as #6 to #7")
    sal.cut()
    slip_of_a_finger(page)
    play(page, 1)
    expect(line(page)).to_contain_text("3 unsent, kept here")
    sal.mend()
    expect(line(page)).to_contain_text("Refused: 3 unsent", timeout=20_000)
    expect(said(page)).to_contain_text("99 has not happened yet")
    sal.cut()
    page.reload()
    expect(line(page)).to_contain_text("3 unsent, kept here")
    expect(unsent(page).first).to_contain_text("99 has not happened yet")
    sal.mend()
    expect(line(page)).to_contain_text("Refused: 3 unsent", timeout=20_000)
    keys(page, "a")
    expect(page.locator("#sentence")).to_contain_text("OVERTURNED #6")
    keys(page, "Escape", "Escape")
    expect(page.locator("#cmd")).to_have_value("99")
    keys(page, "-", "Enter", "Enter", "Enter")
    expect(line(page)).not_to_contain_text("unsent", timeout=20_000)
    until(lambda: ingested_count(sal.game) == KICK_OFF + 7, "all of it in the record")
    assert [ev.body_to(ev.decode(row.payload).body)["type"] for row in sal.outbox()[KICK_OFF:]] == [
        "snap", "run", "tackle", "overturn", "snap", "run", "tackle",
    ]  # fmt: skip
    six = select(RecordedEvent).filter_by(game_id=sal.game, event_number=6, valid=True)
    ruled = db.session.scalars(six).one()
    assert ruled.body["end_yard"] == 31


def test_a_refused_entry_can_be_dropped_after_a_reload(desk: Callable[..., Desk]) -> None:
    sal = desk()
    page = sal.console()
    play(page, 0)
    expect(said(page)).to_contain_text("Recorded as #6 to #7")
    slip_of_a_finger(page)
    expect(line(page)).to_contain_text("Refused: 1 unsent")
    # As if this console had been updated and no longer knew the action: it can still be dropped.
    page.evaluate(FORGET_THE_ACTION)
    page.reload()
    expect(line(page)).to_contain_text("Refused: 1 unsent")
    keys(page, "a")
    expect(said(page)).to_contain_text("press z to drop it")
    keys(page, "z")
    expect(line(page)).not_to_contain_text("unsent")
    play(page, 1)
    expect(said(page)).to_contain_text("Recorded as #9 to #10")
    assert kept_keys(page) == []


def test_what_is_being_typed_is_offered_again_after_a_reload(desk: Callable[..., Desk]) -> None:
    sal = desk()
    page = sal.console()
    keeps_the_page(page)
    snap(page, 0)
    expect(said(page)).to_contain_text("Recorded as #5")
    sal.cut()
    keys(page, "r", "r", "3", "Enter", "+")
    keeps_the_draft(page, "+")
    page.reload()
    expect(page.locator("#hint")).to_contain_text("Set aside: run. Press a to take it up again.")
    keys(page, "a")
    expect(page.locator("#cmd")).to_have_value("+")
    page.keyboard.press("End")
    keys(page, "4", "Enter", "9", "Enter", "Enter", "Enter")
    expect(line(page)).to_contain_text("1 unsent, kept here")
    page.reload()
    expect(line(page)).to_contain_text("1 unsent, kept here")
    expect(page.locator("#hint")).to_be_empty()  # recorded, so it is not offered beside the entry
    sal.mend()
    expect(line(page)).not_to_contain_text("unsent", timeout=20_000)
    assert plays_of(sal.arrived(sal.sent())) == 1


def test_a_killed_server_gets_everything_when_it_is_back(house: House, desk: Callable[..., Desk]) -> None:
    sal = desk(viewport=PHONE)
    page = sal.console()
    keeps_the_page(page)
    play(page, 0)
    house.kill_web()
    play(page, 1)
    expect(line(page)).to_contain_text(re.compile(r"Offline: \d unsent, kept here"))
    expect(line(page)).to_be_in_viewport()
    page.get_by_text("Enter one event without the keyboard console").scroll_into_view_if_needed()
    expect(line(page)).to_be_in_viewport()
    page.reload()
    expect(line(page)).to_contain_text(re.compile(r"Offline: \d unsent, kept here"))
    house.start_web()
    expect(line(page)).not_to_contain_text("unsent", timeout=20_000)
    sent = sal.sent()
    assert len(sent) == 4
    assert plays_of(sal.arrived(sent)) == 2


@pytest.mark.parametrize("fault", ["closed", "full"])
def test_a_browser_that_cannot_keep_says_so_and_goes_on(house: House, desk: Callable[..., Desk], fault: str) -> None:
    sal = desk()
    page = sal.context.new_page()
    if fault == "closed":  # as some browsers are in private windows
        page.add_init_script("IDBFactory.prototype.open = () => { throw new DOMException('no', 'InvalidStateError'); }")
    else:
        session = sal.context.new_cdp_session(page)
        session.send("Storage.overrideQuotaForOrigin", {"origin": house.address, "quotaSize": 1})
    sal.console(page)
    warning = "This browser cannot keep entries: do not close this tab"
    if fault == "closed":
        expect(line(page)).to_contain_text(warning)
    sal.cut()
    play(page, 0)
    expect(line(page)).to_contain_text(warning)
    expect(line(page)).to_contain_text("2 unsent")
    sal.mend()
    expect(line(page)).not_to_contain_text("unsent", timeout=20_000)
    assert plays_of(sal.arrived(sal.sent())) == 1


def test_entries_wait_for_their_own_scorer(desk: Callable[..., Desk]) -> None:
    """Signed out by a long night without a line: nobody else's name comes upon the entries."""
    sal = desk()
    page = sal.console()
    keeps_the_page(page)
    sal.cut()
    play(page, 0)
    expect(line(page)).to_contain_text("2 unsent, kept here")
    keys_kept = kept_keys(page)
    sal.context.clear_cookies()
    sal.mend()
    expect(unsent(page).first).to_contain_text("you are signed out", timeout=20_000)

    other = sal.sign_in("sue")
    expect(unsent(page).first).to_contain_text("somebody else is signed in now", timeout=20_000)
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
    expect(unsent(page).first).to_contain_text("Sue is scoring")  # while she has the game, his entries wait
    page.keyboard.press("Shift+T")
    expect(line(page)).not_to_contain_text("unsent", timeout=20_000)
    sent = sal.sent()
    assert sent[2:] == keys_kept
    assert plays_of(sal.arrived(sent)) == 2


def test_signing_out_with_unsent_entries_warns_and_clears_the_kept_pages(desk: Callable[..., Desk]) -> None:
    sal = desk(service_workers="allow")
    page = sal.console()
    keeps_the_page(page)
    page.route("**/console/*/events", lambda route: route.abort())
    play(page, 0)
    expect(line(page)).to_contain_text("2 unsent, kept here")
    keys_kept = kept_keys(page)
    page.get_by_role("button", name="Sign out").click()
    dialog = page.get_by_role("dialog", name="Sign out?")
    expect(dialog).to_contain_text("2 entries are not sent yet")
    dialog.get_by_role("button", name="Stay signed in").click()
    expect(dialog).to_be_hidden()
    page.get_by_role("button", name="Sign out").click()
    dialog.get_by_role("button", name="Sign out all the same").click()
    expect(page.get_by_role("link", name="Sign in").first).to_be_visible()
    assert page.evaluate(KEPT_PAGES) == []
    assert kept_keys(page) == keys_kept
    page.close()
    page = sal.console(sal.sign_in("sal"))
    expect(line(page)).not_to_contain_text("unsent", timeout=20_000)
    assert plays_of(sal.arrived(keys_kept)) == 1

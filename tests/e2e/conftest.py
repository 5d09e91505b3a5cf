"""A running Pressbox and a real browser. On failure: screenshots in test-results/."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    expect,
    sync_playwright,
)

from app.accounts.models import Member
from app.core import clock
from app.embedded.stack import Stack
from scorer_console.record.numbering import Entry
from tests.conftest import PASSWORD, emptied
from tests.e2e.browser import path_of_browser
from tests.e2e.desk import KICK_OFF, Desk
from tests.e2e.looking import LAPTOP
from tests.e2e.road import record_has
from tests.e2e.running import KEPT_KEYS, RunningPressbox
from tests.e2e.secrets_in_logs import Secrets
from tests.e2e.signing_in import sign_in
from tests.waiting import patience
from tests.worlds.games import make_game, touchdown_drive
from tests.worlds.scorer import leave, submit

RESULTS = Path(__file__).parent.parent.parent / "test-results"
# --no-sandbox: root may not use the sandbox; the others keep Chromium from calling its maker's
# servers.
CHROMIUM = [
    "--no-sandbox",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-gpu",
    # Two processes fewer for each browser: a seventh of its processor time.
    "--in-process-gpu",
    "--enable-features=NetworkServiceInProcess2",
    "--no-first-run",
]
# A service worker fetches every file once more and doubles what opening a page costs: stories about
# one allow it.
USUAL = {"viewport": LAPTOP, "service_workers": "block"}
# Their requests are not noted, which takes a tenth of a story's processor time: opening the console
# takes 90, and none has a secret but the session, which is noted with the cookies.
SCORERS = ("sal", "sue")
# how long a browser's expectation, click or page is waited for
PATIENCE_MS = round(patience(60) * 1000)


@pytest.fixture(scope="session")
def known() -> Secrets:
    """Secrets of the stories of this worker."""
    return Secrets()


@pytest.fixture(scope="session")
def _watched(known: Secrets) -> Iterator[None]:
    """Make every browser context patient, and note its cookies when it is closed."""
    begin, close = Browser.new_context, BrowserContext.close

    def watched(self: Browser, **options: Any) -> BrowserContext:
        context = begin(self, **options)
        context.set_default_timeout(PATIENCE_MS)
        return context

    def closing(self: BrowserContext, **options: Any) -> None:
        known.note_cookies(self)
        close(self, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Browser, "new_context", watched)
        patch.setattr(BrowserContext, "close", closing)
        yield


@pytest.fixture(scope="session")
def browser(_watched: None) -> Iterator[Browser]:
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        path = path_of_browser(playwright.chromium)
        if path is None:
            pytest.fail("No browser: run `make browser`, which installs one or says how.")
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def pressbox(stack: Stack, known: Secrets) -> Iterator[RunningPressbox]:
    """One for all stories of this worker. At the end no log may hold a secret of a story."""
    with RunningPressbox(stack) as pressbox:
        yield pressbox
    known.note(PASSWORD, "the password of everybody in the tests")
    known.note_settings(stack.settings)
    assert known.faults(stack.var / "logs") == [], "secrets in the logs"


@pytest.fixture
def app(
    _migrated: Flask, pressbox: RunningPressbox, known: Secrets, request: pytest.FixtureRequest
) -> Iterator[Flask]:
    """The application on stores that are empty but for what running processes say of themselves.

    No process beside the web process runs, unless the story asks for `processes`.
    """
    if "processes" not in request.fixturenames:
        pressbox.end_all_but_web()
    with emptied(_migrated, keeping=KEPT_KEYS) as app:
        yield app
        pressbox.wait_until_idle()
        known.note_database()


@pytest.fixture
def site(app: Flask, pressbox: RunningPressbox) -> str:
    """Address of the web process."""
    pressbox.start_web()
    return pressbox.address


@pytest.fixture
def processes(app: Flask, pressbox: RunningPressbox) -> None:
    """All processes run, from relay to scheduler. Such stories stay together (story_groups.py)."""
    pressbox.start_all()


@pytest.fixture
def open_page(
    app: Flask, browser: Browser, site: str, known: Secrets, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Page]]:
    """An empty page of a new context, signed in if a username is given.

    `open_page("ann", viewport=PHONE)`.

    No service worker runs unless `service_workers="allow"` is given.

    Any error on a page's console fails the test at its end (a CSP violation is one), but for those
    that contain one of `expect_errors`: Chromium reports every answer above 399 as one.
    """
    contexts: list[tuple[BrowserContext, Page, list[str]]] = []

    def make(
        username: str | None = None, *, expect_errors: Sequence[str] = (), **options: object
    ) -> Page:
        chosen: dict[str, Any] = {"base_url": site} | USUAL | options
        context = browser.new_context(**chosen)
        if username not in SCORERS:
            known.watch(context)
        if username is not None:
            sign_in(context, app, username, chosen["base_url"])
        page = context.new_page()
        errors: list[str] = []

        def note(message: ConsoleMessage) -> None:
            is_expected = any(part in message.text for part in expect_errors)
            if message.type == "error" and not is_expected and not overtaken(message):
                errors.append(message.text)

        page.on("console", note)
        page.on("pageerror", lambda error: errors.append(str(error)))
        contexts.append((context, page, errors))
        return page

    yield make
    failed = getattr(request.node, "failed", False)
    for number, (context, page, errors) in enumerate(contexts):
        if failed:
            RESULTS.mkdir(exist_ok=True)
            page.screenshot(path=RESULTS / f"{request.node.name}-{number}.png", full_page=True)
            print(page.url, errors, file=sys.stderr)
        context.close()
    if not failed:
        assert [errors for _, _, errors in contexts if errors] == [], (
            "errors on the browser's console"
        )


def overtaken(message: ConsoleMessage) -> bool:
    """Whether a console asked what an entry would change, and Enter was faster.

    The console ends such a question (entry/preview.js), but its answer may be there already.
    """
    return "status of 422" in message.text and message.location["url"].endswith("/preview")


@pytest.fixture
def game(app: Flask) -> str:
    """A game of Summit at Harbor.

    Harbor has the ball on its own 25 after the kick-off, and nobody scores.
    """
    game = make_game("g1").id
    submit(
        game,
        [Entry(body, f"start:{i}") for i, body in enumerate(touchdown_drive()[:KICK_OFF])],
        clock.now(),
    )
    leave(game, clock.now())
    record_has(game, KICK_OFF)
    return game


@pytest.fixture
def console(game: str, member: Callable[..., Member], open_page: Callable[..., Page]) -> Page:
    """Sal's console of that game, ready for keys."""
    member("sal", role="scorer")
    page = open_page("sal")
    page.goto(f"/console/{game}")
    expect(page.locator("#cmd")).to_be_focused()
    return page


@pytest.fixture
def scorers(member: Callable[..., Member]) -> None:
    for name in SCORERS:
        member(name, role="scorer")


@pytest.fixture
def desk(
    app: Flask,
    browser: Browser,
    site: str,
    game: str,
    scorers: None,
    request: pytest.FixtureRequest,
) -> Iterator[Callable[..., Desk]]:
    """Makes browsers of sal: `desk()`; `desk(viewport=PHONE)`.

    An error that no dead line explains fails the test.

    No service worker runs unless `service_workers="allow"` is given.
    """
    desks: list[Desk] = []

    def make(**options: Any) -> Desk:
        desk = Desk(browser.new_context(base_url=site, **(USUAL | options)), game)
        sign_in(desk.context, app, "sal", site)
        desks.append(desk)
        return desk

    yield make
    failed = getattr(request.node, "failed", False)
    for desk in desks:
        for number, page in enumerate(desk.context.pages if failed else []):
            RESULTS.mkdir(exist_ok=True)
            page.screenshot(path=RESULTS / f"{request.node.name}-{number}.png", full_page=True)
        desk.context.close()
    if not failed:
        assert [error for desk in desks for error in desk.errors] == []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = yield
    if report.when == "call" and report.failed:
        item.failed = True  # type: ignore[attr-defined]
    return report

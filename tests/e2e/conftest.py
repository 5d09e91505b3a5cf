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
    StorageState,
    expect,
    sync_playwright,
)

from app.accounts import services as accounts
from app.accounts.models import Member
from app.core import clock
from app.embedded.stack import Stack
from app.record.progress import ingested_count
from scorer_console.numbering import Entry
from tests.conftest import PASSWORD, emptied
from tests.e2e.browser import executable
from tests.e2e.desk import KICK_OFF, Desk
from tests.e2e.running import KEPT_KEYS, RunningPressbox
from tests.e2e.secrets_in_logs import Secrets
from tests.groups import own_groups
from tests.waiting import patience, until
from tests.worlds.games import make_game, touchdown_drive
from tests.worlds.scorer import leave, submit

RESULTS = Path(__file__).parent.parent.parent / "test-results"
# --no-sandbox: root may not use the sandbox; the others keep Chromium from calling its maker's servers.
CHROMIUM = [
    "--no-sandbox",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-gpu",
    "--no-first-run",
]
PHONE = {"width": 390, "height": 844}
LAPTOP = {"width": 1280, "height": 800}
PATIENCE_MS = round(patience(60) * 1000)  # how long a browser's expectation, click or page is waited for


@pytest.fixture(scope="session")
def known() -> Secrets:
    """Secrets of the stories of this worker."""
    return Secrets()


@pytest.fixture(scope="session")
def _watched(known: Secrets) -> Iterator[None]:
    """Every context of the browser is patient, has what it sends noted, and its cookies when it is closed."""
    begin, close = Browser.new_context, BrowserContext.close

    def watched(self: Browser, **options: Any) -> BrowserContext:
        context = begin(self, **options)
        context.set_default_timeout(PATIENCE_MS)
        known.watch(context)
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
    path = executable()
    if path is None:
        pytest.fail("No browser: run `make browser`, which installs one or says how.")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def pressbox(stack: Stack, known: Secrets) -> Iterator[RunningPressbox]:
    """One for all stories; its processes start when first needed. At the end no log may hold a secret of a story."""
    with own_groups(stack):
        pressbox = RunningPressbox(stack)
        try:
            yield pressbox
        finally:
            pressbox.stop()
    known.note(PASSWORD, "the password of everybody in the tests")
    known.note_settings(stack.settings)
    assert known.faults(stack.var / "logs") == [], "secrets in the logs"


@pytest.fixture
def app(_migrated: Flask, pressbox: RunningPressbox, known: Secrets) -> Iterator[Flask]:
    """The application on stores that are empty but for what running processes say of themselves."""
    with emptied(_migrated, keeping=KEPT_KEYS) as app:
        yield app
        pressbox.wait_until_idle()
        known.note_database()


@pytest.fixture
def site(app: Flask, pressbox: RunningPressbox) -> str:
    """Address of the web process, for stories that need no other (`processes` starts those)."""
    pressbox.start_web()
    return pressbox.address


@pytest.fixture
def processes(app: Flask, pressbox: RunningPressbox) -> None:
    """All processes run, from relay to scheduler."""
    pressbox.start_all()


@pytest.fixture
def open_page(browser: Browser, site: str, request: pytest.FixtureRequest) -> Iterator[Callable[..., Page]]:
    """A page of a new context, signed in if a username is given: `open_page("ann", viewport=PHONE)`.

    Any error on a page's console fails the test at its end (a CSP violation is one), but for those that
    contain one of `expect_errors`: Chromium reports every answer above 399 as one.
    """
    contexts: list[tuple[BrowserContext, Page, list[str]]] = []

    def make(username: str | None = None, *, expect_errors: Sequence[str] = (), **options: object) -> Page:
        context = browser.new_context(**({"base_url": site, "viewport": LAPTOP} | options))  # type: ignore[arg-type]
        page = context.new_page()
        errors: list[str] = []

        def note(message: ConsoleMessage) -> None:
            if message.type == "error" and not any(part in message.text for part in expect_errors):
                errors.append(message.text)

        page.on("console", note)
        page.on("pageerror", lambda error: errors.append(str(error)))
        contexts.append((context, page, errors))
        if username is not None:
            page.goto("/sign-in")
            page.get_by_label("Username").fill(username)
            page.get_by_label("Password").fill(PASSWORD)
            page.get_by_role("button", name="Sign in").click()
            page.wait_for_url(lambda url: "/sign-in" not in url)
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
        assert [errors for _, _, errors in contexts if errors] == [], "errors on the browser's console"


@pytest.fixture(scope="module")
def desk_site(_migrated: Flask, pressbox: RunningPressbox, known: Secrets) -> Iterator[RunningPressbox]:
    """One for all tests here, each of which has a game of its own; sal and sue are scorers."""
    with emptied(_migrated, keeping=KEPT_KEYS):
        for name in ("sal", "sue"):
            made = accounts.register(name, name.title(), PASSWORD, ["scorer"])
            assert isinstance(made, Member), made
        pressbox.start_all()
        yield pressbox
        pressbox.wait_until_idle()
        known.note_database()


@pytest.fixture
def game(desk_site: RunningPressbox) -> str:
    """A new game of Summit at Harbor; Harbor has the ball on its own 25 after the kick-off."""
    game = make_game(f"g{next(desk_site.numbers)}").id
    submit(game, [Entry(body, f"start:{i}") for i, body in enumerate(touchdown_drive()[:KICK_OFF])], clock.now())
    leave(game, clock.now())
    until(lambda: ingested_count(game) == KICK_OFF, "the kick-off in the record")
    return game


@pytest.fixture(scope="module")
def signed_in(browser: Browser, desk_site: RunningPressbox) -> StorageState:
    """Sal's cookies: signing in is not what is tested here, and is limited to some times a minute."""
    context = browser.new_context(base_url=desk_site.address)
    Desk(context, "").sign_in("sal")
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture
def desk(
    browser: Browser, desk_site: RunningPressbox, signed_in: StorageState, game: str, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Desk]]:
    """Makes browsers of sal: `desk()`; `desk(viewport=PHONE)`. An error that no dead line explains fails the test."""
    desks: list[Desk] = []

    def make(**options: Any) -> Desk:
        chosen = {"viewport": LAPTOP, "storage_state": signed_in} | options
        made = Desk(browser.new_context(base_url=desk_site.address, **chosen), game)
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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = yield
    if report.when == "call" and report.failed:
        item.failed = True  # type: ignore[attr-defined]
    return report

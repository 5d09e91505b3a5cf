"""A whole Pressbox with every process, and a real browser. On failure: screenshots in test-results/."""

from __future__ import annotations

import sys
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
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
    sync_playwright,
)

from app.accounts import services as accounts
from app.core import clock
from app.core.db import db
from app.embedded.stack import Stack, free_port
from app.record.progress import ingested_count
from scorer_console.numbering import Entry
from tests.conftest import PASSWORD
from tests.e2e.browser import executable
from tests.e2e.desk import KICK_OFF, Desk, House
from tests.emptying import empty_stores
from tests.record.factory import make_game, touchdown_drive
from tests.scorer import leave, submit
from tests.waiting import until
from workers.processes import commands
from workers.supervisor import Children

RESULTS = Path(__file__).parent.parent.parent / "test-results"
# --no-sandbox: root may not use the sandbox; the others keep Chromium from calling its maker's servers.
CHROMIUM = [
    "--no-sandbox",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PHONE = {"width": 390, "height": 844}
LAPTOP = {"width": 1280, "height": 800}


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = executable()
    if path is None:
        pytest.fail("No browser: run `make browser`, which installs one or says how.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture
def site(app: Flask, stack: Stack) -> Iterator[str]:
    """Address of a running Pressbox on the test's stores, all processes included."""
    settings = replace(stack.settings, port=free_port(), workers=2)
    children = Children(stack, commands(settings, web=True, demo=False))
    children.start()
    address = f"http://127.0.0.1:{settings.port}"

    def healthy() -> bool:
        try:
            with urllib.request.urlopen(f"{address}/healthz", timeout=5):
                return True
        except OSError:
            return False

    try:
        until(healthy, "healthy", seconds=60)
        yield address
    finally:
        children.stop()


@pytest.fixture
def open_page(browser: Browser, site: str, request: pytest.FixtureRequest) -> Iterator[Callable[..., Page]]:
    """A page of a new context, signed in if a username is given: `open_page("ann", viewport=PHONE)`.

    Any error on a page's console fails the test at its end (a CSP violation is one), but for those that
    contain one of `expect_errors`: Chromium reports every answer above 399 as one.
    """
    contexts: list[tuple[BrowserContext, Page, list[str]]] = []

    def make(username: str | None = None, *, expect_errors: Sequence[str] = (), **options: object) -> Page:
        context = browser.new_context(base_url=site, **({"viewport": LAPTOP} | options))  # type: ignore[arg-type]
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
def house(_migrated: Flask, stack: Stack) -> Iterator[House]:
    """One for all tests here, each of which has a game of its own; sal and sue are scorers."""
    house = House(stack)
    with _migrated.app_context():
        empty_stores()
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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = yield
    if report.when == "call" and report.failed:
        item.failed = True  # type: ignore[attr-defined]
    return report

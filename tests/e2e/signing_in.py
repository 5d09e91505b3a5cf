"""Ways for a story's browser to be signed in: at once, or through the form as people do it."""

from __future__ import annotations

from flask import Flask
from playwright.sync_api import BrowserContext, Page, expect

from app.accounts.sessions import DEVICE_COOKIE, SESSION_COOKIE
from tests.conftest import PASSWORD


def sign_in(context: BrowserContext, app: Flask, username: str, address: str) -> None:
    """Give the context the cookies of a browser in which this member has just signed in."""
    client = app.test_client()
    answer = client.post("/sign-in", data={"username": username, "password": PASSWORD})
    assert answer.status_code == 303, answer.text
    for name in (SESSION_COOKIE, DEVICE_COOKIE):
        cookie = client.get_cookie(name)
        assert cookie is not None, name
        context.add_cookies([{"name": name, "value": cookie.value, "url": address}])


def sign_in_by_form(page: Page, username: str, *, stays: bool = False) -> None:
    page.goto("/sign-in")
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password").fill(PASSWORD)
    if stays:
        page.get_by_label("Stay signed in on this device").check()
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(lambda url: "/sign-in" not in url)


def open_account_menu(page: Page) -> None:
    page.get_by_role("button", name="Account of").click()
    expect(page.get_by_role("button", name="Sign out", exact=True).first).to_be_visible()


def sign_out(page: Page) -> None:
    """Press the button in the menu of the account, as people do."""
    open_account_menu(page)
    page.get_by_role("button", name="Sign out", exact=True).first.click()

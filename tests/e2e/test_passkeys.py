"""A member makes a passkey and signs in with it, using Chromium's virtual authenticator."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.accounts import second_factors, services
from app.accounts.models import Member
from tests.e2e import signing_in

pytestmark = pytest.mark.e2e


def with_authenticator(page: Page) -> None:
    """Gives the browser an authenticator that knows its owner."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    session.send("WebAuthn.addVirtualAuthenticator", {"options": options})


def sign_out(page: Page) -> None:
    """Waits until it is done: another page asked for meanwhile would cut it short."""
    signing_in.sign_out(page)
    expect(page.get_by_role("link", name="Sign in").first).to_be_visible()


@pytest.mark.everyday("only a browser signs")
def test_a_passkey_is_made_signs_in_alone_and_stands_for_the_second_step(
    open_page: Callable[..., Page], member: Callable[..., Member], site: str
) -> None:
    ann = member("ann")
    local = site.replace("127.0.0.1", "localhost")  # passkeys belong to a name, not to an address
    page = open_page(expect_errors=("422", "ERR_INTERNET_DISCONNECTED"))
    with_authenticator(page)
    page.goto(f"{local}/sign-in")
    page.context.set_offline(True)
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("alert")).to_have_text(
        "No connection to Pressbox. Try again when you are back online."
    )
    page.context.set_offline(False)
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("alert")).to_contain_text("No passkey was used")
    page.get_by_label("Username").fill("ann")
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(lambda url: "/sign-in" not in url)

    page.goto(f"{local}/account/second-factor")
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.get_by_role("button", name="Remove the passkey")).to_be_visible()
    assert len(second_factors.of(ann.id).passkeys) == 1

    sign_out(page)
    page.goto(f"{local}/sign-in?next=/account")
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("heading", name="Account", exact=True)).to_be_visible()

    sign_out(page)
    page.goto(f"{local}/sign-in?next=/account")
    page.get_by_label("Username").fill("ann")
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="One more step")).to_be_visible()
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("heading", name="Account", exact=True)).to_be_visible()

    assert services.find_member("ann") is not None
    [passkey] = second_factors.of(ann.id).passkeys
    assert second_factors.remove_passkey(ann.id, passkey.id)
    sign_out(page)
    page.goto(f"{local}/sign-in")
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("alert")).to_contain_text("We don't know this passkey")

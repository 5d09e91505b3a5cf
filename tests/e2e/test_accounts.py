"""Accounts in a browser.

A password by a link, a strange session that is ended, an operator who makes a scorer.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from tests.e2e.looking import PHONE

pytestmark = pytest.mark.e2e

NEW = "seventeen quiet herons"


def link_on(page: Page) -> str:
    """The one-time link that the page shows."""
    match = re.search(r"https?://\S+", page.locator(".secret").inner_text())
    assert match is not None
    return match[0]


def test_a_member_gets_a_new_password_by_link_sees_a_strange_session_and_ends_it(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    member("olive", role="operator")
    member("ann")
    strange = open_page("ann")

    operator = open_page("olive")
    operator.goto("/ops/accounts?role=&q=ann")
    operator.get_by_role("link", name="ann").first.click()
    # the page before asks why, too
    expect(operator.get_by_role("button", name="Create link")).to_be_visible()
    operator.get_by_label("Reason").last.fill("Forgot it; known by voice on the phone.")
    operator.get_by_role("button", name="Create link").click()
    link = link_on(operator)

    phone = open_page(viewport=PHONE)
    phone.goto(link)
    phone.get_by_label("New password").fill(NEW)
    phone.get_by_role("button", name="Set password").click()
    expect(phone).to_have_url(re.compile("/sign-in"))  # it is set
    strange.goto("/account")
    expect(strange).to_have_url(re.compile("/sign-in"))

    phone.goto("/sign-in")
    phone.get_by_label("Username").fill("ann")
    phone.get_by_label("Password").fill(NEW)
    phone.get_by_role("button", name="Sign in").click()
    expect(phone.get_by_role("button", name="Account of")).to_be_visible()
    strange.get_by_label("Username").fill("ann")
    strange.get_by_label("Password").fill(NEW)
    strange.get_by_role("button", name="Sign in").click()
    strange.wait_for_url(re.compile("//[^/]+/account$"))  # not the sign-in page that leads on to it

    phone.goto("/account")
    others = phone.locator(".rows > li").filter(
        has=phone.get_by_role("button", name=re.compile("^Sign out"))
    )
    expect(others).to_have_count(1)
    others.get_by_role("button").click()
    expect(phone.get_by_role("status").filter(has_text="Signed out that device")).to_be_visible()
    strange.reload()
    expect(strange).to_have_url(re.compile("/sign-in"))


def test_an_operator_makes_a_scorer_who_sets_a_password_and_scores(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    member("olive", role="operator")
    operator = open_page("olive")
    operator.goto("/ops/accounts")
    operator.get_by_label("Username").fill("sal_larks")
    operator.get_by_label("Display name").fill("Sal of the Larks")
    operator.get_by_label("scorer: enters games at the console").check()
    operator.get_by_label("Reason").fill("Scores home games of the Larks.")
    operator.get_by_role("button", name="Create account").click()
    link = link_on(operator)

    scorer = open_page()
    scorer.goto(link)
    scorer.get_by_label("New password").fill(NEW)
    scorer.get_by_role("button", name="Set password").click()
    expect(scorer).to_have_url(re.compile("/sign-in"))  # it is set
    scorer.goto("/sign-in")
    scorer.get_by_label("Username").fill("sal_larks")
    scorer.get_by_label("Password").fill(NEW)
    scorer.get_by_role("button", name="Sign in").click()
    scorer.get_by_role("link", name="Scorer console").click()
    expect(scorer.get_by_role("heading", level=1)).to_be_visible()
    expect(scorer).to_have_url(re.compile("/console/"))

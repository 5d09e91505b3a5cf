"""Two members become friends, on phone and laptop, with and without JavaScript (PRODUCT D8)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from tests.e2e.looking import PHONE, looks_right

pytestmark = pytest.mark.e2e


def test_two_members_become_friends(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    member("ann")
    member("bob")
    ann, bob = open_page("ann", viewport=PHONE), open_page("bob", java_script_enabled=False)
    ann.goto("/friends")
    expect(ann.get_by_role("heading", name="No friends yet")).to_be_visible()
    ann.get_by_label("Username").fill("bob")
    ann.get_by_role("button", name="Send request").click()
    expect(ann.get_by_role("region", name="Requests sent")).to_contain_text("Bob")
    bob.goto("/friends")
    bob.get_by_role("button", name="Accept Ann").click()
    expect(bob.get_by_role("region", name="Your friends")).to_contain_text("Ann")
    ann.reload()
    ann.get_by_role("button", name="Unfriend Bob").click()
    expect(ann.get_by_role("heading", name="No friends yet")).to_be_visible()
    looks_right(ann)

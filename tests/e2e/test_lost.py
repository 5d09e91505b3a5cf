"""A lost visitor sees the menu and a way on, on phone and laptop.

Checked with axe; nothing overflows at 320 px.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from tests.e2e.looking import PHONE, looks_right

pytestmark = pytest.mark.e2e


def test_a_wrong_address_leads_on(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    member("ann")
    for username in ("ann", None):
        page = open_page(username, viewport=PHONE, expect_errors=["404"])
        page.goto("/leagues/no-such-league" if username else "/no-such-page")
        expect(page.get_by_role("heading", name="Page not found")).to_be_visible()
        looks_right(page, f"lost-{username}")
        page.get_by_role("navigation", name="Main").get_by_role(
            "link", name="Games", exact=True
        ).click()
        expect(page.get_by_role("heading", name="Games", exact=True)).to_be_visible()

"""Drafts in real browsers: a mock draft, ten members at once, an auction, a television."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from tests.e2e.looking import PHONE, looks_right
from tests.worlds.draft_market import make_market

pytestmark = pytest.mark.e2e
TELEVISION = {"width": 1920, "height": 1080}


def test_a_mock_draft_from_one_tap(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    make_market(24)
    member("ann")
    ann = open_page("ann", viewport=PHONE)
    ann.goto("/drafts/mock")
    looks_right(ann, "draft-mock")
    ann.get_by_label("Your place in the first round").fill("2")
    ann.get_by_role("button", name="Start the mock draft").click()
    expect(ann.get_by_role("status").filter(has_text="It is your turn")).to_be_visible()
    looks_right(ann, "draft-players")
    ann.get_by_role("button", name=re.compile("^Draft ")).nth(2).click()
    expect(ann.get_by_text("It is your turn")).to_be_hidden()
    ann.get_by_role("button", name="Queue and team").click()
    looks_right(ann, "draft-mine")
    ann.get_by_role("button", name="Board", exact=True).click()
    looks_right(ann, "draft-board")

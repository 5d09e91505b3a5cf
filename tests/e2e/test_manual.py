"""The scorer's manual prints on both sides of one sheet."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from scorer_console.keys.rules import STANDARD
from tests.e2e.looking import PHONE, fits_the_window

pytestmark = pytest.mark.e2e
MANUAL = Path(__file__).parent.parent.parent / "docs/scorer.html"


def test_the_manual_is_both_sides_of_a_sheet_and_fits_a_phone(browser: Browser) -> None:
    page = browser.new_page(viewport=PHONE)
    page.goto(MANUAL.as_uri())
    fits_the_window(page)
    printed = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 2
    page.close()


def test_every_key_is_in_the_manual() -> None:
    in_manual = set(re.findall(r"<kbd>(\w)</kbd>", MANUAL.read_text()))
    assert set(STANDARD.values()) <= in_manual

"""An integrator reads the API reference and tries a call there, under the site's CSP."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.api.document import document
from tests.e2e.looking import PHONE, fits_the_window, looks_right

pytestmark = pytest.mark.e2e


def test_every_operation_is_on_the_reference_and_can_be_tried(
    open_page: Callable[..., Page],
) -> None:
    page = open_page(viewport=PHONE, expect_errors=["401"])  # what trying without a key is answered
    page.goto("/docs/api")
    operations = page.locator(".opblock-summary-path")
    expect(operations).to_have_count(sum(map(len, document()["paths"].values())))
    paths = {path.replace("\u200b", "") for path in operations.all_inner_texts()}
    assert {path.replace("\n", "") for path in paths} == set(document()["paths"])
    looks_right(page, "api-reference")
    operation = page.locator(".opblock-get").first
    operation.locator("button.opblock-summary-control").click()
    operation.get_by_role("button", name="Try it out").click()
    operation.get_by_role("button", name="Execute").click()
    expect(operation.locator(".live-responses-table")).to_contain_text("The request is not signed")
    fits_the_window(page)

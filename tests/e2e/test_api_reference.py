"""An integrator reads the API reference and tries a call there, under the site's CSP."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.api.document import document
from tests.e2e.looking import PHONE, fits_the_window, looks_right

pytestmark = pytest.mark.e2e


def operations_by_subject() -> dict[str, list[str]]:
    """The path of each operation, by the tag that Swagger UI lists it under."""
    subjects: dict[str, list[str]] = {}
    for path, methods in document()["paths"].items():
        for operation in methods.values():
            subjects.setdefault(operation["tags"][0], []).append(path)
    return subjects


@pytest.mark.full  # tests/api/test_document.py reads the document
def test_every_operation_is_on_the_reference_and_can_be_tried(
    open_page: Callable[..., Page],
) -> None:
    page = open_page(viewport=PHONE, expect_errors=["401"])  # what trying without a key is answered
    page.goto("/docs/api")
    subjects = page.locator(".opblock-tag-section")
    expect(subjects).to_have_count(len(operations_by_subject()))
    looks_right(page, "api-reference-closed")
    for number, (subject, operations) in enumerate(operations_by_subject().items()):
        section = subjects.filter(has=page.locator(f'[data-tag="{subject}"]'))
        section.locator("button.expand-operation").click()
        labels = section.locator(".opblock-summary-path")
        expect(labels).to_have_count(len(operations))
        paths = [path.replace("\u200b", "").replace("\n", "") for path in labels.all_inner_texts()]
        assert sorted(paths) == sorted(operations)
        if number == 0:
            looks_right(page, "api-reference")
        section.locator("button.expand-operation").click()
    subjects.first.locator("button.expand-operation").click()
    operation = subjects.first.locator(".opblock-get").first
    operation.locator("button.opblock-summary-control").click()
    operation.get_by_role("button", name="Try it out").click()
    operation.get_by_role("button", name="Execute").click()
    expect(operation.locator(".live-responses-table")).to_contain_text("The request is not signed")
    fits_the_window(page)


def test_the_reference_follows_the_theme(open_page: Callable[..., Page]) -> None:
    page = open_page(viewport=PHONE, color_scheme="dark")
    page.goto("/docs/api")
    section = page.locator(".opblock-tag-section").first
    section.locator("button.expand-operation").click()
    expect(page.locator("#reference")).to_have_css("background-color", "rgb(23, 32, 27)")
    looks_right(page, "api-reference-dark")
    section.locator(".opblock-post button.opblock-summary-control").first.click()
    expect(section.locator("td.header-col").first).to_have_css("color", "rgb(236, 239, 233)")
    page.emulate_media(color_scheme="light")
    expect(page.locator("#reference")).to_have_css("background-color", "rgb(255, 255, 255)")
    expect(page.locator(".opblock-tag").first).to_have_css("color", "rgb(59, 65, 81)")

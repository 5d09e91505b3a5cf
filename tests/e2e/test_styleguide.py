"""The style guides show their components in both themes, on a phone and on a laptop."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from app.accounts.models import Member
from tests.e2e.looking import LAPTOP, PHONE, looks_right
from tests.e2e.section_pictures import OF_PAGES

pytestmark = pytest.mark.e2e
GUIDES = ["", *OF_PAGES, "console", "desk"]


@pytest.mark.parametrize(
    ("size", "theme"),
    [
        pytest.param(PHONE, "light", id="phone-light"),
        pytest.param(LAPTOP, "dark", id="laptop-dark", marks=pytest.mark.full),
        pytest.param(PHONE, "dark", id="phone-dark", marks=pytest.mark.full),
        pytest.param(LAPTOP, "light", id="laptop-light", marks=pytest.mark.full),
    ],
)
@pytest.mark.parametrize("guide", GUIDES)
def test_every_component_is_accessible_and_fits(
    open_page: Callable[..., Page], guide: str, size: ViewportSize, theme: str
) -> None:
    page = open_page(viewport=size, color_scheme=theme)
    page.goto(f"/styleguide/{guide}".rstrip("/"))
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    expect(page.locator("#stage")).to_have_count(0)
    expect(page.locator("[data-component]:not(:has(figure))")).to_have_count(0)
    looks_right(page, f"styleguide-{guide}-{theme}")


def test_a_signed_in_scorer_sees_the_same_states(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    """The page of a scorer has a bar, a dialog and scripts of its own beside the samples."""
    member("sal", role="scorer")
    captions = []
    for page in (open_page(), open_page("sal")):
        page.goto("/styleguide/console")
        expect(page.locator("#stage")).to_have_count(0)
        captions.append(page.locator("figcaption").all_inner_texts())
        repeated = page.evaluate(
            "[...document.querySelectorAll('[id]')].map(({ id }) => id)"
            ".filter((id, index, ids) => ids.indexOf(id) !== index)"
        )
        assert repeated == []
    guest, scorer = captions
    assert "Leaving, one entry is not sent" in guest
    assert scorer == guest

"""The look at a page finds what is wrong with it, also when other pages were looked at before."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.e2e.looking import accessible

pytestmark = pytest.mark.e2e

PAGE = "<!doctype html><html lang=en><title>Title</title><main><h1>Title</h1>{}</main></html>"


@pytest.mark.everyday("without it the stories would look for nothing")
def test_text_that_cannot_be_read_is_found_on_every_page_that_has_it(browser: Browser) -> None:
    with browser.new_page() as page:
        page.set_content(PAGE.format("<p>Readable</p>"))
        accessible(page)
        for _ in range(2):
            page.set_content(
                PAGE.format(
                    "<p>Readable</p><p style='background: #777'><b style='color: #999'>Not</b></p>"
                )
            )
            with pytest.raises(AssertionError, match="color-contrast"):
                accessible(page)


def test_a_picture_without_words_is_found(browser: Browser) -> None:
    with browser.new_page() as page:
        page.set_content(PAGE.format("<img src='data:,'>"))
        with pytest.raises(AssertionError, match="image-alt"):
            accessible(page)

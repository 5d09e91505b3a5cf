"""The components look as they did when their pictures were stored."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.e2e.conftest import RESULTS
from tests.e2e.section_pictures import (
    FOLDER,
    LOOKS,
    OF_PAGES,
    SIZES,
    SmallPicture,
    difference,
    load,
    small_pictures,
    store,
)

MOST_BYTES = 500_000  # of all pictures
pytestmark = [pytest.mark.e2e, pytest.mark.full]


@pytest.mark.parametrize(("theme", "size"), LOOKS)
@pytest.mark.parametrize("guide", ["basics", *OF_PAGES])
def test_every_section_looks_as_it_did(
    open_page: Callable[..., Page], guide: str, theme: str, size: str
) -> None:
    page = open_page(viewport=SIZES[size], color_scheme=theme)
    page.goto("/styleguide" if guide == "basics" else f"/styleguide/{guide}")
    pictures = small_pictures(page)
    assert pictures
    start = f"{guide}-{theme}-{size}-"
    stored = {path.stem.removeprefix(start): path for path in FOLDER.glob(f"{start}*.png")}
    if os.environ.get("PRESSBOX_STORE_THUMBNAILS"):
        renew(pictures, start, stored.values())
        return
    assert sorted(stored) == sorted(pictures), "run `make thumbnails` for new and gone sections"
    changed = {}
    for name, now in pictures.items():
        change = difference(load(stored[name]), now)
        if change:
            RESULTS.mkdir(exist_ok=True)
            path = RESULTS / f"{start}{name}-diff.png"
            change.picture.save(path)
            changed[name] = f"{change.words}: {path}"
    assert not changed, (
        "\n".join(f"section {name} of {page.url}: {words}" for name, words in changed.items())
        + "\nEach picture shows the stored look, the present one and what differs. "
        "If the change is meant, run `make thumbnails` and commit the pictures."
    )


def renew(pictures: Mapping[str, SmallPicture], start: str, stored: Iterable[Path]) -> None:
    FOLDER.mkdir(exist_ok=True)
    for path in stored:
        path.unlink()
    for name, picture in pictures.items():
        store(picture, FOLDER / f"{start}{name}.png")


def test_the_pictures_are_small() -> None:
    assert 0 < sum(path.stat().st_size for path in FOLDER.glob("*.png")) < MOST_BYTES

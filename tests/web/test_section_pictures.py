"""What a comparison of two pictures of a section notices. Nothing here opens a browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFilter

from tests.e2e.section_pictures import Difference, difference, load, shrunk, store

ACCENT, OTHER_ACCENT = "#0b5d38", "#1d5a9c"


def section(
    *, accent: str = ACCENT, padding: int = 16, has_chip: bool = True, rows: int = 3
) -> Image.Image:
    """A card with a button, rows of text and a chip, as a browser would draw it."""
    picture = Image.new("RGB", (358, 2 * padding + 60 + 40 * rows), "#fffdf5")
    pen = ImageDraw.Draw(picture)
    pen.rectangle((padding, padding, padding + 120, padding + 46), accent)
    for row in range(rows):
        pen.text((padding, padding + 66 + 40 * row), f"Row {row}: Deadline Dozen", "#14201a")
    if has_chip:
        pen.rounded_rectangle((260, padding + 12, 300, padding + 36), 6, "#e8e2d2")
        pen.text((266, padding + 18), "Live", "#14201a")
    return picture


def compared(now: Image.Image, folder: Path) -> Difference | None:
    """What differs from the stored picture of the section above."""
    store(shrunk(section()), folder / "section.png")
    return difference(load(folder / "section.png"), shrunk(now))


def test_the_same_section_does_not_differ(tmp_path: Path) -> None:
    assert compared(section(), tmp_path) is None


def test_other_antialiasing_does_not_differ(tmp_path: Path) -> None:
    assert compared(section().filter(ImageFilter.GaussianBlur(0.5)), tmp_path) is None


@pytest.mark.parametrize(
    ("now", "words"),
    [
        pytest.param(section(accent=OTHER_ACCENT), "pixels differ", id="color"),
        pytest.param(section(padding=18), "358 by 212 px before, now 358 by 216", id="padding"),
        pytest.param(section(has_chip=False), "pixels differ", id="chip"),
        pytest.param(section(rows=2), "358 by 212 px before, now 358 by 172", id="row"),
    ],
)
def test_a_change_of_look_differs(now: Image.Image, words: str, tmp_path: Path) -> None:
    change = compared(now, tmp_path)
    assert change is not None
    assert words in change.words

"""Text of the pages' colours can be read on every background of theirs, in light and in dark.

The ratio and its formula are WCAG 2.2's: success criterion 1.4.3, 4.5:1 for text of usual size.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

BASE = Path(__file__).parents[2] / "static/css/base.css"
READABLE = 4.5
TEXTS = ("text", "muted", "accent", "link", "bad")
BACKGROUNDS = ("background", "surface", "raised", "moved")


def colours(scheme: str) -> dict[str, str]:
    """Return the colours by name as #rrggbb.

    A dark scheme has what it does not change from the light one.
    """
    light, dark = BASE.read_text().split("@media (prefers-color-scheme: dark)", 1)
    by_name = dict(re.findall(r"--color-([a-z-]+): (#[0-9a-f]{6});", light))
    if scheme == "dark":
        by_name |= dict(re.findall(r"--color-([a-z-]+): (#[0-9a-f]{6});", dark))
    return by_name


def luminance(colour: str) -> float:
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, other: str) -> float:
    darker, lighter = sorted((luminance(first), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_is_readable_on_every_background(scheme: str) -> None:
    by_name = colours(scheme)
    pairs = [(text, background) for text in TEXTS for background in BACKGROUNDS]
    pairs += [("accent-text", "accent"), ("bad", "bad-wash"), ("text", "bad-wash")]
    ratios = {
        f"{text} on {other}": round(contrast(by_name[text], by_name[other]), 2)
        for text, other in pairs
    }
    assert {pair: ratio for pair, ratio in ratios.items() if ratio < READABLE} == {}


def test_the_ratio_is_that_of_wcag() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)

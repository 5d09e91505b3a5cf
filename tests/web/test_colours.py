"""Text of the pages' colours can be read on every background of theirs, in light and in dark.

The ratio and its formula are WCAG 2.2's: success criterion 1.4.3, 4.5:1 for text of usual size.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.accounts.crests import COLOURS, HUES, crest

TOKENS = Path(__file__).parents[2] / "static/css/tokens.css"
READABLE = 4.5
SEEN = 3.0  # of lines: success criterion 1.4.11
TEXTS = ("text", "muted", "accent", "link", "bad")
BACKGROUNDS = ("background", "surface", "raised", "moved")


def colours(scheme: str) -> dict[str, str]:
    """Return the colours by name as #rrggbb."""
    both = re.findall(
        r"--color-([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", TOKENS.read_text()
    )
    return {name: dark if scheme == "dark" else light for name, light, dark in both}


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


def text_on_team(scheme: str) -> str:
    """Return the colour of text on a team's colour as #rrggbb."""
    text_colours = re.search(
        r"--team-text: light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", TOKENS.read_text()
    )
    assert text_colours
    return text_colours[2 if scheme == "dark" else 1]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_readable_on_the_colour_of_each_team_and_its_lines_on_every_background(
    scheme: str,
) -> None:
    teams = [dark if scheme == "dark" else light for light, dark in COLOURS.values()]
    text = text_on_team(scheme)
    assert min(contrast(text, colour) for colour in teams) >= READABLE
    backgrounds = [colours(scheme)[name] for name in BACKGROUNDS]
    assert min(contrast(team, other) for team in teams for other in backgrounds) >= SEEN


def test_crests_have_the_colours_of_the_light_theme_and_white_letters() -> None:
    assert text_on_team("light") == "#ffffff"
    assert list(HUES) == [light for light, _ in COLOURS.values()]
    assert HUES[0] in crest("member:1", colour=1)


def test_the_red_of_live_is_only_for_what_is_live() -> None:
    rules = [
        selector.strip()
        for sheet in TOKENS.parent.glob("*.css")
        for selector, declarations in re.findall(r"([^{}]+)\{([^{}]*)\}", sheet.read_text())
        if "var(--live" in declarations
    ]
    assert rules
    assert [rule for rule in rules if not re.search("live|playing", rule)] == []

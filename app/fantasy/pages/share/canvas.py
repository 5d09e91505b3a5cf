"""Pictures of pages for messengers: PNG, 1200 x 630, in the fonts and colours of the pages.

They are PNGs because not all messengers show SVG and WebP. Pillow reads the vendored WOFF2 fonts.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT = 1200, 630
TYPE = "image/png"
_FONTS = Path(__file__).parents[4] / "static" / "vendor" / "barlow"
HEAD, TEXT = "barlow-condensed-latin-600-normal.woff2", "barlow-latin-400-normal.woff2"
STAND, RAISED, CHALK, QUIET, BULB, GOOD, BAD = (
    "#0d1a14",
    "#16281f",
    "#f5f3ec",
    "#a9b8ae",
    "#ffc94d",
    "#6fd6a1",
    "#ff9a94",
)
LEFT, RIGHT = 64, WIDTH - 64
_HEADLINE_HEIGHT = 190
_LINE_WIDTH = 840

_BAND_TOP, _BAND_HEIGHT = 73, 9
_BADGE_WIDTH, _BADGE_HEIGHT, _STRIPE = 84, 48, 9

Colours = tuple[str, str]
ClubColours = Mapping[str, Colours]  # by club
UNKNOWN: Colours = ("#444444", "#a9b8ae")
Font = ImageFont.FreeTypeFont
Anchor = Literal["lm", "rm", "mm"]


class Canvas:
    """A picture with the page's frame, on which text of any kind fits."""

    def __init__(self) -> None:
        self.image = Image.new("RGB", (WIDTH, HEIGHT), STAND)
        self.draw = ImageDraw.Draw(self.image)
        self._frame()

    def png(self) -> bytes:
        """The picture as a file."""
        written = io.BytesIO()
        self.image.save(written, "PNG", optimize=True)
        return written.getvalue()

    def line(self, top: int, words: str, *, size: int = 30, colour: str = QUIET) -> None:
        """Write a line of text, shortened if needed."""
        font = font_of(TEXT, size)
        self.draw.text(
            (LEFT, top), shortened(readable(words, TEXT), font, _LINE_WIDTH), font=font, fill=colour
        )

    def headline(self, top: int, words: str) -> None:
        """Write up to three lines, as large as possible; an initial stays on its name's line."""
        lines, font = _headline(words)
        for number, line in enumerate(lines):
            self.draw.text((LEFT, top + number * font.size * 1.1), line, font=font, fill=CHALK)

    def row(self, top: int, height: int = 64) -> int:
        """Draw the ground of a row; returns its middle."""
        self.draw.rounded_rectangle((LEFT, top, RIGHT, top + height), 8, fill=RAISED)
        return top + height // 2

    def cell(
        self, at: tuple[int, int], words: str, font: Font, colour: str, anchor: Anchor
    ) -> None:
        """Write into a row."""
        self.draw.text(at, words, font=font, fill=colour, anchor=anchor)

    def name(self, at: tuple[int, int], words: str, width: int) -> None:
        """Write a name into a row, shortened to this width."""
        font = font_of(HEAD, 38)
        self.cell(at, shortened(readable(words, HEAD) or "A team", font, width), font, CHALK, "lm")

    def band(self, clubs: Iterable[str], colours: ClubColours) -> None:
        """Draw a band below the head in the colours of these clubs, one as wide as another."""
        pairs = [colours[club] for club in dict.fromkeys(clubs) if club in colours]
        edges = [WIDTH * number // max(len(pairs), 1) for number in range(len(pairs) + 1)]
        for (first, second), left, right in zip(pairs, edges, edges[1:], strict=False):
            middle = _BAND_TOP + 2 * _BAND_HEIGHT // 3
            self.draw.rectangle((left, _BAND_TOP, right, middle), fill=first)
            self.draw.rectangle((left, middle, right, _BAND_TOP + _BAND_HEIGHT), fill=second)

    def badge(self, at: tuple[int, int], club: str, colours: Colours) -> int:
        """Draw a club's letters in its colours; returns the right edge. `at`: left and middle."""
        left, middle = at
        top = middle - _BADGE_HEIGHT // 2
        right, bottom = left + _BADGE_WIDTH, top + _BADGE_HEIGHT
        self.draw.rounded_rectangle((left, top, right, bottom), 8, fill=colours[0])
        self.draw.rectangle((left + 8, bottom - _STRIPE, right - 8, bottom - 4), fill=colours[1])
        self.draw.rounded_rectangle((left, top, right, bottom), 8, outline=CHALK, width=2)
        font = font_of(HEAD, 30)
        words = shortened(readable(club, HEAD), font, _BADGE_WIDTH - 12)
        self.cell((left + _BADGE_WIDTH // 2, middle - 4), words, font, CHALK, "mm")
        return right

    def call(self, words: str) -> None:
        """Write what to do next, at the foot on the right."""
        font = font_of(HEAD, 30)
        width = int(font.getlength(words)) + 44
        box = (RIGHT - width, HEIGHT - 66, RIGHT, HEIGHT - 18)
        self.draw.rounded_rectangle(box, 24, fill=BULB)
        self.cell((RIGHT - width // 2, HEIGHT - 42), words, font, STAND, "mm")

    def _frame(self) -> None:
        """The stand with its chalk line and hash marks, and the wordmark."""
        draw = self.draw
        draw.rectangle((0, 70, WIDTH, 72), fill=CHALK)
        for x in range(0, WIDTH, 24):
            draw.rectangle((x, 62, x + 1, 70), fill="#6f7d74")
        draw.rounded_rectangle((LEFT, 12, LEFT + 44, 56), 8, fill=BULB)
        draw.line(
            [(LEFT + 7, 42), (LEFT + 22, 24), (LEFT + 37, 42)], fill=STAND, width=5, joint="curve"
        )
        draw.line([(LEFT + 22, 24), (LEFT + 22, 48)], fill=STAND, width=4)
        draw.line([(LEFT + 12, 48), (LEFT + 32, 48)], fill=STAND, width=4)
        draw.text((LEFT + 58, 34), "Pressbox", font=font_of(HEAD, 38), fill=CHALK, anchor="lm")


def _headline(words: str) -> tuple[list[str], Font]:
    """Fit the sentences into at most three lines, as large as possible, shortened if needed.

    An initial stays on the line of its name.
    """
    words = re.sub(r"\b([A-Z]\.) ", "\\1\u00a0", readable(words, HEAD))
    for size in (76, 64, 54, 46):
        font = font_of(HEAD, size)
        lines = _wrapped(words, font)
        if len(lines) * size * 1.1 <= _HEADLINE_HEIGHT:
            return lines, font
    return [*lines[:2], shortened(" ".join(lines[2:]), font, RIGHT - LEFT)], font


def _wrapped(words: str, font: Font) -> list[str]:
    lines = [""]
    for word in words.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and font.getlength(longer) > RIGHT - LEFT:
            lines.append(word)
        else:
            lines[-1] = longer
    return [shortened(line.replace("\u00a0", " "), font, RIGHT - LEFT) for line in lines]


def shortened(words: str, font: Font, width: int) -> str:
    """The words, cut with dots if they are wider than this many pixels."""
    if font.getlength(words) <= width:
        return words
    while words and font.getlength(f"{words}...") > width:
        words = words[:-1]
    return f"{words.rstrip()}..."


def readable(words: str, name: str) -> str:
    """Remove the letters that the font does not have, which would be drawn as boxes."""
    return " ".join(
        "".join(letter for letter in words if letter == " " or _has(name, letter)).split()
    )


@cache
def font_of(name: str, size: int) -> Font:
    """A vendored font in this size."""
    return ImageFont.truetype(str(_FONTS / name), size)


@cache
def _missing(name: str) -> Sequence[int]:
    return _drawn(name, "\uffff")


def _has(name: str, letter: str) -> bool:
    return letter.isprintable() and _drawn(name, letter) != _missing(name)


def _drawn(name: str, letter: str) -> Sequence[int]:
    return bytes(font_of(name, 30).getmask(letter))

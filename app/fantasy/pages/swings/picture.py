"""A play's swing as a picture for messengers: PNG, 1200 x 630, in the fonts of the pages.

It is a PNG because not all messengers show SVG and WebP. Pillow reads the vendored WOFF2 fonts.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from app.fantasy.amounts import decimal_points, signed_points
from app.fantasy.pages.swings.page import PlayPage
from app.fantasy.scoring.swings.swings import Mover

WIDTH, HEIGHT = 1200, 630
TYPE = "image/png"
_FONTS = Path(__file__).parents[4] / "static" / "vendor" / "barlow"
_HEAD, _TEXT = "barlow-condensed-latin-600-normal.woff2", "barlow-latin-400-normal.woff2"
_STAND, _RAISED, _CHALK, _QUIET, _BULB, _BAD = (
    "#0d1a14",
    "#16281f",
    "#f5f3ec",
    "#a9b8ae",
    "#ffc94d",
    "#ff9a94",
)
_LEFT, _RIGHT = 64, WIDTH - 64
_ROWS = 3
_HEADLINE_HEIGHT = 190

Font = ImageFont.FreeTypeFont


def picture(page: PlayPage, league: str) -> bytes:
    """Draw the play in words, and the teams that it moved most, after all its corrections.

    `league`: the league's name.
    """
    image = Image.new("RGB", (WIDTH, HEIGHT), _STAND)
    draw = ImageDraw.Draw(image)
    _frame(draw)
    where = f"{page.game.away.name} at {page.game.home.name}"
    _write(
        draw,
        (_LEFT, 92),
        f"{page.first.when}, {where}" if page.first.when else where,
        _font(_TEXT, 30),
        _QUIET,
    )
    if page.is_corrected:
        draw.rounded_rectangle((_RIGHT - 170, 88, _RIGHT, 132), 6, fill="#7a4b00")
        draw.text((_RIGHT - 85, 110), "Corrected", font=_font(_HEAD, 30), fill=_CHALK, anchor="mm")
    lines, font = _headline(" ".join(page.first.words))
    for number, line in enumerate(lines):
        draw.text((_LEFT, 142 + number * font.size * 1.1), line, font=font, fill=_CHALK)
    for number, mover in enumerate((page.together or page.first.movers)[:_ROWS]):
        _row(draw, 344 + number * 74, mover)
    _write(
        draw, (_LEFT, HEIGHT - 52), f"{league}, on the official record", _font(_TEXT, 26), _QUIET
    )
    written = io.BytesIO()
    image.save(written, "PNG", optimize=True)
    return written.getvalue()


def _frame(draw: ImageDraw.ImageDraw) -> None:
    """The stand with its chalk line and hash marks, and the wordmark."""
    draw.rectangle((0, 70, WIDTH, 72), fill=_CHALK)
    for x in range(0, WIDTH, 24):
        draw.rectangle((x, 62, x + 1, 70), fill="#6f7d74")
    draw.rounded_rectangle((_LEFT, 12, _LEFT + 44, 56), 8, fill=_BULB)
    draw.line(
        [(_LEFT + 7, 42), (_LEFT + 22, 24), (_LEFT + 37, 42)], fill=_STAND, width=5, joint="curve"
    )
    draw.line([(_LEFT + 22, 24), (_LEFT + 22, 48)], fill=_STAND, width=4)
    draw.line([(_LEFT + 12, 48), (_LEFT + 32, 48)], fill=_STAND, width=4)
    draw.text((_LEFT + 58, 34), "Pressbox", font=_font(_HEAD, 38), fill=_CHALK, anchor="lm")


def _row(draw: ImageDraw.ImageDraw, top: int, mover: Mover) -> None:
    draw.rounded_rectangle((_LEFT, top, _RIGHT, top + 64), 8, fill=_RAISED)
    middle, colour = top + 32, _BULB if mover.points >= 0 else _BAD
    name = _shortened(_readable(mover.name, _HEAD) or "A team", _font(_HEAD, 38), 520)
    draw.text((_LEFT + 20, middle), name, font=_font(_HEAD, 38), fill=_CHALK, anchor="lm")
    draw.text(
        (_LEFT + 740, middle),
        signed_points(mover.points),
        font=_font(_HEAD, 46),
        fill=colour,
        anchor="rm",
    )
    draw.text(
        (_LEFT + 890, middle),
        decimal_points(mover.total),
        font=_font(_TEXT, 30),
        fill=_QUIET,
        anchor="rm",
    )
    right = _RIGHT - 20
    draw.text(
        (right, middle), f"rank {mover.rank}", font=_font(_TEXT, 30), fill=_CHALK, anchor="rm"
    )
    if mover.rank != mover.rank_before:
        tip = right - int(draw.textlength(f"rank {mover.rank}", font=_font(_TEXT, 30))) - 24
        side = 1 if mover.rank > mover.rank_before else -1
        arrow = [
            (tip - 12, middle - side * 10),
            (tip + 12, middle - side * 10),
            (tip, middle + side * 12),
        ]
        draw.polygon(arrow, fill=_BAD if side > 0 else "#6fd6a1")


def _headline(words: str) -> tuple[list[str], Font]:
    """Fit the sentences into at most three lines, as large as possible, shortened if needed.

    An initial stays on the line of its name.
    """
    words = re.sub(r"\b([A-Z]\.) ", "\\1\u00a0", _readable(words, _HEAD))
    for size in (64, 54, 46):
        font = _font(_HEAD, size)
        lines = _wrapped(words, font)
        if len(lines) * size * 1.1 <= _HEADLINE_HEIGHT:
            return lines, font
    return [*lines[:2], _shortened(" ".join(lines[2:]), font, _RIGHT - _LEFT)], font


def _wrapped(words: str, font: Font) -> list[str]:
    lines = [""]
    for word in words.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and font.getlength(longer) > _RIGHT - _LEFT:
            lines.append(word)
        else:
            lines[-1] = longer
    return [_shortened(line.replace("\u00a0", " "), font, _RIGHT - _LEFT) for line in lines]


def _write(
    draw: ImageDraw.ImageDraw, at: tuple[int, int], words: str, font: Font, colour: str
) -> None:
    draw.text(at, _shortened(_readable(words, _TEXT), font, 880), font=font, fill=colour)


def _shortened(words: str, font: Font, width: int) -> str:
    if font.getlength(words) <= width:
        return words
    while words and font.getlength(f"{words}...") > width:
        words = words[:-1]
    return f"{words.rstrip()}..."


def _readable(words: str, name: str) -> str:
    """Remove the letters that the font does not have, which would be drawn as boxes."""
    return " ".join(
        "".join(letter for letter in words if letter == " " or _has(name, letter)).split()
    )


@cache
def _font(name: str, size: int) -> Font:
    return ImageFont.truetype(str(_FONTS / name), size)


@cache
def _missing(name: str) -> Sequence[int]:
    return _drawn(name, "\uffff")


def _has(name: str, letter: str) -> bool:
    return letter.isprintable() and _drawn(name, letter) != _missing(name)


def _drawn(name: str, letter: str) -> Sequence[int]:
    return bytes(_font(name, 30).getmask(letter))

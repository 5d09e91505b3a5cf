"""A play's swing as a picture for messengers: the play in words, and the teams that it moved."""

from __future__ import annotations

from app.fantasy.amounts import decimal_points, signed_points
from app.fantasy.pages.share.canvas import (
    BAD,
    BULB,
    CHALK,
    GOOD,
    HEAD,
    LEFT,
    QUIET,
    RIGHT,
    TEXT,
    UNKNOWN,
    Canvas,
    ClubColours,
    font_of,
    readable,
    shortened,
)
from app.fantasy.pages.swings.page import PlayPage
from app.fantasy.scoring.swings.swings import Mover

_ROWS = 3
_GAME, _TOP, _ROW_HEIGHT = 118, 344, 74


def picture(page: PlayPage, league: str, colours: ClubColours) -> bytes:
    """Draw the play in words, and the teams that it moved most, after all its corrections.

    `league`: the league's name.
    """
    canvas = Canvas()
    away, home = page.game.away, page.game.home
    canvas.band((away.id, home.id), colours)
    edge = canvas.badge((LEFT, _GAME), away.id, colours.get(away.id, UNKNOWN))
    canvas.cell((edge + 12, _GAME), "at", font_of(TEXT, 28), QUIET, "lm")
    edge = canvas.badge((edge + 46, _GAME), home.id, colours.get(home.id, UNKNOWN))
    where = f"{away.name} at {home.name}"
    words = f"{page.first.when}, {where}" if page.first.when else where
    font = font_of(TEXT, 28)
    words = shortened(readable(words, TEXT), font, RIGHT - 200 - edge)
    canvas.cell((edge + 18, _GAME), words, font, QUIET, "lm")
    if page.is_corrected:
        canvas.draw.rounded_rectangle((RIGHT - 170, 96, RIGHT, 140), 6, fill="#7a4b00")
        canvas.cell((RIGHT - 85, 118), "Corrected", font_of(HEAD, 30), CHALK, "mm")
    canvas.headline(150, " ".join(page.first.words))
    for number, mover in enumerate((page.together or page.first.movers)[:_ROWS]):
        _row(canvas, _TOP + number * _ROW_HEIGHT, mover)
    canvas.line(572, f"{league}, scored play by play", size=26)
    canvas.call("Play along")
    return canvas.png()


def _row(canvas: Canvas, top: int, mover: Mover) -> None:
    middle = canvas.row(top)
    canvas.name((LEFT + 20, middle), mover.name, 480)
    colour = BULB if mover.points >= 0 else BAD
    points, total = signed_points(mover.points), decimal_points(mover.total)
    canvas.cell((LEFT + 690, middle), points, font_of(HEAD, 46), colour, "rm")
    canvas.cell((LEFT + 830, middle), total, font_of(TEXT, 30), QUIET, "rm")
    rank, colour = f"rank {mover.rank}", CHALK
    if mover.rank != mover.rank_before:
        rank = f"rank {mover.rank_before} to {mover.rank}"
        colour = GOOD if mover.rank < mover.rank_before else BAD
    canvas.cell((RIGHT - 20, middle), rank, font_of(TEXT, 30), colour, "rm")

"""A recap as a picture for messengers: its first sentence, and the power ranking's best teams.

Each of its cards is a picture too.
"""

from __future__ import annotations

from app.fantasy.amounts import decimal_points
from app.fantasy.pages.recap.page import HEADINGS, RecapPage
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
from app.fantasy.pages.short_names import short_name
from app.fantasy.recaps.power import Strength
from app.fantasy.recaps.rules import Claim
from app.fantasy.recaps.values import FORMER, Pick

_ROWS = 3
_TOP, _ROW_HEIGHT = 344, 74


def picture(page: RecapPage, gameweek: str, league: str, colours: ClubColours) -> bytes:
    """Draw the recap of a gameweek.

    Rows: the power ranking, with each team's best player and points of the gameweek.
    """
    canvas = Canvas()
    canvas.band((pick.club for pick in page.best_players.values()), colours)
    canvas.line(92, f"{gameweek} recap, {league}")
    first = page.claims[0].words if page.claims else "No single winner this week."
    canvas.headline(142, first)
    for number, row in enumerate(page.power[:_ROWS]):
        middle = _row(canvas, _TOP + number * _ROW_HEIGHT, row, page)
        best = page.best_players.get(row.member_id)
        if best is not None:
            _player(canvas, middle, best, colours)
    canvas.line(572, "Fantasy football, scored play by play", size=26)
    canvas.call("Start a league with friends")
    return canvas.png()


def card_picture(claim: Claim, page: RecapPage, gameweek: str, league: str) -> bytes:
    """Draw one card of a recap: a large figure, and whose it is."""
    heading, unit = HEADINGS[claim.kind]
    canvas, figure, name = Canvas(), font_of(HEAD, 210), font_of(HEAD, 76)
    canvas.line(92, f"{gameweek} recap, {league}")
    canvas.line(142, heading, size=52, colour=CHALK)
    canvas.cell((LEFT, 310), claim.figure, figure, BULB, "lm")
    right = LEFT + int(figure.getlength(claim.figure)) + 24
    canvas.cell((right, 370), unit, font_of(TEXT, 40), QUIET, "lm")
    team = readable(page.names.get(claim.member_ids[0], FORMER), HEAD) or "A team"
    canvas.cell((LEFT, 462), shortened(team, name, RIGHT - LEFT), name, CHALK, "lm")
    canvas.line(516, claim.line, size=34)
    canvas.call("Start a league with friends")
    return canvas.png()


def _row(canvas: Canvas, top: int, row: Strength, page: RecapPage) -> int:
    """Draw a team; returns the middle of its row."""
    middle = canvas.row(top)
    canvas.name((LEFT + 20, middle), page.names.get(row.member_id, FORMER), 360)
    points = decimal_points(page.points[row.member_id])
    canvas.cell((LEFT + 880, middle), points, font_of(HEAD, 46), BULB, "rm")
    words, colour = f"rank {row.rank}", CHALK
    if row.rank_before not in (None, row.rank):
        words = f"rank {row.rank_before} to {row.rank}"
        colour = GOOD if row.rank < (row.rank_before or 0) else BAD
    canvas.cell((RIGHT - 20, middle), words, font_of(TEXT, 30), colour, "rm")
    return middle


def _player(canvas: Canvas, middle: int, pick: Pick, colours: ClubColours) -> None:
    """The player who had the most points for the team."""
    left = LEFT + 400
    if pick.club:
        left = canvas.badge((left, middle), pick.club, colours.get(pick.club, UNKNOWN)) + 14
    font = font_of(TEXT, 28)
    words = readable(short_name(pick.name, pick.position), TEXT)
    canvas.cell((left, middle), shortened(words, font, LEFT + 740 - left), font, QUIET, "lm")

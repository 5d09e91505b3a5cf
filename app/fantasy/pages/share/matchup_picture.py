"""A matchup as a picture for messengers: both teams, the score, and who made the most of it."""

from __future__ import annotations

from dataclasses import dataclass

from app.fantasy.pages.matchup.page import MatchupPage, MatchupSide, PlaceRow
from app.fantasy.pages.share.canvas import (
    BULB,
    CHALK,
    HEAD,
    LEFT,
    QUIET,
    RAISED,
    RIGHT,
    TEXT,
    UNKNOWN,
    WIDTH,
    Canvas,
    ClubColours,
    font_of,
    readable,
    shortened,
)

_BOTH = 2
_PLAYERS = 3
_GAP = 32
_SIDE_WIDTH = (RIGHT - LEFT - _GAP) // 2
_NAME_TOP, _TOTAL_TOP, _BAR_TOP, _ROWS_TOP, _ROW_HEIGHT = 158, 226, 288, 356, 66


@dataclass(frozen=True)
class Matchup:
    """What the picture is of. `is_over`: nothing will move any more."""

    page: MatchupPage
    gameweek: str
    league: str
    is_over: bool


def picture(matchup: Matchup, colours: ClubColours) -> bytes:
    """Draw a game: names, points, chance of winning or result, and the players with the most."""
    canvas = Canvas()
    page = matchup.page
    state = "final" if matchup.is_over else "so far"
    canvas.line(92, f"{matchup.gameweek} in {matchup.league}, {state}")
    best = [_best(page, number) for number in range(len(page.sides))]
    clubs = [place.row.pick.club_id for places in best for place in places]
    canvas.band([club for club in clubs if club], colours)
    for number, side in enumerate(page.sides):
        left = LEFT + number * (_SIDE_WIDTH + _GAP)
        _side(canvas, left, side)
        for row, place in enumerate(best[number]):
            _player(canvas, (left, _ROWS_TOP + row * _ROW_HEIGHT), place, colours)
    _middle(canvas, page)
    canvas.line(572, "Fantasy football, scored play by play", size=26)
    canvas.call("Start a league with friends")
    return canvas.png()


def _best(page: MatchupPage, number: int) -> list[PlaceRow]:
    """The players of a side who have the most points for it; ties in the order of the sheet."""
    places = [pair.places[number] for pair in (*page.starters, *page.substitutes)]
    counting = [place for place in places if place and place.row.pick.multiplier]
    counting.sort(key=lambda place: -place.row.pick.points * place.row.pick.multiplier)
    return counting[:_PLAYERS]


def _side(canvas: Canvas, left: int, side: MatchupSide) -> None:
    canvas.name((left, _NAME_TOP), side.name, _SIDE_WIDTH)
    canvas.cell((left, _TOTAL_TOP), side.total, font_of(HEAD, 84), BULB, "lm")
    if side.expected:
        words = f"projected {side.expected}"
        canvas.cell((left + _SIDE_WIDTH, _TOTAL_TOP), words, font_of(TEXT, 28), QUIET, "rm")


def _middle(canvas: Canvas, page: MatchupPage) -> None:
    """The chance of winning as a bar, with both numbers; without one the result in words."""
    if len(page.sides) < _BOTH or not page.sides[0].percent:
        font = font_of(HEAD, 40)
        words = shortened(readable(page.result, HEAD), font, RIGHT - LEFT)
        canvas.cell((LEFT, _BAR_TOP + 22), words, font, CHALK, "lm")
        return
    first, second = page.sides
    bottom = _BAR_TOP + 30
    edge = LEFT + (RIGHT - LEFT) * first.share // 100
    canvas.draw.rectangle((LEFT, _BAR_TOP, RIGHT, bottom), fill=RAISED, outline=CHALK, width=2)
    canvas.draw.rectangle((LEFT, _BAR_TOP, edge, bottom), fill=BULB)
    font, top = font_of(TEXT, 24), bottom + 16
    canvas.cell((LEFT, top), first.percent, font, CHALK, "lm")
    canvas.cell((WIDTH // 2, top), "win probability", font, QUIET, "mm")
    canvas.cell((RIGHT, top), second.percent, font, CHALK, "rm")


def _player(canvas: Canvas, at: tuple[int, int], place: PlaceRow, colours: ClubColours) -> None:
    left, top = at
    height = _ROW_HEIGHT - 8
    right = left + _SIDE_WIDTH
    canvas.draw.rounded_rectangle((left, top, right, top + height), 8, fill=RAISED)
    club = place.row.pick.club_id
    middle = top + height // 2
    edge = left + 8
    if club:
        edge = canvas.badge((left + 8, middle), club, colours.get(club, UNKNOWN))
    font = font_of(HEAD, 32)
    words = shortened(readable(place.row.pick.name, HEAD), font, right - edge - 140)
    canvas.cell((edge + 14, middle), words, font, CHALK, "lm")
    canvas.cell((right - 16, middle), place.row.points, font_of(HEAD, 36), BULB, "rm")

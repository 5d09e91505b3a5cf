"""A public league as a picture for messengers: its name, and the top of its table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.fantasy.amounts import decimal_points
from app.fantasy.leagues.queries import About
from app.fantasy.pages.home.public_table import PublicRow
from app.fantasy.pages.share.canvas import (
    BULB,
    HEAD,
    LEFT,
    QUIET,
    RIGHT,
    TEXT,
    Canvas,
    ClubColours,
    font_of,
)

_ROWS = 3
_TOP, _ROW_HEIGHT = 344, 74


def picture(
    about: About,
    gameweek: str,
    rows: Sequence[PublicRow],
    clubs: Iterable[str],
    colours: ClubColours,
) -> bytes:
    """Draw the league.

    Args:
        about: The league.
        gameweek: The name of the gameweek of the table; empty before the first.
        rows: The top of its table.
        clubs: The clubs of its season, in whose colours the picture is.
        colours: The colours of the clubs.
    """
    canvas = Canvas()
    canvas.band(clubs, colours)
    members = f"{about.members:,} member{'' if about.members == 1 else 's'}"
    canvas.line(92, ", ".join(filter(None, [about.season.name, gameweek, members])))
    canvas.headline(142, about.league.name)
    for number, row in enumerate(rows[:_ROWS]):
        middle = canvas.row(_TOP + number * _ROW_HEIGHT)
        canvas.cell((LEFT + 50, middle), str(row.rank), font_of(TEXT, 30), QUIET, "rm")
        canvas.name((LEFT + 72, middle), row.name, 720)
        points = decimal_points(row.points)
        canvas.cell((RIGHT - 20, middle), points, font_of(HEAD, 46), BULB, "rm")
    canvas.line(572, "Fantasy football, scored play by play", size=26)
    canvas.call("Join the league")
    return canvas.png()

"""An invitation to a league as a picture for messengers: its name, and who is in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.fantasy.leagues.queries import About
from app.fantasy.pages.share.canvas import LEFT, Canvas, ClubColours

_ROWS = 3
_TOP, _ROW_HEIGHT = 344, 74


def picture(
    about: About, teams: Sequence[str], clubs: Iterable[str], colours: ClubColours
) -> bytes:
    """Draw the invitation.

    Args:
        about: The league.
        teams: Names of teams that are in the league, the first ones shown.
        clubs: The clubs of its season, in whose colours the picture is.
        colours: The colours of the clubs.
    """
    canvas = Canvas()
    canvas.band(clubs, colours)
    canvas.line(92, "You are invited to")
    canvas.headline(142, about.league.name)
    members = f"{about.members:,} member{'' if about.members == 1 else 's'}"
    by = f", run by {about.commissioner}" if about.commissioner else ""
    for number, team in enumerate(teams[:_ROWS]):
        middle = canvas.row(_TOP + number * _ROW_HEIGHT)
        canvas.name((LEFT + 20, middle), team, 1000)
    canvas.line(572, f"{members}{by}. {about.season.name}", size=26)
    canvas.call("Join the league")
    return canvas.png()

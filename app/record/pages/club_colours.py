"""The two colours of each NFL club, for clubs whose files have none. Pure.

Public play-by-play has no colours. The first colour is dark enough for white text on it; the second
distinguishes clubs that wear the same dark blue or black.
"""

from __future__ import annotations

from app.record.rules.clubs import same_club
from app.record.script import Club

UNKNOWN = Club("", "").colour
_EVEN = 0.179  # the luminance on which black and white are equally readable

_COLOURS = {
    "ARI": ("#97233f", "#ffb612"),
    "ATL": ("#a71930", "#000000"),
    "BAL": ("#241773", "#9e7c0c"),
    "BUF": ("#00338d", "#c60c30"),
    "CAR": ("#0076a8", "#101820"),
    "CHI": ("#0b162a", "#e64100"),
    "CIN": ("#c8400a", "#000000"),
    "CLE": ("#311d00", "#ff3c00"),
    "DAL": ("#003594", "#869397"),
    "DEN": ("#002244", "#fb4f14"),
    "DET": ("#0069a8", "#b0b7bc"),
    "GB": ("#203731", "#ffb612"),
    "HOU": ("#03202f", "#a71930"),
    "IND": ("#002c5f", "#ffffff"),
    "JAX": ("#006778", "#d7a22a"),
    "KC": ("#c8102e", "#ffb81c"),
    "LA": ("#003594", "#ffd100"),
    "LAC": ("#0072b5", "#ffc20e"),
    "LV": ("#000000", "#a5acaf"),
    "MIA": ("#007a83", "#fc4c02"),
    "MIN": ("#4f2683", "#ffc62f"),
    "NE": ("#002244", "#c60c30"),
    "NO": ("#101820", "#d3bc8d"),
    "NYG": ("#0b2265", "#a71930"),
    "NYJ": ("#125740", "#ffffff"),
    "PHI": ("#004c54", "#a5acaf"),
    "PIT": ("#101820", "#ffb612"),
    "SEA": ("#002244", "#69be28"),
    "SF": ("#aa0000", "#b3995d"),
    "TB": ("#b20a0a", "#34302b"),
    "TEN": ("#0c2340", "#4b92db"),
    "WAS": ("#5a1414", "#ffb612"),
}


def shown_colours(club: str, colour: str) -> tuple[str, str]:
    """The two colours of a club whose stored colour is `colour`.

    A colour that came from a file is used twice; otherwise the NFL's colours are used.

    >>> shown_colours("HRB", "#0b5c8a"), shown_colours("OAK", UNKNOWN), shown_colours("X", UNKNOWN)
    (('#0b5c8a', '#0b5c8a'), ('#000000', '#a5acaf'), ('#444444', '#444444'))
    """
    if colour == UNKNOWN:
        for name, colours in _COLOURS.items():
            if same_club(name, club):
                return colours
    return colour, colour


def text_colour(background: str) -> str:
    """White, or black if that is easier to read.

    >>> text_colour("#0b5c8a"), text_colour("#ffb612")
    ('#fff', '#000')
    """
    red, green, blue = ((part / 255) ** 2.2 for part in bytes.fromhex(background[1:]))
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return "#fff" if luminance < _EVEN else "#000"

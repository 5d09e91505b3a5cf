"""The colors of teams, and the crest of everybody who has no picture of their own. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256

# By name, in the order of the hues: 1 to 16. The first value is for the light theme, and white
# letters are readable on it; the second is for the dark theme.
COLOURS = {
    "Red": ("#c4162a", "#ff6f6f"),
    "Orange": ("#b54708", "#ff9a52"),
    "Brown": ("#71461b", "#cfa070"),
    "Gold": ("#8a6400", "#ecc440"),
    "Olive": ("#5b6412", "#b9c653"),
    "Lime": ("#3f7a12", "#8fdc5a"),
    "Green": ("#0b6b3a", "#4cc587"),
    "Teal": ("#0a7471", "#48d3cb"),
    "Sky": ("#0871ad", "#64c2ff"),
    "Navy": ("#1b3a86", "#8aa8ff"),
    "Blue": ("#2f56d6", "#6f9bff"),
    "Violet": ("#5b3bb8", "#a893ff"),
    "Purple": ("#7f2a9e", "#d08cff"),
    "Pink": ("#b8236f", "#ff86bd"),
    "Maroon": ("#7a1230", "#e08299"),
    "Slate": ("#4b5a68", "#aebac6"),
}
HUES = tuple(light for light, _ in COLOURS.values())
_GOLD, _SLATE = 4, 16
_BLUES = {9, 10, 11, 12}  # sky to violet
BOTH = 2
_STEP = 7  # has no factor in common with 16: sixteen members in a row have sixteen colors
SHIELD = "M3 2h18v11c0 5-4 8-9 10-5-2-9-5-9-10z"
PATTERNS = (
    "M12 0h12v24H12z",  # per pale
    "M0 10h24v6H0z",  # fess
    "M9 0h6v24H9z",  # pale
    "M0 0l24 24h-9L0 9z",  # bend
    "M0 20L12 9l12 11v-7L12 2 0 13z",  # chevron
    "M12 0h12v11H12zM0 11h12v13H0z",  # quarterly
    "M0 5h24v4H0zM0 14h24v4H0z",  # two bars
    "M10 0h4v24h-4zM0 8h24v4H0z",  # cross
    "M12 6l5 6-5 6-5-6z",  # lozenge
    "M5 0h4v24H5zM15 0h4v24h-4z",  # two pales
)
MOST_LETTERS = 2
_WIDEST = 14  # of them, in a shield of 24


def team_colour(member_id: int, chosen: int | None) -> int:
    """Return the number of the color of a member's teams: the chosen one, or one by the id.

    >>> team_colour(1, None), team_colour(2, None), team_colour(1, 16)
    (8, 15, 16)
    >>> len({team_colour(member_id, None) for member_id in range(100, 116)})
    16
    """
    return chosen or 1 + member_id * _STEP % len(COLOURS)


def side_colours(colours: Mapping[int, int], sides: Sequence[int | None]) -> dict[int | None, int]:
    """Return the colors of a matchup's sides by member, so that their bars can be told apart.

    The second side is slate if its color is close to the first one's, as an away kit.

    Args:
        colours: Of teams, 1 to 16, by member. A side that is not in it has no color.
        sides: The members who play each other.

    >>> side_colours({7: 12, 8: 13, 9: 4}, (7, 8)), side_colours({7: 12, 9: 4}, (7, 9))
    ({7: 12, 8: 16}, {7: 12, 9: 4})
    >>> side_colours({7: 16, 8: 16}, (7, 8)), side_colours({7: 1, 8: 15}, (7, 8))
    ({7: 16, 8: 4}, {7: 1, 8: 16})
    >>> side_colours({7: 10, 8: 12}, (7, 8)), side_colours({7: 2, 8: 4}, (7, 8))
    ({7: 10, 8: 16}, {7: 2, 8: 4})
    """
    of_sides: dict[int | None, int] = {
        side: colours[side] for side in sides if side is not None and side in colours
    }
    if len(of_sides) == len(sides) == BOTH and _are_alike(*of_sides.values()):
        of_sides[sides[1]] = _GOLD if of_sides[sides[0]] == _SLATE else _SLATE
    return of_sides


def _are_alike(first: int, second: int) -> bool:
    """Whether two colors are neighbors on the color wheel, on which slate is not, or both blue."""
    if _SLATE in (first, second):
        return first == second
    apart = abs(first - second)
    return {first, second} <= _BLUES or min(apart, _SLATE - 1 - apart) <= 1


def is_initials(letters: str) -> bool:
    """Whether a crest can have these letters, as `rules.initials` returns them; none is fine too.

    >>> [is_initials(letters) for letters in ("", "HM", "?", "7", "<b", "ABC")]
    [True, True, True, True, False, False]
    """
    return letters in ("", "?") or (letters.isalnum() and len(letters) <= MOST_LETTERS)


def crest(seed: str, letters: str = "", colour: int | None = None) -> str:
    """Return a crest as an SVG document: a shield in a color with a team's initials.

    Args:
        seed: An id. It decides the pattern, and the color if there is none.
        letters: Up to two (`is_initials`).
        colour: 1 to 16.

    >>> crest("member:1") == crest("member:1") != crest("member:2")
    True
    """
    field = HUES[(colour or 1 + _digest(seed)[0] % len(HUES)) - 1]
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">'
        f"{_shield(seed, letters, field, 'shield')}</svg>"
    )


def crest_symbol(seed: str, letters: str, name: str) -> str:
    """Return a crest as an SVG symbol, which has the text color of what uses it.

    Args:
        seed: As for `crest`.
        letters: As for `crest`.
        name: The id of the symbol.

    >>> crest_symbol("member:1", "HM", "own-crest").startswith('<symbol id="own-crest" viewBox=')
    True
    """
    shield = _shield(seed, letters, "currentColor", f"{name}-shield")
    return f'<symbol id="{name}" viewBox="0 0 24 24">{shield}</symbol>'


def _digest(seed: str) -> bytes:
    return sha256(seed.encode()).digest()


def _shield(seed: str, letters: str, field: str, clip_id: str) -> str:
    """What is drawn of a crest, with this color as its field, and this id as that of its clip."""
    pattern = PATTERNS[_digest(seed)[1] % len(PATTERNS)]
    charge = 'fill-opacity=".25"' if letters else 'fill="#fff"'
    return (
        f'<clipPath id="{clip_id}"><path d="{SHIELD}"/></clipPath>'
        f'<g clip-path="url(#{clip_id})"><path fill="{field}" d="M0 0h24v24H0z"/>'
        f'<path {charge} d="{pattern}"/></g>'
        f'<path fill="none" stroke="{field}" stroke-width="3" d="{SHIELD}"/>'
        f'<path fill="none" stroke="#fff" d="{SHIELD}"/>{_text(letters)}'
    )


def _text(letters: str) -> str:
    """The letters in the middle of the shield; wide ones are squeezed."""
    if not letters:
        return ""
    is_wide = not letters.isascii() or not {"M", "W"}.isdisjoint(letters)
    squeezed = (
        f' textLength="{_WIDEST}" lengthAdjust="spacingAndGlyphs"'
        if is_wide and len(letters) == MOST_LETTERS
        else ""
    )
    return (
        '<text x="12" y="14.6" fill="#fff" text-anchor="middle" font-size="9.5" font-weight="700"'
        f' font-family="Arial,Helvetica,sans-serif"{squeezed}>{letters}</text>'
    )

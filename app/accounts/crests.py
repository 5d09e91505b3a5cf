"""The crest of everybody who has no picture of their own: a shield in colours of their id. Pure."""

from __future__ import annotations

from hashlib import sha256

# Dark enough for white on them (contrast at least 4.5), and clear of both themes' backgrounds by
# their outline.
COLOURS = (
    *("#0b6b3a", "#1d4f8f", "#8a1c4a", "#744700", "#5b3a9e", "#0a6a73"),
    *("#a1361a", "#4d5b12", "#2f56c4", "#8f2390", "#3c5563", "#a11722"),
)
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


def crest(seed: str) -> str:
    """Return the crest of this id as an SVG document, always the same one.

    >>> crest("member:1") == crest("member:1") != crest("member:2")
    True
    """
    digest = sha256(seed.encode()).digest()
    field = COLOURS[digest[0] % len(COLOURS)]
    pattern = PATTERNS[digest[1] % len(PATTERNS)]
    charge = "#fff" if digest[2] % 2 else "#ffd76a"
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">'
        f'<clipPath id="s"><path d="{SHIELD}"/></clipPath>'
        f'<g clip-path="url(#s)"><path fill="{field}" d="M0 0h24v24H0z"/>'
        f'<path fill="{charge}" d="{pattern}"/></g>'
        f'<path fill="none" stroke="{field}" stroke-width="3" d="{SHIELD}"/>'
        f'<path fill="none" stroke="#fff" d="{SHIELD}"/></svg>'
    )

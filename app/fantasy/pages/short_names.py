"""Names of players for narrow columns. Pure."""

from __future__ import annotations

_PARTS = 2  # a given name and the rest


def short_name(name: str, position: str = "") -> str:
    """The initial of the given name and the rest; a defence or a single name stays as it is.

    >>> [short_name(name) for name in ("Tim Woolnough", "Odell Beckham Jr.", "H. Player3", "Rodri")]
    ['T. Woolnough', 'O. Beckham Jr.', 'H. Player3', 'Rodri']
    >>> short_name("Port Harrow Lamplighters", "DST")
    'Port Harrow Lamplighters'
    """
    parts = name.split(maxsplit=1)
    if len(parts) < _PARTS or position == "DST":
        return name
    given_name, family_name = parts
    return f"{given_name[0]}. {family_name}"

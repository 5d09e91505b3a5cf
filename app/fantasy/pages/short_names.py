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
    given_name, family_name = split_name(name, position)
    return f"{given_name[0]}. {family_name}" if given_name else family_name


def split_name(name: str, position: str = "") -> tuple[str, str]:
    """The given name and the rest; a defence or a single name has no given name.

    >>> [split_name(name) for name in ("Odell Beckham Jr.", "Rodri")]
    [('Odell', 'Beckham Jr.'), ('', 'Rodri')]
    """
    parts = name.split(maxsplit=1)
    if len(parts) < _PARTS or position == "DST":
        return "", name
    return parts[0], parts[1]

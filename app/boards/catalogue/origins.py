"""What an origin is: the scheme, host and port of a page's address, as browsers send it. Pure.

A game names the origins whose pages may call the API for it; what they may then do is in
app/api/cors.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

MOST, LONGEST = 20, 200  # origins per game, characters per origin
LOCAL = re.compile(r"http://(localhost|127\.0\.0\.1)(:[0-9]{1,5})?")

HTTPS_PORT = 443  # the default of https, which an origin leaves out


def origin_fault(origin: str) -> str | None:
    """What to change about an origin, or None.

    Browsers send scheme, host and port, in small letters.
    """
    if LOCAL.fullmatch(origin):
        return None
    try:
        parts = urlsplit(origin)
        port = parts.port
    except ValueError:
        return f"{origin} is not an origin. Send one like https://play.example.com."
    plain = f"https://{parts.hostname or ''}{f':{port}' if port else ''}"
    if (
        not parts.hostname
        or origin != plain
        or port == HTTPS_PORT
        or not re.fullmatch(r"[a-z0-9.:\[\]-]+", origin[8:])
    ):
        return (
            f"{origin} is not an origin. Send only the scheme and host, as in "
            "https://play.example.com, and a port if it is not 443. http is only allowed "
            "for localhost."
        )
    return None


def read_lines(typed: str) -> tuple[list[str], list[str]]:
    r"""The distinct origins of a text with one per line, sorted, and everything wrong with them.

    >>> read_lines("https://b.example.com\n\n https://a.example.com ")
    (['https://a.example.com', 'https://b.example.com'], [])
    """
    origins = sorted({line.strip() for line in typed.splitlines() if line.strip()})
    if len(origins) > MOST:
        return origins, [f"There are {len(origins)} origins. A game can have up to {MOST}."]
    long = [
        f"{origin[:40]}… is longer than {LONGEST} characters."
        for origin in origins
        if len(origin) > LONGEST
    ]
    faults = [
        fault for origin in origins if len(origin) <= LONGEST and (fault := origin_fault(origin))
    ]
    return origins, long + faults


def in_order(origins: Sequence[str]) -> list[str]:
    """Return each origin once, in alphabetical order."""
    return sorted(set(origins))

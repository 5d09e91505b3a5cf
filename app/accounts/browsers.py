"""Short names of browsers, by which their owners recognise them."""

from __future__ import annotations

# The first match in the User-Agent counts, because browsers also name those that they resemble.
PROGRAMS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
    ("curl", "curl"),
)
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "a Mac"),
    ("CrOS", "a Chromebook"),
    ("Linux", "Linux"),
)


def browser_name(user_agent: str) -> str:
    """Return a short name of the browser, for example `Firefox on Windows`.

    >>> browser_name("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0")
    'Firefox on Linux'
    >>> browser_name("")
    'Unknown browser'
    """
    program = next((name for mark, name in PROGRAMS if mark in user_agent), "Unknown browser")
    system = next((name for mark, name in SYSTEMS if mark in user_agent), None)
    return f"{program} on {system}" if system else program

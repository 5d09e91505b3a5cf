"""What a browser says it is, in a few words that its owner knows it by."""

from __future__ import annotations

# The first that is in the User-Agent counts: browsers name those that they are like, too.
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
    """For example `Firefox on Windows`; what is unknown says so.

    >>> browser_name("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0")
    'Firefox on Linux'
    >>> browser_name("")
    'An unknown browser'
    """
    program = next((name for mark, name in PROGRAMS if mark in user_agent), "An unknown browser")
    system = next((name for mark, name in SYSTEMS if mark in user_agent), None)
    return f"{program} on {system}" if system else program

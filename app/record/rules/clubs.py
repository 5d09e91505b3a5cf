"""Names of clubs and players as public files spell them.

A club has several abbreviations, by source and season; player ids also come in a hashed form.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

_HASHED = re.compile(r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")

# What sources call a club of the NFL today, its name in nflverse's files first. The others, as
# nflverse maps them (nflreadr::team_abbr_mapping, nfldata's teams.csv): the league's own feeds (AZ,
# ARZ, BLT, CLV, HST, SL, JAC), ESPN (WSH, LAR), Pro Football Reference (CRD, RAV, GNB, HTX, CLT,
# KAN, SDG, RAM, NWE, NOR, RAI, SFO, TAM, OTI), Pro Football Focus (ARZ, BLT, CLV, HST) and fantasy
# sites (GBP, KCC, LVR, NEP, NOS, SDC, TBB, WFT).
_TODAY = (
    "ARI AZ ARZ CRD PHO PHX",
    "ATL",
    "BAL BLT RAV",
    "BUF",
    "CAR",
    "CHI",
    "CIN",
    "CLE CLV",
    "DAL",
    "DEN",
    "DET",
    "GB GBP GNB",
    "HOU HST HTX",
    "IND CLT",
    "JAX JAC JAG",
    "KC KAN KCC",
    "LA LAR RAM STL SL",
    "LAC SD SDC SDG",
    "LV LVR OAK RAI",
    "MIA",
    "MIN",
    "NE NEP NWE",
    "NO NOR NOS",
    "NYG",
    "NYJ",
    "PHI",
    "PIT",
    "SEA",
    "SF SFO",
    "TB TAM TBB",
    "TEN OTI",
    "WAS WDC WFT WSH",
)
_CLUB: Mapping[str, str] = MappingProxyType(
    {name: row.split()[0] for row in _TODAY for name in row.split()}
)

# Abbreviations that were another club's up to this season: before a club moved or a new one took
# the name.
_BEFORE: Mapping[str, tuple[int, str]] = MappingProxyType(
    {
        "BAL": (1983, "IND"),  # Baltimore Colts
        "BOS": (1970, "NE"),  # Boston Patriots
        "HOU": (1996, "TEN"),  # Houston Oilers
        "SL": (1987, "ARI"),  # St. Louis Cardinals
        "STL": (1987, "ARI"),
    }
)

_BEFORE_THEIR_MOVES = ("OAK", "SD", "STL")


def club_of(name: str, season: int | None = None) -> str:
    """The club's current name in nflverse's files; an unknown name stays as it is.

    Args:
        name: The abbreviation, in any case.
        season: The season of the file. None: today, or any season since 1999, which public
            play-by-play covers.

    >>> club_of("az"), club_of("OAK", 2019), club_of("HRB")
    ('ARI', 'LV', 'HRB')
    >>> club_of("HOU", 1990), club_of("HOU", 2002)
    ('TEN', 'HOU')
    >>> club_of("HRB", 0)  # practice games have this season
    'HRB'
    """
    name_in_capitals = name.upper()
    if season is not None and name_in_capitals in _BEFORE:
        last_season, club_before = _BEFORE[name_in_capitals]
        if season <= last_season:
            return club_before
    return _CLUB.get(name_in_capitals, name)


def nflverse_name(name: str, season: int | None = None) -> str:
    """The club's name in nflverse's files of this season; three clubs later moved.

    >>> nflverse_name("AZ"), nflverse_name("OAK", 2019)
    ('ARI', 'OAK')
    >>> nflverse_name("LVR", 2026), nflverse_name("HOU", 1990)
    ('LV', 'TEN')
    """
    club = club_of(name, season)
    return name if name in _BEFORE_THEIR_MOVES and club == club_of(name) else club


def same_club(first: str, second: str) -> bool:
    """Whether two abbreviations mean one club today.

    >>> same_club("OAK", "LV"), same_club("AZ", "ARI"), same_club("LA", "LAC")
    (True, True, False)
    """
    return club_of(first) == club_of(second)


def player_id(text: str | None) -> str | None:
    """The league's own id (00-0012345).

    Newer files carry it as hexadecimal characters inside a longer id.

    >>> player_id("32013030-2d30-3030-3132-333400c0ffee"), player_id("00-0001234"), player_id(None)
    ('00-0001234', '00-0001234', None)
    """
    if text == "0":  # some files mean nobody by it
        return None
    if text is None or not _HASHED.match(text):
        return text
    plain = bytes.fromhex(text[4:-8].replace("-", ""))
    decoded = plain.decode("ascii", "replace")
    return decoded if re.fullmatch(r"[0-9A-Z]{2}-\d{7}", decoded) else text

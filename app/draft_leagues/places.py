"""The starting places of a draft league in words, and as a format. Pure.

Which positions a place takes is in app/fantasy/market/formats.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType

from app.draft_leagues.settings import RosterSettings, SlotName
from app.fantasy.market.formats import Format, draft_format_name, format_named

TITLES: Mapping[SlotName, str] = MappingProxyType(
    {
        "QB": "Quarterback",
        "RB": "Running back",
        "WR": "Wide receiver",
        "TE": "Tight end",
        "FLEX": "Flex",
        "SUPERFLEX": "Superflex",
        "K": "Kicker",
        "DST": "Team defense",
        "DL": "Defensive line",
        "LB": "Linebacker",
        "DB": "Defensive back",
        "IDP": "Any defender",
    }
)


def lineup_format(roster: RosterSettings) -> Format:
    """The line-up of a roster as a format."""
    starters = Counter[str]()
    for starter in roster.starters:
        starters[starter.slot] += starter.count
    return format_named(
        draft_format_name(
            starters,
            roster.bench,
            substitutes_come_on=roster.substitutes_come_on,
            is_best_ball=roster.best_ball,
        )
    )

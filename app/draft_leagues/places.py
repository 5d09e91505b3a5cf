"""Which positions the starting places of a draft league take. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from app.draft_leagues.settings import RosterSettings, SlotName
from app.fantasy.market.formats import DST, IDP, SKILL, Format, Slot
from app.fantasy.projections.rules import family_of


def _of_family(family: str) -> tuple[str, ...]:
    return tuple(position for position in IDP if family_of(position) == family)


ACCEPTS: Mapping[SlotName, tuple[str, ...]] = MappingProxyType(
    {
        "QB": ("QB",),
        "RB": ("RB",),
        "WR": ("WR",),
        "TE": ("TE",),
        "FLEX": SKILL,
        "SUPERFLEX": ("QB", *SKILL),
        "K": ("K",),
        "DST": (DST,),
        "DL": _of_family("DL"),
        "LB": _of_family("LB"),
        "DB": _of_family("DB"),
        "IDP": IDP,
    }
)

TITLES: Mapping[SlotName, str] = MappingProxyType(
    {
        "QB": "Quarterback",
        "RB": "Running back",
        "WR": "Wide receiver",
        "TE": "Tight end",
        "FLEX": "Flex (running back, wide receiver or tight end)",
        "SUPERFLEX": "Superflex (flex or quarterback)",
        "K": "Kicker",
        "DST": "Team defence",
        "DL": "Defensive line",
        "LB": "Linebacker",
        "DB": "Defensive back",
        "IDP": "Any defender",
    }
)


def starting_format(roster: RosterSettings) -> Format:
    """The starting places of a roster as a format without substitutes."""
    slots = tuple(
        Slot(starter.slot, ACCEPTS[starter.slot])
        for starter in roster.starters
        for _ in range(starter.count)
    )
    return Format("draft", "the line-up", slots, (), budget=1, club_limit=1)

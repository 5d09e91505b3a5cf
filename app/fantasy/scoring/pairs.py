"""Which scoring rules go with which roster format. Pure.

Every place of a team must be able to earn points, or the pair is refused. This is computed from the
format and the rules, so that a new preset, a new format or a league's own numbers need no list.
Presets are in rules.py, places in market/formats.py.
"""

from __future__ import annotations

from app.core.refusals import Refusal
from app.fantasy.market.formats import DST, FORMATS, IDP, SKILL, Format, Slot
from app.fantasy.scoring.rules import PRESETS, ScoringRules
from app.fantasy.scoring.statistics import STATISTICS, Unit

_UNITS: dict[str, Unit] = {"QB": "offence", "K": "kicking", DST: "team defence"}
_UNITS.update(dict.fromkeys(SKILL, "offence"))
_UNITS.update(dict.fromkeys(IDP, "defence"))


def unit_of(position: str) -> Unit:
    """The unit whose statistics a footballer of this position earns."""
    return _UNITS.get(position, "soccer")


def worthless_places(team_format: Format, rules: ScoringRules) -> tuple[str, ...]:
    """Names of the starting places that accept a position whose own statistics earn nothing.

    In the order of the places, each name once.

    >>> worthless_places(FORMATS["nfl-classic"], PRESETS["ppr"])
    ('K', 'IDP')
    """
    slots = [slot for slot in team_format.starters if not _earns(slot, rules)]
    return tuple(dict.fromkeys(slot.name for slot in slots))


def _earns(slot: Slot, rules: ScoringRules) -> bool:
    counted = {stat for stat, points in rules.milli_points.items() if points > 0}
    units = {STATISTICS[stat].unit for stat in counted if stat in STATISTICS}
    return all(
        unit_of(position) in units
        or any(
            step.points > 0
            and STATISTICS[step.stat].unit == unit_of(position)
            and (not step.positions or position in step.positions)
            for step in rules.steps
        )
        for position in slot.accepts
    )


def presets_for(team_format: Format) -> list[ScoringRules]:
    """The presets under which every place of the format can earn points, in their order."""
    return [rules for rules in PRESETS.values() if not worthless_places(team_format, rules)]


def formats_for(rules: ScoringRules) -> list[Format]:
    """The formats of which every place can earn points under these rules, in their order."""
    return [
        team_format for team_format in FORMATS.values() if not worthless_places(team_format, rules)
    ]


def refusal(team_format: Format, rules: ScoringRules, field: str = "rules") -> Refusal | None:
    """Why this pair is refused, and what to choose instead; None for a good pair."""
    places = worthless_places(team_format, rules)
    if not places:
        return None
    presets = " or ".join(preset.title for preset in presets_for(team_format))
    formats = " or ".join(candidate.title for candidate in formats_for(rules))
    choose = [f"the scoring {presets}"] if presets else []
    choose += [f"the roster format {formats}"] if formats else []
    return Refusal(
        "worthless_places",
        field,
        f"{_listed(places)} of {team_format.title} would score nothing under {rules.title}. Choose "
        f"{', or '.join(choose)}.",
    )


def _listed(places: tuple[str, ...]) -> str:
    """The places as the subject of a sentence.

    >>> _listed(("K", "IDP"))
    'The slots K and IDP'
    """
    return f"The slot{'' if len(places) == 1 else 's'} {' and '.join(places)}"

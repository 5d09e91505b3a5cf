"""Every set of scoring rules by its name: the presets, and those that commissioners made."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import msgspec
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from app.core.db import db
from app.fantasy.scoring.models import CustomRules
from app.fantasy.scoring.rules import PRESETS, ScoringRules
from app.fantasy.standings.models import League


def rules_named(name: str) -> ScoringRules:
    """The preset or custom rules of this name.

    Raises:
        KeyError: There are none.
    """
    if name in PRESETS:
        return PRESETS[name]
    custom = db.session.get(CustomRules, name)
    if custom is None:
        raise KeyError(f"there are no scoring rules {name!r}")
    return ScoringRules(custom.name, custom.title, custom.milli_points)


def custom_rules(milli_points: Mapping[str, int], title: str) -> str:
    """The name of the rules with exactly these numbers, which are created if they are new.

    A preset with the same numbers is used if there is one. Only the caller commits.

    Args:
        milli_points: Thousandths of a point per unit of each statistic.
        title: The title of new rules.
    """
    numbers = {stat: points for stat, points in sorted(milli_points.items()) if points}
    for preset in PRESETS.values():
        if not preset.steps and preset.milli_points == numbers:
            return preset.name
    name = f"custom-{hashlib.sha256(msgspec.json.encode(numbers)).hexdigest()[:12]}"
    db.session.execute(
        insert(CustomRules)
        .values(name=name, title=title, milli_points=numbers)
        .on_conflict_do_nothing()
    )
    return name


def active_rules(sport: str = "football") -> list[ScoringRules]:
    """All rules that points are stored for: the sport's presets, and custom rules in use."""
    presets = [rules for rules in PRESETS.values() if rules.sport == sport]
    if sport != "football":
        return presets
    used = db.session.scalars(
        select(CustomRules)
        .where(CustomRules.name.in_(select(League.rules)))
        .order_by(CustomRules.name)
    )
    return presets + [
        ScoringRules(custom.name, custom.title, custom.milli_points) for custom in used
    ]

"""The console's keys: which action is on which, and a scorer's own choice. Pure.

The browser's actions go by these names (static/js/console/actions/index.js).
"""

from __future__ import annotations

from collections.abc import Mapping

STANDARD: Mapping[str, str] = {
    "snap": "s",
    "pass": "p",
    "run": "r",
    "sack": "x",
    "kick": "k",
    "interception": "i",
    "fumble": "f",
    "recovery": "v",
    "conversion": "c",
    "safety": "y",
    "tackle": "t",
    "credit": "d",
    "penalty": "n",
    "review": "g",
    "timeout": "o",
    "period": "e",
    "game": "b",
    "scoreboard": "m",
    "undo": "u",
    "replace": "q",
    "overturn": "w",
}
RESERVED = {"a": "takes up what was set aside", "z": "drops a refused entry"}


def key_faults(chosen: Mapping[str, str]) -> dict[str, str]:
    """What to change in a scorer's own keys, a sentence by action; empty when they can be used.

    Actions that are not named keep their usual key, so a choice may clash with one of those.
    """
    faults = {name: f"There is no action {name}: leave it out." for name in chosen if name not in STANDARD}
    keys = dict(STANDARD) | {name: key for name, key in chosen.items() if name in STANDARD}
    owners: dict[str, str] = {}
    for name, key in keys.items():
        if len(key) != 1 or not key.isascii() or not (key.islower() or key.isdigit()):
            faults[name] = "Give one small letter or digit."
        elif key in RESERVED:
            faults[name] = f"{key} {RESERVED[key]}: choose another."
        elif key in owners:
            clash = name if name in chosen else owners[key]
            other = owners[key] if clash == name else name
            faults[clash] = f"{key} is on {other} already: choose another, or move that one."
        owners.setdefault(key, name)
    return faults


def keys_with(chosen: Mapping[str, str]) -> dict[str, str]:
    """Key by action, a scorer's own where he chose."""
    return dict(STANDARD) | dict(chosen)

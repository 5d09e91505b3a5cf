"""The console's keys: the standard key of each action, and a scorer's own choice. Pure.

Each action is implemented in a file of static/js/console/actions/. catalogue.js lists them under
the same names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_lowercase, digits


@dataclass(frozen=True)
class Action:
    """An action of the console. `key` is the standard one.

    `words` describe it in the manual. `corrects` says whether it corrects earlier entries.
    """

    name: str
    key: str
    words: str
    corrects: bool = False


ACTIONS = (
    Action("snap", "s", "snap, kickoff or try: clock, down, spot"),
    Action("pass", "p", "pass"),
    Action("run", "r", "run, scramble, kneel, lateral, return"),
    Action("sack", "x", "sack"),
    Action("kick", "k", "kick: kickoff, punt, field goal, extra point"),
    Action("interception", "i", "interception"),
    Action("fumble", "f", "fumble"),
    Action("recovery", "v", "loose ball recovered"),
    Action("conversion", "c", "two-point try"),
    Action("safety", "y", "safety"),
    Action("tackle", "t", "tackle credit on its own"),
    Action("credit", "d", "pass broken up, hit on the passer, tackle for loss"),
    Action("penalty", "n", "penalty"),
    Action("review", "g", "review: coach or booth, and its ruling"),
    Action("timeout", "o", "timeout"),
    Action("period", "e", "period starts or ends"),
    Action(
        "game",
        "b",
        "game: coin toss, start, end, final score; delayed, resumed, postponed, suspended, "
        "cancelled, forfeited",
    ),
    Action("scoreboard", "m", "score now: what the stadium’s board shows"),
    Action(
        "roster",
        "l",
        "rosters: a new player, one from another club, identify a player, jerseys, starters, in, "
        "out, ejected",
    ),
    Action(
        "earlier",
        "h",
        "tackle, credit, flag or review of an earlier play; find it by number, name, play or "
        "quarter",
    ),
    Action("undo", "u", "undoes an entry; also restores what a correction removed", corrects=True),
    Action("replace", "q", "undoes an entry and enters it again, in one step", corrects=True),
    Action(
        "overturn",
        "w",
        "a new ruling for one event, of any kind; find earlier ones by number, name, play or "
        "quarter",
        corrects=True,
    ),
    Action(
        "plays",
        "j",
        "the play list: insert a forgotten play, add to an earlier one, move, rewrite or delete it",
        corrects=True,
    ),
)
STANDARD: Mapping[str, str] = {action.name: action.key for action in ACTIONS}
RESERVED = {"a": "resumes the entry set aside", "z": "drops an entry refused or set aside"}


def key_faults(chosen: Mapping[str, str]) -> dict[str, str]:
    """Return what is wrong with a scorer's own keys, a sentence by action; empty if nothing is.

    Other actions keep their standard key, so a choice may clash with one of those.
    """
    faults = {
        name: f"There is no action {name}. Leave it out." for name in chosen if name not in STANDARD
    }
    keys = dict(STANDARD) | {name: key for name, key in chosen.items() if name in STANDARD}
    owners: dict[str, str] = {}
    for name, key in keys.items():
        if len(key) != 1 or not key.isascii() or not (key.islower() or key.isdigit()):
            faults[name] = "Use one lowercase letter or digit."
        elif key in RESERVED:
            faults[name] = f"{key} {RESERVED[key]}. Choose another key."
        elif key in owners:
            clash = name if name in chosen else owners[key]
            other = owners[key] if clash == name else name
            faults[clash] = (
                f"{key} is already used for {other}. Choose another key, or move that one."
            )
        owners.setdefault(key, name)
    return faults


def keys_with(chosen: Mapping[str, str]) -> dict[str, str]:
    """Return the key of each action, which is the scorer's own if they chose one.

    A later action whose standard key is taken gets the first free letter or digit.

    >>> found = keys_with({"run": "l"})
    >>> found["run"], found["roster"]
    ('l', '0')
    """
    keys = {name: key for name, key in chosen.items() if name in STANDARD}
    free = iter(
        [
            *sorted(
                set(ascii_lowercase) - set(STANDARD.values()) - set(keys.values()) - set(RESERVED)
            ),
            *digits,
        ]
    )
    taken = set(keys.values())
    for name, key in STANDARD.items():
        if name not in keys:
            keys[name] = next(free) if key in taken else key
    return {name: keys[name] for name in STANDARD}

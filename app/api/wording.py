"""Describes what is wrong with a field so that the caller can fix it, without internal type names.

Called by reading.py, which adds the field's name before it and its description after it.
"""

from __future__ import annotations

import enum
import re
from ast import literal_eval
from typing import Any, Literal, get_args, get_origin

KINDS = {
    "int": "a whole number",
    "float": "a number",
    "decimal": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
    "datetime": "a time like 2026-04-05T20:00:00Z",
}
SLUG = "lowercase letters, digits and dashes, with a letter or digit at both ends"
WINDOWS = (
    "all-time, 6-hourly:2026-04-05T12, daily:2026-04-05, weekly:2026-W14, monthly:2026-04 or "
    "custom:finals"
)
_HOURS = "hourly|2-hourly|3-hourly|4-hourly|6-hourly|8-hourly|12-hourly"
_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_WINDOW = (
    rf"all-time|({_HOURS}):{_DAY}T[0-9]{{2}}|daily:{_DAY}|weekly:[0-9]{{4}}-W[0-9]{{2}}|monthly:[0-9]{{4}}-[0-9]{{2}}"
    r"|custom:[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?"
)
# The patterns of the document with what they require. Patterns like ^(a|b)$ need no words; for one
# that is missing here, the field's description must do (tests/api/test_wording.py).
PATTERNS = {
    rf"^({_WINDOW})$": WINDOWS,
    rf"^({_WINDOW}|({_HOURS}|daily|weekly|monthly|custom)(:previous)?)$": (
        f"{WINDOWS}, or an alias like daily or daily:previous"
    ),
    r"^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$": f"a name of {SLUG}",
    r"^[a-z0-9]([a-z0-9-]{0,58}[a-z0-9])?$": SLUG,
    r"^([a-z0-9]([a-z0-9-]{0,58}[a-z0-9])?|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$": (
        f"a slug ({SLUG}) or a UUID"
    ),
    r"^[^\s\x00-\x1f\x7f\x85]([^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f\x85])?$": (
        "text on one line, without control characters and without a space at either end"
    ),
    (
        r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?"
        r"(Z|[+-][0-9]{2}:[0-9]{2})$"
    ): KINDS["datetime"],
    r"^[A-Za-z0-9_+/-]+$": "the name of a time zone, like Europe/Berlin",
    r"^[^\x00]*$": "text without the character U+0000",
    r"^[0-9a-f]{64}$": "64 lowercase hex digits",
    r"^[!-~]+$": "ASCII letters, digits and punctuation, without spaces",
    r"^[A-Za-z0-9][A-Za-z0-9_.-]{2,35}$": (
        "a UUID or a username: 3 to 36 letters, digits, dots, dashes and underscores"
    ),
    r"^[a-z0-9][a-z0-9-]{0,39}$": (
        "up to 40 lowercase letters, digits and dashes, with a letter or digit first"
    ),
    r"^[^/\x00-\x1f\x7f]{1,80}$": "1 to 80 characters, without slashes and control characters",
    r"^$|^[^/\x00-\x1f\x7f]{1,80}$": (
        "empty, or 1 to 80 characters without slashes and control characters"
    ),
    r"^([a-z0-9-]{1,40}-[0-9]{4}-(PRE|REG|POST))?$": "empty, or a season like nfl-2026-REG",
    r"^[A-Za-z]{1,20}$": "1 to 20 letters",
    r"^[^\x00-\x1f\x7f]{0,60}$": "up to 60 characters, without control characters",
    r"^[a-z0-9-]{1,80}$": "1 to 80 lowercase letters, digits and dashes",
    r"^[a-z0-9-]{0,80}$": "up to 80 lowercase letters, digits and dashes",
    r"^GW[0-9]{1,2}$": "a gameweek like GW1",
}
_CHOICE = re.compile(r"\^(?P<before>[^()^$]*)\((?P<choice>[^()]+)\)\$")
_REGEX = re.compile(r"Expected `str` matching regex (?P<quoted>.*)", re.S)
_LENGTH = re.compile(
    r"Expected `(?P<kind>str|array|object)` of length (?P<how><=|>=) (?P<number>\d+)"
)
_BOUND = re.compile(r"Expected `(?:int|float|decimal)` (?P<how><=|>=|<|>) (?P<number>[-\d.e+]+)")
_NAMED = re.compile(r"Object (?P<what>contains unknown|missing required) field `(?P<field>.*)`")
_KIND = re.compile(r"`([a-z]+)`")
_BOUNDS = {"<=": "at most", ">=": "at least", "<": "less than", ">": "more than"}
_THINGS = {"str": "character", "array": "entry", "object": "field"}


def words(message: str, kind: Any) -> str:
    """The message of msgspec as the end of a sentence that begins with the field's name.

    `kind`: the field's type.
    """
    if limit := _limit_words(message):
        return limit
    if message.startswith("Invalid enum value") and (choices := _choices(kind)):
        return f"must be {_one_of(choices)}"
    if message == "Invalid UUID":
        return "must be a UUID, like 2f1b7a52-6c3e-4d0f-9a8b-0c1d2e3f4a5b"
    message = _KIND.sub(lambda name: KINDS.get(name[1], name[1]), message)
    if message.startswith("Expected "):
        return message.replace("Expected ", "must be ", 1).replace(", got ", ", not ")
    if message.startswith("Invalid RFC3339"):
        return f"must be {KINDS['datetime']}"
    return f"is not valid: {message[:1].lower()}{message[1:]}"


def _limit_words(message: str) -> str:
    """The message about a pattern, length, bound or missing field; empty for any other message."""
    if match := _REGEX.match(message):
        requirement = in_words(literal_eval(match["quoted"]))
        return f"must be {requirement}" if requirement else "has the wrong format"
    if match := _LENGTH.match(message):
        number = int(match["number"])
        things = _plural(_THINGS[match["kind"]], number)
        return f"must have {_BOUNDS[match['how']]} {number:,} {things}"
    if match := _BOUND.match(message):
        return f"must be {_BOUNDS[match['how']]} {match['number'].removesuffix('.0')}"
    if match := _NAMED.match(message):
        if match["what"].startswith("missing"):
            return f"needs the field {match['field']}"
        return f"has no field {match['field']}: leave it out"
    return ""


def _plural(noun: str, number: int) -> str:
    if number == 1:
        return noun
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


def in_words(pattern: str) -> str:
    """What a pattern requires; empty if nobody has described it yet."""
    if pattern in PATTERNS:
        return PATTERNS[pattern]
    if match := _CHOICE.fullmatch(pattern.replace(r"\.", ".")):
        return _one_of([f"{match['before']}{choice}" for choice in match["choice"].split("|")])
    return ""


def _choices(kind: Any) -> list[str]:
    if get_origin(kind) is Literal:
        return [str(arg) for arg in get_args(kind)]
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return [str(member.value) for member in kind]
    return [choice for part in get_args(kind) for choice in _choices(part)]


def _one_of(choices: list[str]) -> str:
    return choices[0] if len(choices) == 1 else f"one of {', '.join(choices[:-1])} or {choices[-1]}"

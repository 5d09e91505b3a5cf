"""Rules for names: readable, and not like those of the staff. Pure.

services.py knows who is staff and which words an installation refuses.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from functools import cache

from app.core.normal_forms import normalized

LONGEST = 40
MOST_MARKS = 2  # accents in a row on one letter
# Letters that display as nothing.
BLANKS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u17b4\u17b5")
# Format (bidirectional and zero-width among it), control, private, unassigned, line and paragraph
# separators.
INVISIBLE = frozenset({"Cf", "Cc", "Co", "Cn", "Cs", "Zl", "Zp"})
OFFICES = (
    "pressbox",
    "operator",
    "moderator",
    "scorer",
    "admin",
    "administrator",
    "support",
    "staff",
    "official",
)
OWN = "pressbox"  # allowed in no name, because it would speak for the site
# Letters of other scripts and digits that look like Latin letters (from Unicode's table of
# confusables).
_LOOK = str.maketrans(
    "авеѕіјорсухкмнтԁһӏёіғԍԛԝѵαβεικνορτυχγηω0134578|!$@ıłøđð",
    "abesijopcyxkmhtdhleifgqwvabeikvoptuxynwoleastblisailodd",
)


def normalised(name: str) -> str:
    """Return the name in one spelling: composed (NFC), with single spaces, none around.

    >>> normalised("  Ann   O\u0301. ")
    'Ann Ó.'
    """
    return normalized("NFC", " ".join(name.split()))


def cleaned(name: str) -> str:
    """Return the normalised name without characters that are invisible or reverse the text.

    For names from other sources, which cannot be refused. May be empty.

    >>> cleaned("Real\u202e  Sociedad\u200b")
    'Real Sociedad'
    """
    letters = [letter for letter in name if letter.isspace() or not _is_hidden(letter)]
    return normalised("".join(letters))


def _is_hidden(letter: str) -> bool:
    return unicodedata.category(letter) in INVISIBLE or letter in BLANKS


def fault(name: str, longest: int = LONGEST) -> str | None:
    """Return what to change about a normalised name, or None.

    >>> fault("Ann \u202eO.")
    'Remove invisible or text-reversing characters (U+202E).'
    """
    if not 1 <= len(name) <= longest:
        return f"Use 1 to {longest} characters."
    if hidden := hidden_fault(name):
        return hidden
    if not any(letter.isalnum() for letter in name):
        return "Use at least one letter or digit."
    return None


def hidden_fault(name: str) -> str | None:
    """Return what to change about characters that are invisible or cover others, or None.

    >>> hidden_fault("Ann\u3164")
    'Remove invisible or text-reversing characters (U+3164).'
    """
    for letter in name:
        if _is_hidden(letter):
            return f"Remove invisible or text-reversing characters (U+{ord(letter):04X})."
    marks = 0
    for letter in normalized("NFD", name):
        marks = marks + 1 if unicodedata.combining(letter) else 0
        if marks > MOST_MARKS:
            return f"Use at most {MOST_MARKS} accents per letter."
    return None


_JOINER = "\u200d"  # of emoji


def hidden_text_fault(text: str) -> str | None:
    r"""Return the same of a text of several lines, in which emoji may be joined, or None.

    >>> hidden_text_fault("Fair? \u202eNo")
    'Remove invisible or text-reversing characters (U+202E).'
    >>> hidden_text_fault("Deal?\nYours, \U0001f468\u200d\U0001f33e")
    """
    return hidden_fault(" ".join(text.replace(_JOINER, "").split()))


_STAFF = "This name could be mistaken for a staff member's. Choose another one."


def likeness_fault(name: str, staff: Collection[str], words: Collection[str]) -> str | None:
    """Return what to change about the name of somebody who is not staff, or None.

    Args:
        name: Normalised.
        staff: Names of the staff.
        words: Words that this installation refuses.

    >>> likeness_fault("0perat\u043er", [], [])
    "This name could be mistaken for a staff member's. Choose another one."
    """
    look = skeleton(name)
    taken = {skeleton(staff_name) for staff_name in staff}
    if look in taken or look in _offices() or skeleton(OWN) in look:
        return _STAFF
    return _word_fault(look, words)


def group_fault(name: str, words: Collection[str]) -> str | None:
    """Return what to change about the name of a league, a team or a pool, or None.

    It may be called like somebody of the staff, and contain "press box", but not the site's name or
    an office.

    >>> group_fault("The Press Box", [])
    >>> group_fault("Pressb\u043ex League", [])
    "This name could be mistaken for a staff member's. Choose another one."
    """
    looks = {skeleton(word) for word in name.split()}
    if skeleton(OWN) in looks or skeleton(name) in _offices() - {skeleton(OWN)}:
        return _STAFF
    return _word_fault(skeleton(name), words)


def _word_fault(look: str, words: Collection[str]) -> str | None:
    if any(word and word in look for word in map(skeleton, words)):
        return "This name contains a word that isn't allowed. Choose another one."
    return None


@cache
def _offices() -> frozenset[str]:
    return frozenset(map(skeleton, OFFICES))


def skeleton(name: str) -> str:
    """Return what a name looks like at a glance.

    Only letters and digits stay; look-alikes from other scripts become Latin letters.

    >>> skeleton("P\u0430u1 M.") == skeleton("paul m")
    True
    """
    plain = normalized("NFKD", normalized("NFKC", name).casefold())
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter)).translate(
        _LOOK
    )
    return (
        "".join(filter(str.isalnum, letters))
        .replace("rn", "m")
        .replace("vv", "w")
        .replace("i", "l")
    )

"""Rules of posts: their text, mentions and reactions, and how long they can be edited. Pure.

A mention is stored as `<@12>`, with the member's id, and shown with the name that the member has
now. So a name that was changed or taken away does not stay in other people's posts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta

from app.accounts.names import INVISIBLE, LONGEST
from app.core.input_limits import NORMALIZED_CHARACTERS
from app.core.normal_forms import normalized
from app.core.refusals import Refusal

LONGEST_POST = 1_000  # characters as typed
LONGEST_REASON = 500
MOST_MENTIONS = 10  # of one post; further names stay plain text
MOST_MARKS = 4  # accents in a row on one letter; some scripts and emoji need more than names
EDITABLE_FOR = timedelta(minutes=10)
BOARD = ""  # the thread of the whole league
REACTIONS = {"like": "Like", "laugh": "Funny", "fire": "On fire", "wow": "Wow", "ouch": "Ouch"}
# Invisible characters that text needs: line breaks, and the joiners of emoji and of some scripts.
_KEPT = frozenset("\n\u200c\u200d")
# The flags of England, Scotland and Wales: a black flag with the country in invisible letters, and
# the only sequences of these that are in general use (Unicode TR51, 2.3.3).
_FLAGS = [
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in country) + "\U000e007f"
    for country in ("gbeng", "gbsct", "gbwls")
]
_FLAG = re.compile(f"({'|'.join(_FLAGS)})")
_TOKEN = re.compile(r"<@([0-9]{1,19})>")
_BLANK_LINES = re.compile(r"\n{3,}")

EMPTY = Refusal("empty", "text", "Write something, or choose a picture.")
TOO_LONG = Refusal("too_long", "text", f"Use up to {LONGEST_POST:,} characters.")
NO_REASON = Refusal(
    "no_reason",
    "reason",
    f"Give a reason in 1 to {LONGEST_REASON} characters. It is shown in place of the post.",
)
TOO_LATE = Refusal(
    "too_late",
    "text",
    f"A post can be edited for {EDITABLE_FOR // timedelta(minutes=1)} minutes. You can delete it "
    "and write a new one.",
)


def cleaned(text: str) -> str:
    r"""Return the text without characters that are invisible, turn it around or cover others.

    >>> cleaned(" Go \u202eAnn!\r\n\r\n\r\n\r\nNow. ")
    'Go Ann!\n\nNow.'
    """
    if len(text) > NORMALIZED_CHARACTERS:  # too long for any rule, however it is cleaned
        return text
    parts = _FLAG.split(normalized("NFC", text.replace("\r\n", "\n")))
    visible = "".join(part if part in _FLAGS else _visible(part) for part in parts)
    return _BLANK_LINES.sub("\n\n", visible).strip()


def _visible(text: str) -> str:
    letters, marks = [], 0
    for letter in text:
        marks = marks + 1 if unicodedata.combining(letter) else 0
        is_hidden = letter not in _KEPT and unicodedata.category(letter) in INVISIBLE
        if not is_hidden and marks <= MOST_MARKS:
            letters.append(letter)
    return "".join(letters)


def text_refusal(text: str, *, has_picture: bool) -> Refusal | None:
    """Return what is wrong with a cleaned text, or None."""
    if not text and not has_picture:
        return EMPTY
    return TOO_LONG if len(text) > LONGEST_POST else None


def reason_refusal(reason: str) -> Refusal | None:
    """Return what is wrong with the cleaned reason for removing a post, or None."""
    return None if 1 <= len(reason) <= LONGEST_REASON else NO_REASON


def with_mentions(text: str, member_ids: Mapping[str, int]) -> str:
    """Return the text with `@Name` replaced by the mention of the member.

    Args:
        text: As typed and cleaned. Where several names fit, the longest is meant.
        member_ids: By casefolded name, without names that several members have.

    >>> with_mentions("Hey @ann lee, @annika and a@ann", {"ann": 1, "ann lee": 2})
    'Hey <@2>, @annika and a@ann'
    """
    text = text.replace("<@", "< @")  # only this function writes mentions
    parts, position, mentions = [], 0, 0
    while (at := text.find("@", position)) >= 0:
        end = at + 1
        if mentions < MOST_MENTIONS and not (at and text[at - 1].isalnum()):
            end = _end_of_name(text, at + 1, member_ids) or end
        parts.append(text[position:at])
        name = text[at + 1 : end]
        mentions += bool(name)
        parts.append(f"<@{member_ids[name.casefold()]}>" if name else "@")
        position = end
    return "".join([*parts, text[position:]])


def _end_of_name(text: str, start: int, member_ids: Mapping[str, int]) -> int | None:
    """Where the longest name that begins at `start` ends; None if there is none."""
    for end in range(min(len(text), start + LONGEST), start, -1):
        is_whole = end == len(text) or not text[end].isalnum()
        if is_whole and text[start:end].casefold() in member_ids:
            return end
    return None


def mentioned(text: str) -> list[int]:
    """Return the ids of the mentioned members, each once, in order.

    >>> mentioned("<@2> and <@1>, <@2>")
    [2, 1]
    """
    return list(dict.fromkeys(int(number) for number in _TOKEN.findall(text)))


def split(text: str) -> list[str | int]:
    """Return the pieces of a stored text: strings, and the ids of mentioned members.

    >>> split("Hey <@2>!")
    ['Hey ', 2, '!']
    """
    pieces: list[str | int] = []
    for number, piece in enumerate(_TOKEN.split(text)):
        if number % 2:
            pieces.append(int(piece))
        elif piece:
            pieces.append(piece)
    return pieces


def as_typed(text: str, names: Mapping[int, str], unknown: str = "somebody") -> str:
    """Return a stored text with the names of the mentioned members.

    >>> as_typed("Hey <@2>, <@3>!", {2: "Ann Lee"})
    'Hey @Ann Lee, @somebody!'
    """
    return "".join(
        piece if isinstance(piece, str) else f"@{names.get(piece, unknown)}"
        for piece in split(text)
    )


def is_editable(created_at: datetime, now: datetime) -> bool:
    """Whether a post of this moment can still be edited."""
    return now < created_at + EDITABLE_FOR


def thread_of_matchup(gameweek_id: int, member_ids: Collection[int]) -> str:
    """Return the name of a matchup's thread, the same for both sides.

    One member plays the average of the league.

    >>> thread_of_matchup(7, [12, 3]), thread_of_matchup(7, [12])
    ('7:3:12', '7:12')
    """
    return ":".join(map(str, [gameweek_id, *sorted(member_ids)]))

"""Searches names in spite of accents and typing errors. Pure.

Managed PostgreSQL offers pg_trgm for this, but the embedded one has no such extension (decision
86). A season's few thousand names are searched in milliseconds here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

LONGEST_WORD = 20
# How many typing errors a word may have, by its length.
NO_ERROR_UP_TO, ONE_ERROR_UP_TO = 3, 6
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"}
    | dict.fromkeys("'’.`", "")
    | {"-": " ", ",": " "}
)


@dataclass(frozen=True)
class NameMatches:
    """Whose names match a search.

    `is_close`: no name contains what was typed, so these are the names that are close to it.
    """

    ids: tuple[str, ...]
    is_close: bool


def plain_words(name: str) -> list[str]:
    """The words of a name in small letters without accents, as people type them.

    >>> plain_words("Ángel O'Brien-Łukasz")
    ['angel', 'obrien', 'lukasz']
    """
    decomposed = unicodedata.normalize("NFKD", name.casefold().translate(_LETTERS))
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter)).split()


def find_names(search: str, names: Iterable[tuple[str, str]]) -> NameMatches:
    """Search names, given with their ids, and return the ids in the same order.

    A name matches if it contains each word that was typed. If none does, those match in which each
    typed word is the beginning of a word but for an error or two: a letter that is missing, wrong,
    too much, or in the place of its neighbour.

    >>> names = [("1", "Roscoe Farrowdale"), ("2", "José Marsh"), ("3", "Idris Tiquana")]
    >>> find_names("jose", names), find_names("farow", names)
    (NameMatches(ids=('2',), is_close=False), NameMatches(ids=('1',), is_close=True))
    >>> find_names("mrash jo", names).ids, find_names("tik", names).ids
    (('2',), ())
    """
    typed = [word[:LONGEST_WORD] for word in plain_words(search)]
    words = [(footballer_id, plain_words(name)) for footballer_id, name in names]
    exact = tuple(
        footballer_id
        for footballer_id, parts in words
        if all(word in " ".join(parts) for word in typed)
    )
    if exact or not typed:
        return NameMatches(exact, is_close=False)
    close = tuple(
        footballer_id
        for footballer_id, parts in words
        if all(any(_begins_like(part, word) for part in parts) for word in typed)
    )
    return NameMatches(close, is_close=True)


def _begins_like(part: str, typed: str) -> bool:
    """Whether a word of a name begins like what was typed, but for the allowed errors."""
    allowed = _allowed_errors(typed)
    if not allowed:
        return part.startswith(typed)
    # Cheap, and excludes most: each error brings in at most one letter that the name does not have.
    if sum(letter not in part for letter in set(typed)) > allowed:
        return False
    return errors_to_prefix(typed, part) <= allowed


def _allowed_errors(typed: str) -> int:
    if len(typed) <= NO_ERROR_UP_TO:
        return 0
    return 1 if len(typed) <= ONE_ERROR_UP_TO else 2


def errors_to_prefix(typed: str, part: str) -> int:
    """The fewest typing errors that turn some beginning of `part` into `typed`.

    It is the optimal string alignment distance: two letters that changed places are one error.

    >>> [errors_to_prefix(typed, "farrow") for typed in ("farrow", "far", "farow", "frarow")]
    [0, 0, 1, 1]
    """
    before_last: list[int] = []
    last = list(range(len(part) + 1))
    for row, letter in enumerate(typed, start=1):
        current = [row]
        for column, other in enumerate(part, start=1):
            errors = min(
                last[column] + 1, current[column - 1] + 1, last[column - 1] + (letter != other)
            )
            is_turned = (
                row > 1 and column > 1 and letter == part[column - 2] and other == typed[row - 2]
            )
            current.append(min(errors, before_last[column - 2] + 1) if is_turned else errors)
        before_last, last = last, current
    return min(last)

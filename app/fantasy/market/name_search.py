"""Searches names in spite of accents and typing errors. Pure.

Managed PostgreSQL offers pg_trgm for this, but the embedded one has no such extension (decision
86). A season's few thousand names are searched in milliseconds here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from app.core.normal_forms import normalized

LONGEST_WORD = 20
MOST_WORDS = 10  # of a search; the other ones are passed over
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
    decomposed = normalized("NFKD", name.casefold().translate(_LETTERS))
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
    return NameIndex(names).find(search)


class NameIndex:
    """Names that are searched several times."""

    def __init__(self, names: Iterable[tuple[str, str]]) -> None:
        self._words = [(footballer_id, plain_words(name)) for footballer_id, name in names]

    @cached_property
    def _letters(self) -> dict[str, frozenset[str]]:
        """The letters of each word that occurs."""
        return {part: frozenset(part) for _, parts in self._words for part in parts}

    def find(self, search: str) -> NameMatches:
        """See `find_names`."""
        typed = [word[:LONGEST_WORD] for word in plain_words(search)[:MOST_WORDS]]
        exact = tuple(
            footballer_id
            for footballer_id, parts in self._words
            if all(word in " ".join(parts) for word in typed)
        )
        if exact or not typed:
            return NameMatches(exact, is_close=False)
        close_parts = [self._close_parts(word) for word in typed]
        close = tuple(
            footballer_id
            for footballer_id, parts in self._words
            if all(not words.isdisjoint(parts) for words in close_parts)
        )
        return NameMatches(close, is_close=True)

    def _close_parts(self, typed: str) -> set[str]:
        """The words of all names that begin like what was typed, but for the allowed errors."""
        allowed = _allowed_errors(typed)
        if not allowed:
            return {part for part in self._letters if part.startswith(typed)}
        # Each error brings in at most one letter that the word does not have: this is cheap, and
        # excludes most words.
        letters = frozenset(typed)
        return {
            part
            for part, of_part in self._letters.items()
            if len(letters - of_part) <= allowed
            and errors_to_prefix(typed, part, allowed) <= allowed
        }


def _allowed_errors(typed: str) -> int:
    if len(typed) <= NO_ERROR_UP_TO:
        return 0
    return 1 if len(typed) <= ONE_ERROR_UP_TO else 2


def errors_to_prefix(typed: str, part: str, most: int = LONGEST_WORD) -> int:
    """The fewest typing errors that turn some beginning of `part` into `typed`.

    It is the optimal string alignment distance: two letters that changed places are one error. From
    `most + 1` on, the number is only a lower bound.

    >>> [errors_to_prefix(typed, "farrow") for typed in ("farrow", "far", "farow", "frarow")]
    [0, 0, 1, 1]
    >>> errors_to_prefix("farrow", "smith", most=1)
    2
    """
    part = part[: len(typed) + most]
    far = most + 1  # of beginnings that are too short or too long to differ in `most` letters
    before_last: list[int] = []
    last = [min(column, far) for column in range(len(part) + 1)]
    for row, letter in enumerate(typed, start=1):
        current = [min(row, far)] + [far] * len(part)
        for column in range(max(1, row - most), min(len(part), row + most) + 1):
            other = part[column - 1]
            errors = last[column - 1] + (letter != other)
            errors = min(errors, last[column] + 1, current[column - 1] + 1)
            if row > 1 and column > 1 and letter == part[column - 2] and other == typed[row - 2]:
                errors = min(errors, before_last[column - 2] + 1)
            current[column] = errors
        if min(current) > most and min(last) > most:
            return far
        before_last, last = last, current
    return min(last)

"""Finds the footballers whom the rows of a foreign file mean: by id, or by name, position and club.

Pure. The search that members type into is app/fantasy/market/name_search.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from app.fantasy.market.formats import DST
from app.fantasy.market.name_search import NameIndex, plain_words
from app.fantasy.projections.rules import family_of
from app.record.rules.clubs import club_of

MOST_SUGGESTIONS = 5
# Names of a file that fit nobody and are compared with everybody, which takes long. More of them
# mean that the file is of another season or sport.
MOST_SEARCHED = 50
# What files call positions, beside the names of the market.
_POSITIONS: Mapping[str, str] = {
    "DEF": DST,
    "D": DST,
    "D/ST": DST,
    "DST": DST,
    "DEFENSE": DST,
    "PK": "K",
    "HB": "RB",
    "FB": "RB",
    "EDGE": "DL",
    "SAF": "DB",
    "FLEX": "",
}
_SUFFIXES = frozenset(("jr", "sr", "ii", "iii", "iv", "v"))
# Nicknames of this many letters or more stand for the first name that they begin.
_LEAST_NICKNAME = 3


@dataclass(frozen=True)
class Known:
    """A footballer of the record, as far as files name them."""

    id: str
    name: str
    position: str
    club_id: str
    club: str = ""


@dataclass(frozen=True)
class Named:
    """How a file names a footballer. Any part may be empty.

    `ids`: ids that the record may know.
    """

    name: str
    position: str = ""
    club: str = ""
    ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class Match:
    """What was found for a name.

    Attributes:
        footballer: The footballer; None if nobody fits, or several fit alike.
        suggestions: Those who may be meant if there is no footballer. After MOST_SEARCHED names
            that fit nobody, only those with the same last name.
    """

    footballer: Known | None
    suggestions: tuple[Known, ...] = ()


def plain_position(position: str) -> str:
    """The family of a position as files write it; '' for none that is known.

    >>> [plain_position(text) for text in ("WR12", "d/st", "EDGE", "FS", "")]
    ['WR', 'DST', 'DL', 'DB', '']
    """
    letters = re.sub(r"[^A-Z/]", "", position.upper())
    return family_of(_POSITIONS.get(letters, letters))


def plain_name(name: str) -> tuple[str, ...]:
    """The words of a name without suffixes; single letters are joined, as in D.J.

    >>> plain_name("Odell Beckham Jr."), plain_name("D.J. Moore"), plain_name("D J Moore")
    (('odell', 'beckham'), ('dj', 'moore'), ('dj', 'moore'))
    """
    words = plain_words(re.sub(r"\([^()]*\)", " ", name))
    words = [word for word in words if word not in _SUFFIXES] or words
    initials = 0
    while initials < len(words) - 1 and len(words[initials]) == 1:
        initials += 1
    joined = ["".join(words[:initials])] if initials else []
    return (*joined, *words[initials:])


class Matcher:
    """Matches the names of one file with these footballers."""

    def __init__(self, footballers: Iterable[Known]) -> None:
        self._by_id: dict[str, Known] = {}
        self._by_name: dict[tuple[str, ...], list[Known]] = {}
        # By last name: each with the first name.
        self._relatives: dict[str, list[tuple[str, Known]]] = {}
        self._defences: dict[str, Known] = {}
        self._words_of_defences: list[tuple[set[str], Known]] = []
        self._searched = 0
        for footballer in footballers:
            self._by_id[footballer.id] = footballer
            words = plain_name(footballer.name)
            self._by_name.setdefault(words, []).append(footballer)
            if words:
                self._relatives.setdefault(words[-1], []).append((words[0], footballer))
            if footballer.position == DST:
                self._defences[club_of(footballer.club_id)] = footballer
                words_of_defence = {*plain_words(footballer.club), *plain_words(footballer.name)}
                self._words_of_defences.append((words_of_defence, footballer))

    @cached_property
    def _index(self) -> NameIndex:
        return NameIndex((known.id, known.name) for known in self._by_id.values())

    def match(self, named: Named) -> Match:
        """The footballer whom the file means.

        By an id of the record; a team defence by its club; else by the whole name, of which the
        position and then the club decide among namesakes; else by last name, position and club if
        one first name begins like the other. Whoever fits only in part is a suggestion. An id is
        another system's claim: if name, position or club speak for somebody else, both are.
        """
        by_id = next((self._by_id[each] for each in named.ids if each in self._by_id), None)
        if by_id is not None and _agrees(by_id, named):
            namesakes = _fitting(self._by_name.get(plain_name(named.name), []), named)
            if len(namesakes) != 1 or namesakes == [by_id]:
                return Match(by_id)
        by_name = self._match_name(named)
        if by_id is None:
            return by_name
        named_ones = (by_name.footballer,) if by_name.footballer else by_name.suggestions
        both = dict.fromkeys((*named_ones, by_id))
        return Match(None, tuple(both)[:MOST_SUGGESTIONS])

    def _match_name(self, named: Named) -> Match:
        if plain_position(named.position) == DST:
            return self._defence(named)
        words = plain_name(named.name)
        if not words:
            return Match(None)
        namesakes = self._by_name.get(words, [])
        fitting = _fitting(namesakes, named)
        if len(fitting) == 1:
            return Match(fitting[0])
        if namesakes:
            return Match(None, tuple((fitting or namesakes)[:MOST_SUGGESTIONS]))
        return self._nearly(words, named)

    def _defence(self, named: Named) -> Match:
        club = club_of(named.club or named.name)
        if club in self._defences:
            return Match(self._defences[club])
        words = set(plain_words(named.name))
        fitting = [
            defence
            for words_of_defence, defence in self._words_of_defences
            if words and words <= words_of_defence
        ]
        return Match(fitting[0]) if len(fitting) == 1 else Match(None, tuple(fitting))

    def _nearly(self, words: Sequence[str], named: Named) -> Match:
        relatives = [
            footballer
            for first, footballer in self._relatives.get(words[-1], [])
            if _is_same_first(first, words[0])
        ]
        fitting = _fitting(relatives, named)
        is_sure = len(fitting) == 1 and named.club and named.position
        if is_sure and club_of(fitting[0].club_id) == club_of(named.club):
            return Match(fitting[0])
        close: tuple[str, ...] = ()
        if self._searched < MOST_SEARCHED:
            self._searched += 1
            close = self._index.find(" ".join(words)).ids[:MOST_SUGGESTIONS]
        near = dict.fromkeys([*(known.id for known in fitting), *close])
        return Match(None, tuple(self._by_id[known_id] for known_id in near)[:MOST_SUGGESTIONS])


def _agrees(footballer: Known, named: Named) -> bool:
    """Whether the last name and the position of the file can be the footballer's."""
    position, words = plain_position(named.position), plain_name(named.name)
    if position and position != family_of(footballer.position):
        return False
    if not words or footballer.position == DST:
        return True
    own_words = plain_name(footballer.name)
    return words[-1] in own_words or own_words[-1] in words


def _fitting(footballers: Sequence[Known], named: Named) -> list[Known]:
    """Those of the named position; of several, those of the named club."""
    position = plain_position(named.position)
    fitting = [
        footballer
        for footballer in footballers
        if not position or family_of(footballer.position) == position
    ]
    if len(fitting) > 1 and named.club:
        of_club = [each for each in fitting if club_of(each.club_id) == club_of(named.club)]
        return of_club or fitting
    return fitting


def _is_same_first(first: str, second: str) -> bool:
    """Whether one first name begins like the other: Mitch and Mitchell."""
    shorter, longer = sorted((first, second), key=len)
    return len(shorter) >= _LEAST_NICKNAME and longer.startswith(shorter)

"""Football words for spots, clocks, downs and gains, and the sentence of an event. Pure.

Used by play lists, the console's log and notices. The words of each event type are in its
declaration (app/record/events).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Protocol
from zoneinfo import ZoneInfo

from app.record.unknown_numbers import unknown_number

Who = Callable[[str | None], str]

MIDFIELD, GOAL_LINE = 50, 100  # yards from the own goal line
QUARTERS = 4
UNNAMED = "an unnamed player"
# The officials of a game by position, in the order in which a game book names them.
OFFICIALS = {
    "referee": "Referee",
    "umpire": "Umpire",
    "down_judge": "Down judge",
    "line_judge": "Line judge",
    "field_judge": "Field judge",
    "side_judge": "Side judge",
    "back_judge": "Back judge",
    "center_judge": "Center judge",
    "replay_official": "Replay official",
}
ORDINALS = {1: "1st", 2: "2nd", 3: "3rd", 4: "4th"}


def yards(count: int) -> str:
    """A gain in words.

    >>> [yards(count) for count in (7, 1, 0, -3)]
    ['7 yards', '1 yard', 'no gain', 'a loss of 3']
    """
    if count == 0:
        return "no gain"
    return f"a loss of {-count}" if count < 0 else distance(count)


def distance(count: int) -> str:
    """A distance in words.

    >>> [distance(count) for count in (7, 1, 0)]
    ['7 yards', '1 yard', '0 yards']
    """
    return f"{count} yard{'' if count == 1 else 's'}"


def spot(team: str, yard: int, other: str) -> str:
    """A spot by the side of the field it is on: SF's 72 against ATL is `ATL 28`.

    Midfield is `the 50`.

    >>> spot("SF", 72, "ATL"), spot("SF", 24, "ATL"), spot("SF", 50, "ATL")
    ('ATL 28', 'SF 24', 'the 50')
    """
    if yard == MIDFIELD:
        return "the 50"
    return f"{team} {yard}" if yard < MIDFIELD else f"{other} {GOAL_LINE - yard}"


def clock_words(seconds: int) -> str:
    """Seconds left as the stadium shows them.

    >>> clock_words(725), clock_words(9)
    ('12:05', '0:09')
    """
    return f"{seconds // 60}:{seconds % 60:02d}"


def period_words(period: int) -> str:
    """Q1 to Q4, then OT, 2OT, ..."""
    if period <= QUARTERS:
        return f"Q{period}"
    overtime = period - QUARTERS
    return "OT" if overtime == 1 else f"{overtime}OT"


def kickoff_words(kickoff: datetime, time_zone: str | None) -> str:
    """The kickoff by the stadium's clock, with its zone; in UTC where the zone is not known.

    >>> moment = datetime(2026, 9, 13, 17, 0, tzinfo=UTC)
    >>> kickoff_words(moment, "America/New_York"), kickoff_words(moment, None)
    ('Sun 13 Sep 2026, 13:00 EDT', 'Sun 13 Sep 2026, 17:00 UTC')
    """
    return stadium_time(kickoff, time_zone).strftime("%a %d %b %Y, %H:%M %Z")


def stadium_time(moment: datetime, time_zone: str | None) -> datetime:
    """A moment by the clock of a place; in UTC where its zone is not known."""
    return moment.astimezone(ZoneInfo(time_zone) if time_zone else UTC)


class SnapLike(Protocol):
    """A snap, or one to be: see events.Snap."""

    @property
    def situation(self) -> str:
        """`scrimmage`, or the kind of kick or try."""

    @property
    def spot(self) -> int:
        """Yards from the own goal line."""

    @property
    def down(self) -> int | None:
        """1 to 4."""

    @property
    def distance(self) -> int | None:
        """Yards to go."""


def down_and_distance(snap: SnapLike) -> str:
    """`2nd & 7`, `1st & goal`, or the kind of kick or try."""
    if snap.situation != "scrimmage" or snap.down is None:
        return {"kickoff": "Kickoff", "free_kick": "Free kick", "try": "Try"}.get(
            snap.situation, "Snap"
        )
    if snap.distance is None:
        return ORDINALS[snap.down]
    goal = snap.spot + snap.distance >= GOAL_LINE
    return f"{ORDINALS[snap.down]} & {'goal' if goal else snap.distance}"


class Worded(Protocol):
    """An event's body: each type has words of its own (app/record/events)."""

    def words(self, who: Who) -> str:
        """What happened, without a full stop."""


class Sentence(str):
    """A sentence that knows whom it names, so that a page can link each name.

    See templates/_footballer.html, `told`.

    >>> said = Sentence.of(f"Corrected: {_named('H1', 'Ann Arm')} passes.")
    >>> str(said), said.runs
    ('Corrected: Ann Arm passes.', [('Corrected: ', ''), ('Ann Arm', 'H1'), (' passes.', '')])
    """

    __slots__ = ("marked",)
    marked: str

    @classmethod
    def of(cls, marked: str) -> Sentence:
        """A sentence of words in which names are marked, for example parts of another sentence."""
        sentence_ = cls(_MARK.sub(r"\2", marked))
        sentence_.marked = marked
        return sentence_

    @property
    def runs(self) -> list[tuple[str, str]]:
        """The words in order, each with the id of the player they name, "" for none."""
        runs_so_far, end = [], 0
        for mark in _MARK.finditer(self.marked):
            runs_so_far += [(self.marked[end : mark.start()], ""), (mark[2], mark[1])]
            end = mark.end()
        return [
            (words, player) for words, player in [*runs_so_far, (self.marked[end:], "")] if words
        ]


def naming(text: str, names: Mapping[str, str]) -> Sentence:
    """A stored text as a sentence; `names`: whom it names by id, as they were called then.

    >>> naming("Ann Arm passes to Ann.", {"H1": "Ann Arm", "H2": "Ann"}).runs
    [('Ann Arm', 'H1'), (' passes to ', ''), ('Ann', 'H2'), ('.', '')]
    """
    ids = {name: player for player, name in names.items() if name}
    longest = "|".join(re.escape(name) for name in sorted(ids, key=len, reverse=True))
    plain = text.translate(_UNMARKED)
    return Sentence.of(
        re.sub(longest, lambda match: _named(ids[match[0]], match[0]), plain) if ids else plain
    )


# Around a name, with the id before it: characters of Unicode's private use area, which no text is
# typed with. A forged mark is a link to a page of ours and nothing else: what is shown is escaped,
# and so is the id.
_MARK = re.compile("\ue000([^\ue000-\ue002]*)\ue001([^\ue000-\ue002]*)\ue002")
_UNMARKED = dict.fromkeys(range(0xE000, 0xE003))  # of a name that was imported with such characters
_FIRST_LETTER = re.compile("^((?:\ue000[^\ue000-\ue002]*\ue001)?)(.)")


def marked(text: str) -> str:
    """A sentence with its names marked, to be put into another one (Sentence.of).

    Plain text is returned unmarked.
    """
    return text.marked if isinstance(text, Sentence) else text.translate(_UNMARKED)


def named(player: str, name: str) -> Sentence:
    """A player's name alone."""
    return Sentence.of(_named(player, name))


def _named(player: str, name: str) -> str:
    return f"\ue000{player}\ue001{name.translate(_UNMARKED)}\ue002"


def sentence(body: Worded, names: Mapping[str, str]) -> str:
    """As named_sentence, as plain text."""
    return str(named_sentence(body, names))


def named_sentence(body: Worded, names: Mapping[str, str]) -> Sentence:
    """One sentence with a full stop, and `Touchdown!` after it if the movement scored.

    `names`: see `called`.
    """
    words = body.words(called(names))
    return sentence_of(words, is_touchdown=getattr(body, "is_touchdown", False))


def called(names: Mapping[str, str]) -> Who:
    """How to call a player, with the name marked.

    `names`: the name to show by player id; an id without a name is shown as it is, an unknown
    number in words.
    """

    def who(player: str | None) -> str:
        if player is None:
            return UNNAMED
        if unknown := unknown_number(player):
            return unknown.words
        return _named(player, names[player]) if player in names else player

    return who


def sentence_of(marked_words: str, *, is_touchdown: bool = False) -> Sentence:
    """Words as a sentence: a capital letter, a full stop, and `Touchdown!` after a score."""
    words = _FIRST_LETTER.sub(lambda match: match[1] + match[2].upper(), marked_words)
    return Sentence.of(f"{words}.{' Touchdown!' if is_touchdown else ''}")

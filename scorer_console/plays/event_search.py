"""Finds events of a game by the people named in them, by play or by quarter. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.record import events as ev
from app.record.unknown_numbers import unknown_number
from app.record.words import clock_words, period_words, sentence
from scorer_console.record.effective_events import EffectiveEvent

FOUND = 20
# At most as many digits as the wire schema allows (PlayNumber, Period), because int() refuses
# thousands of them.
_PLAY = re.compile(r"p(\d{1,6})$")
_QUARTER = re.compile(r"q(\d{1,2})$")
_OVERTIME = re.compile(r"(\d{0,2})ot$")


@dataclass(frozen=True)
class FoundEvent:
    """An event that the search found."""

    number: int
    play_number: int
    words: str


@dataclass(frozen=True)
class FoundEvents:
    """The events found, newest first, at most FOUND. `more` says whether there are others."""

    rows: tuple[FoundEvent, ...]
    more: bool


def events_found(
    events: Sequence[EffectiveEvent],
    text: str,
    names: Mapping[str, str],
    jerseys: Mapping[str, int],
) -> FoundEvents:
    """Return the events that match every word of the text.

    `p12` matches play 12; `q3`, `ot` and `2ot` match that period. A number matches the jersey of
    somebody named in the event. Any other word matches the event's sentence, or the name of
    somebody named in it. `events` are those that count, in the order of the game. `names` and
    `jerseys` are by player.
    """
    words = text.lower().split()
    if not words:
        return FoundEvents((), more=False)
    rows = []
    snap: ev.Snap | None = None
    for event in events:
        if isinstance(event.body, ev.Snap):
            snap = event.body
        event_words = sentence(event.body, names)
        players = ev.players_of(event.body)
        people = " ".join(names.get(player, "") for player in players)
        numbers = {str(jersey) for jersey in _jerseys_of(players, jerseys)}
        period = snap.period if snap else 1
        searched = f"{event_words} {people}".lower()
        if all(
            word in numbers if word.isdigit() else _fits(word, event, period, searched)
            for word in words
        ):
            moment = f"{period_words(snap.period)} {clock_words(snap.clock)}: " if snap else ""
            rows.append(FoundEvent(event.event_number, event.play_number, f"{moment}{event_words}"))
    return FoundEvents(tuple(rows[: -FOUND - 1 : -1]), more=len(rows) > FOUND)


def _jerseys_of(players: Iterable[str], jerseys: Mapping[str, int]) -> Iterator[int]:
    """The jerseys of these players, of unknown numbers too."""
    for player in players:
        unknown = unknown_number(player)
        if unknown:
            yield unknown.number
        elif player in jerseys:
            yield jerseys[player]


def _fits(word: str, event: EffectiveEvent, period: int, searched: str) -> bool:
    if play := _PLAY.match(word):
        return event.play_number == int(play[1])
    if quarter := _QUARTER.match(word):
        return period == int(quarter[1])
    if overtime := _OVERTIME.match(word):
        return period == 4 + int(overtime[1] or 1)
    return word in searched

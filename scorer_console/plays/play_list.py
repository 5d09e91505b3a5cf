"""The plays of a game as a list that the scorer corrects: place, events that count, ball.

The console asks for them when a play is inserted, moved, edited or gets a new ruling. Their order
is in app/record/rules/order.py, and previews of an entry are in entry/consequences.py.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import asdict
from itertools import groupby
from typing import Any

from app.record import events as ev
from app.record.rules.football.ball import ball_after
from app.record.rules.football.rulebook import Rulebook
from app.record.rules.football.situation import last_play, next_snap
from app.record.rules.order import play_key
from app.record.words import clock_words, period_words
from scorer_console.plays.sentences import Sentences
from scorer_console.record.effective_events import EffectiveEvent, Fold

LISTED = 30


def plays(fold: Fold, sentences: Sentences, listed: int | None = LISTED) -> list[dict[str, Any]]:
    """Return the last plays whose snap counts, the last one first; all if `listed` is None.

    `place` is the play's sort key, and `next` that of the following play, None for the last one.
    """
    rows: list[dict[str, Any]] = []
    following: float | None = None
    for play, group in groupby(reversed(fold.in_order), key=lambda event: event.play_number):
        events = list(group)[::-1]
        snap = next((event.body for event in events if isinstance(event.body, ev.Snap)), None)
        if snap is None:
            continue
        place = play_key(play, fold.play_places)[0]
        events_words = " ".join(
            sentences.of(event.body) for event in events if not isinstance(event.body, ev.Snap)
        )
        words = (
            f"{period_words(snap.period)} {clock_words(snap.clock)} {snap.possession}: "
            f"{events_words or 'snap'}"
        )
        rows.append({"number": play, "place": place, "next": following, "words": words})
        if len(rows) == listed:
            break
        following = place
    return rows


def play(
    fold: Fold, sentences: Sentences, number: int, clubs: tuple[str, str], book: Rulebook
) -> dict[str, Any]:
    """Return a play with its events that count, in order, and the snap that would follow it.

    `clubs` are home and away. Play 0 has the events before the first snap. Raises LookupError if
    the game has no such play whose snap counts.
    """
    rows = plays(fold, sentences, None)
    before = {
        "number": 0,
        "place": 0,
        "next": rows[-1]["place"] if rows else None,
        "words": "before the first play",
    }
    row = before if number == 0 else next((row for row in rows if row["number"] == number), None)
    if row is None:
        raise LookupError(f"there is no play {number}")
    upto = [
        event
        for event in fold.in_order
        if play_key(event.play_number, fold.play_places) <= (row["place"], number)
    ]
    snap, action = last_play(upto)
    return {
        **row,
        "events": events_of(fold, sentences, number),
        "snap": ev.body_to(snap) if snap else None,
        "ball": asdict(ball_after(snap, action, *clubs, book)) if snap else None,
        "suggestion": asdict(next_snap(upto, home=clubs[0], away=clubs[1], book=book)),
    }


def event_around(
    fold: Fold, sentences: Sentences, number: int, clubs: tuple[str, str], book: Rulebook
) -> dict[str, Any]:
    """Return the context of a new ruling: the event's play, and snap and ball before the event."""
    before = [
        event
        for event in fold.before(number)
        if event.play_number == fold.event(number).play_number
    ]
    snap, action = last_play(before)
    return {
        "play_events": events_of(fold, sentences, fold.event(number).play_number),
        "snap": ev.body_to(snap) if snap else None,
        "ball": asdict(ball_after(snap, action, *clubs, book)) if snap else None,
    }


def events_of(fold: Fold, sentences: Sentences, number: int) -> list[dict[str, Any]]:
    """Return the events of a play that count, in order.

    `place` is the event's sort key, and `next` that of the following event, or None.
    """
    events = fold.in_play(number)
    places = [_place_of(event) for event in events]
    return [
        {
            "number": event.event_number,
            "play_number": number,
            "type": ev.type_of(event.body),
            "words": sentences.of(event.body),
            "body": ev.body_to(event.body),
            "place": places[index],
            "next": places[index + 1] if index + 1 < len(places) else None,
        }
        for index, event in enumerate(events)
    ]


def _place_of(event: EffectiveEvent) -> float:
    return event.event_number if event.body.place is None else event.body.place


def room(fold: Fold, numbers: list[int]) -> tuple[float, float] | None:
    """Return the range of sort keys for an entry that replaces these events of a play.

    It reaches from the first of the events to the one that follows them. None if no event follows:
    then new events come last by their number.
    """
    first = fold.event(numbers[0])
    standing = [
        _place_of(event)
        for event in fold.in_play(first.play_number)
        if event.event_number not in numbers
    ]
    start = _place_of(EffectiveEvent(numbers[0], first.play_number, fold.last_body(first)))
    after = bisect_left(standing, start)
    return (start, standing[after]) if after < len(standing) else None

"""The plays of a game as a list that the scorer corrects: place, events that count, ball.

The console asks for them when a play is inserted, moved, edited or ruled on anew. Their order is in
app/record/rules/order.py, what an entry would change in entry/consequences.py.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import asdict
from itertools import groupby
from typing import Any

from app.record import events as ev
from app.record.rules.football.ball import ball_after
from app.record.rules.football.rulebook import Rulebook
from app.record.rules.football.situation import last_play, next_snap
from app.record.rules.order import play_key
from app.record.words import clock_words, period_words, sentence
from scorer_console.record.effective_events import EffectiveEvent, Fold

LISTED = 30


def plays(
    fold: Fold, names: Mapping[str, str], listed: int | None = LISTED
) -> list[dict[str, Any]]:
    """The last plays of the game whose snap counts, the last one first; `listed` None: all plays.

    `place`: what the play sorts by; `next`: the place of the play after it, None for the last.
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
            sentence(event.body, names) for event in events if not isinstance(event.body, ev.Snap)
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
    fold: Fold, names: Mapping[str, str], number: int, clubs: tuple[str, str], book: Rulebook
) -> dict[str, Any]:
    """One play with its events that count, in order, and the snap that would follow it.

    `clubs`: home and away. Play 0 is what was before the first snap. Raises LookupError if the game
    has no such play whose snap counts.
    """
    rows = plays(fold, names, None)
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
        "events": events_of(fold, names, number),
        "snap": ev.body_to(snap) if snap else None,
        "ball": asdict(ball_after(snap, action, *clubs, book)) if snap else None,
        "suggestion": asdict(next_snap(upto, home=clubs[0], away=clubs[1], book=book)),
    }


def event_around(
    fold: Fold, names: Mapping[str, str], number: int, clubs: tuple[str, str], book: Rulebook
) -> dict[str, Any]:
    """What a new ruling on an event starts from: its play, and snap and ball before the event."""
    before = [
        event
        for event in fold.before(number)
        if event.play_number == fold.event(number).play_number
    ]
    snap, action = last_play(before)
    return {
        "play_events": events_of(fold, names, fold.event(number).play_number),
        "snap": ev.body_to(snap) if snap else None,
        "ball": asdict(ball_after(snap, action, *clubs, book)) if snap else None,
    }


def events_of(fold: Fold, names: Mapping[str, str], number: int) -> list[dict[str, Any]]:
    """The events of a play that count, in order.

    `place`: what the event sorts by; `next`: the place of the event after it, or None.
    """
    events = [event for event in fold.in_order if event.play_number == number]
    places = [_place_of(event) for event in events]
    return [
        {
            "number": event.event_number,
            "play_number": number,
            "type": ev.type_of(event.body),
            "words": sentence(event.body, names),
            "body": ev.body_to(event.body),
            "place": places[index],
            "next": places[index + 1] if index + 1 < len(places) else None,
        }
        for index, event in enumerate(events)
    ]


def _place_of(event: EffectiveEvent) -> float:
    return event.event_number if event.body.place is None else event.body.place


def room(fold: Fold, numbers: list[int]) -> tuple[float, float] | None:
    """The places from the first of these events of a play up to what follows them.

    An entry that replaces the events goes there. None if nothing of the play follows them: new
    events are the last by their number.
    """
    first = fold.event(numbers[0])
    standing = [
        _place_of(event)
        for event in fold.in_order
        if event.play_number == first.play_number and event.event_number not in numbers
    ]
    start = _place_of(EffectiveEvent(numbers[0], first.play_number, fold.last_body(first)))
    after = bisect_left(standing, start)
    return (start, standing[after]) if after < len(standing) else None

"""Corrections in the words that members read: the play they are about, not event numbers.

Scorers and files see event numbers: `words` in app/record/events/corrections.py.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import text

from app.core.db import db
from app.record import events as ev
from app.record.play_sentence import Clubs, joined, play_sentences, rulings, standing
from app.record.queries import EventRow, Play, events_of_plays
from app.record.rules.order import rows_in_order
from app.record.words import Sentence, named_sentence

Key = tuple[str, int]  # game, number of the correction

_PLAYS = text("""
    SELECT DISTINCT c.game_id, c.revision, e.play_number
    FROM unnest(CAST(:games AS text[]), CAST(:numbers AS int[])) AS t (game_id, number)
    JOIN corrections c ON (c.game_id, c.revision) = (t.game_id, t.number)
    JOIN events e ON (e.game_id, e.event_number) = (c.game_id, c.event_number)
    ORDER BY c.game_id, c.revision, e.play_number
""")
_BALL = ("action", "credit")
_YARDS = re.compile(r"(\d+ yards?)")


@dataclass(frozen=True)
class Corrected:
    """What a correction is about.

    Attributes:
        events: What it took away, in the order of the game.
        before: All that stood in their plays before the ruling that it belongs to.
        after: All that stood there after this ruling.
    """

    events: tuple[ev.Body, ...] = ()
    before: tuple[ev.Body, ...] = ()
    after: tuple[ev.Body, ...] = ()


NOTHING = Corrected()


def corrected_by(keys: Collection[Key]) -> dict[Key, Corrected]:
    """What each of these corrections is about. Other events have none."""
    if not keys:
        return {}
    ordered = sorted(keys)
    values = {"games": [game for game, _ in ordered], "numbers": [number for _, number in ordered]}
    plays: dict[Key, list[Play]] = {}
    for game, number, play in db.session.execute(_PLAYS, values):
        plays.setdefault((game, number), []).append((game, play))
    rows = events_of_plays({play for several in plays.values() for play in several})
    return {
        key: _corrected(key[1], [rows_in_order(rows[play]) for play in several])
        for key, several in plays.items()
    }


def _corrected(number: int, plays: Sequence[Sequence[EventRow]]) -> Corrected:
    """`plays`: every revision of the events of each play, in the order of the game."""
    events: list[ev.Body] = []
    before: list[ev.Body] = []
    after: list[ev.Body] = []
    for rows in plays:
        ruling = next((numbers for numbers in rulings(rows) if number in numbers), [number])
        events += [row.body for row in rows if row.taken_by == number]
        before += standing(rows, ruling[0])
        after += standing(rows, ruling[-1] + 1)
    return Corrected(tuple(events), tuple(before), tuple(after))


def bodies_of(corrected: Mapping[Key, Corrected]) -> list[ev.Body]:
    """All that `told` may name of these corrections."""
    return [body for about in corrected.values() for body in (*about.before, *about.after)]


def told(
    body: ev.Body,
    names: Mapping[str, str],
    corrected: Corrected = NOTHING,
    clubs: Clubs | None = None,
) -> Sentence:
    """An event as members read it; a correction with the play that it is about and why.

    `clubs`: of the game; without them no spot is told.

    >>> run = ev.Run(team="HRB", player="H3", kind="rush", start_yard=30, end_yard=40)
    >>> about = Corrected(events=(run,), before=(run,))
    >>> str(told(ev.Nullify(events=(8,), reason="Holding"), {"H3": "Sam Hill"}, about))
    'No play (Holding): Sam Hill runs for 10 yards.'
    """
    if isinstance(body, ev.Nullify):
        taken = _told_events(corrected.events, names, clubs)
        return Sentence.of(
            f"{_kind_of_nullify(corrected)}{_because(body.reason)}{f': {taken}' if taken else '.'}"
        )
    if isinstance(body, ev.Overturn | ev.StatCorrection):
        part = _part_of(corrected.after, body.ruling) or [body.ruling]
        part_before = _part_of(corrected.before, body.ruling)
        words = _compared(part_before, part, names, clubs)
        return Sentence.of(f"{_kind(body)}{_because(body.reason)}: {words}")
    return named_sentence(body, names)


def _compared(
    part_before: Sequence[ev.Body],
    part: Sequence[ev.Body],
    names: Mapping[str, str],
    clubs: Clubs | None,
) -> str:
    """What is true now, and what was told before: the number of yards if only that changed."""
    words, words_before = _sentences(part, names, clubs), _sentences(part_before, names, clubs)
    if words_before in ("", words):
        return words
    # without spots, which change with the yards
    pieces, pieces_before = (
        _YARDS.split(_sentences(events, names, None)) for events in (part, part_before)
    )
    changed = [pair for pair in zip(pieces, pieces_before, strict=False) if pair[0] != pair[1]]
    if len(pieces) == len(pieces_before) and len(changed) == 1 and _YARDS.fullmatch(changed[0][0]):
        yards, amount_before = changed[0][0], changed[0][1].split()[0]
        figure = yards if yards in words else f"for {yards.split()[0]}"
        start, _, end = words.partition(figure)
        comma = "," if end.startswith(" ") and not end.startswith(" (") else ""
        return f"{start}{figure}, not {amount_before}{comma}{end}"
    return f"{words} Before: {words_before}"


def _part_of(play: Sequence[ev.Body], ruling: ev.Body) -> Sequence[ev.Body]:
    """What belongs to the sentence of this ruling: the movement with its credits, or its kind."""
    if ruling.part in _BALL:
        return [body for body in play if isinstance(body, ev.Snap) or body.part in _BALL]
    return [body for body in play if type(body) is type(ruling)]


def _kind_of_nullify(corrected: Corrected) -> str:
    """A part of a play is taken back; a play with its snap or its movement is no play."""
    is_part = bool(corrected.events) and not any(
        body.part == "action" or isinstance(body, ev.Snap) for body in corrected.events
    )
    return "Removed" if is_part else "No play"


def _kind(body: ev.Overturn | ev.StatCorrection) -> str:
    if isinstance(body, ev.StatCorrection):
        return "Stat correction"
    return "Corrected" if body.by_scorer else "Overturned"


def _told_events(events: Sequence[ev.Body], names: Mapping[str, str], clubs: Clubs | None) -> str:
    """What was taken away; without movements, all but the snap."""
    has_movement = any(body.part == "action" for body in events)
    about = [
        body
        for body in events
        if (body.part == "action" if has_movement else not isinstance(body, ev.Snap))
    ]
    return _sentences(about, names, clubs)


def _sentences(events: Sequence[ev.Body], names: Mapping[str, str], clubs: Clubs | None) -> str:
    """What happened in these events of a play. Names are marked."""
    return joined(play_sentences(events, names, clubs)).marked


def _because(reason: str) -> str:
    return f" ({reason})" if reason else ""

"""A play as it was told over time: each version of its sentence, with what replaced it. Pure.

A ruling that no longer stands is struck through and followed by the one that does. The sentence
itself is in app/record/play_sentence.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from app.record import events as ev
from app.record.play_sentence import Clubs, play_sentences, rulings, sentence_beside, standing
from app.record.queries import EventRow
from app.record.rules.slips import Slips
from app.record.words import Sentence

Corrections = Mapping[int, ev.Correction]  # by event number


@dataclass(frozen=True)
class Line:
    """A sentence of a play.

    `taken_away`: it does not count any more. `tone`: scored, called, review, pause or plain.
    """

    words: Sentence
    taken_away: bool
    tone: str


@dataclass(frozen=True)
class _Version:
    """The movements and credits that stood at a time, and the correction that led to them."""

    bodies: tuple[ev.Body, ...]
    correction: ev.Correction | None


def play_lines(
    rows: Sequence[EventRow], corrections: Corrections, names: Mapping[str, str], clubs: Clubs
) -> list[Line]:
    """The lines of one play: its sentence in every version, then what stands beside it.

    Args:
        rows: Every revision of the play's events, in the order of the game.
        corrections: The corrections of the game.
        names: The name to show by player id.
        clubs: Home and away.
    """
    rows = _without_completed(rows)
    reviews = [row.body for row in rows if isinstance(row.body, ev.Challenge)]
    versions = _versions(rows, corrections)
    snaps = [row.body for row in rows if isinstance(row.body, ev.Snap) and row.valid]
    lines: list[Line] = []
    words = ""
    for version in versions:
        words_before = words
        sentences = play_sentences([*snaps[:1], *version.bodies], names, clubs)
        words = " ".join(sentence.marked for sentence in sentences)
        before, after = _because(version.correction, reviews)
        tone = "scored" if any(_is_score(body) for body in version.bodies) else "plain"
        if words in ("", words_before):
            continue
        lines.append(
            Line(Sentence.of(f"{before}{words}{after}"), version is not versions[-1], tone)
        )
    # A nullify that took only a part of the play away is told by the play's sentence.
    partial = {row.taken_by for row in rows} if versions[-1].bodies else set()
    beside = [row for row in rows if row.number not in partial]
    return [*lines, *_lines_beside(beside, corrections, names, clubs)]


def event_lines(
    rows: Sequence[EventRow], corrections: Corrections, names: Mapping[str, str], slips: Slips
) -> list[Line]:
    """The scorer's slips in a play and their corrections, one line per event."""
    reviews = [row.body for row in rows if isinstance(row.body, ev.Challenge)]
    return [
        _event_line(row, names, _because(corrections.get(row.revision), reviews))
        for row in rows
        if not isinstance(row.body, ev.Snap | ev.Overturn | ev.StatCorrection)
        and (
            (row.number, row.revision) in slips.revisions
            or row.number in slips.corrections
            or row.revision in slips.corrections
        )
    ]


def official_rows(rows: Sequence[EventRow], slips: Slips) -> list[EventRow]:
    """The rows as officials ruled: without slips, and with their corrections as if entered so."""
    return [
        _as_original(row) if row.revision in slips.corrections else row
        for row in rows
        if (row.number, row.revision) not in slips.revisions
        and not (isinstance(row.body, ev.Correction) and row.number in slips.corrections)
    ]


def _without_completed(rows: Sequence[EventRow]) -> list[EventRow]:
    """The rows without revisions that were only completed, for example with a spotter's name.

    Completing corrects nothing: the last revision stands as if it had been entered so.
    """
    by_number: dict[int, list[EventRow]] = {}
    for row in sorted(rows, key=lambda row: row.revision):
        if not isinstance(row.body, ev.Correction):
            by_number.setdefault(row.number, []).append(row)
    completed = {
        number
        for number, same in by_number.items()
        if len(same) > 1
        and all(ev.completes(older.body, newer.body) for older, newer in pairwise(same))
    }
    return [
        _as_original(row) if row.number in completed else row
        for row in rows
        if row.number not in completed or row is by_number[row.number][-1]
    ]


def _as_original(row: EventRow) -> EventRow:
    return replace(row, revision=0)


def _versions(rows: Sequence[EventRow], corrections: Corrections) -> list[_Version]:
    """What stood before each ruling, and what stands now; the last one may be empty."""
    ball = [row for row in rows if row.body.part in ("action", "credit")]
    ordered = rulings(ball)
    versions = []
    for place in range(len(ordered) + 1):
        until = ordered[place][0] if place < len(ordered) else None
        written = ordered[place - 1] if place else []
        versions.append(
            _Version(
                tuple(standing(ball, until)),
                next((corrections[number] for number in written if number in corrections), None),
            )
        )
    return versions


def _lines_beside(
    rows: Sequence[EventRow], corrections: Corrections, names: Mapping[str, str], clubs: Clubs
) -> list[Line]:
    """A line for each event that does not move the ball.

    A ruling replaces its `under review`, a final score the ends of the period and the game, and the
    flag that cancels the play says so itself.
    """
    cancels = {row.body.reason for row in rows if isinstance(row.body, ev.Nullify) and row.valid}
    flags = {row.body.foul for row in rows if isinstance(row.body, ev.Penalty) and row.valid}
    reviews = [row.body for row in rows if isinstance(row.body, ev.Challenge)]
    ruled = any(review.ruling != "pending" for review in reviews)
    has_final = any(isinstance(row.body, ev.Final) and row.valid for row in rows)
    lines = []
    for row in rows:
        is_shown = row.body.part not in ("action", "credit") and not isinstance(
            row.body, ev.Snap | ev.Overturn | ev.StatCorrection
        )
        is_answered = isinstance(row.body, ev.Challenge) and ruled and row.body.ruling == "pending"
        is_in_final = has_final and isinstance(row.body, ev.Period | ev.GameEnded)
        is_in_flag = isinstance(row.body, ev.Nullify) and row.body.reason in flags
        if is_shown and not is_answered and not is_in_final and not is_in_flag:
            before, after = _because(corrections.get(row.revision), reviews)
            if isinstance(row.body, ev.Penalty) and row.valid and row.body.foul in cancels:
                after += " No play."
            lines.append(_event_line(row, names, (before, after), clubs))
    return lines


def _because(correction: ev.Correction | None, reviews: Sequence[ev.Challenge]) -> tuple[str, str]:
    """The words before a corrected line and after it.

    The reason is left out if a review of the play gives it already.
    """
    if correction is None:
        return "", ""
    by_scorer = isinstance(correction, ev.Overturn) and correction.by_scorer
    word = "After review" if reviews and not by_scorer else "Corrected"
    if isinstance(correction, ev.StatCorrection):
        word = "Stat correction"
    is_repeated = any(review.reason == correction.reason for review in reviews)
    return f"{word}: ", f" ({correction.reason})" if correction.reason and not is_repeated else ""


def _event_line(
    row: EventRow, names: Mapping[str, str], because: tuple[str, str], clubs: Clubs | None = None
) -> Line:
    sentence = sentence_beside(row.body, names, clubs)
    words = Sentence.of(f"{because[0]}{sentence.marked}{because[1]}")
    tone = "plain"
    if isinstance(row.body, ev.Nullify):
        words = Sentence.of(f"No play{f' ({row.body.reason})' if row.body.reason else ''}.")
    if isinstance(row.body, ev.Nullify | ev.Penalty):
        tone = "called"
    elif isinstance(row.body, ev.Challenge):
        tone = "review"
    elif isinstance(row.body, ev.Timeout | ev.Period):
        tone = "pause"
    elif _is_score(row.body):
        tone = "scored"
    return Line(words, taken_away=not row.valid, tone=tone)


def _is_score(body: ev.Body) -> bool:
    return getattr(body, "is_touchdown", False) or isinstance(body, ev.Safety)

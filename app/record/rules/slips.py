"""Slips of the scorer, as opposed to rulings of the officials. Pure.

An official game book shows what the officials ruled, including plays nullified by a penalty or
overturned after a review. A slip of the scorer is not part of the game: the book lists it in an
appendix.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from app.record import events as ev

# how the console's own reasons end: taken back, struck out, written anew
BY_SCORER = " by the scorer"
TAKES_BACK = "takes back"  # of an overturn that brings back what counted before a correction


class Row(Protocol):
    """One revision of an event: see record.queries.EventRow."""

    @property
    def number(self) -> int:
        """The event number."""

    @property
    def revision(self) -> int:
        """0 for the original, else the number of the correction."""

    @property
    def body(self) -> ev.Body:
        """What happened."""

    @property
    def taken_by(self) -> int | None:
        """The correction that took it away."""


@dataclass(frozen=True)
class Slips:
    """The slips of a game.

    `corrections`: numbers of the corrections of slips. `revisions`: number and revision of what
    they took away.
    """

    corrections: frozenset[int]
    revisions: frozenset[tuple[int, int]]


def slips(rows: Sequence[Row]) -> Slips:
    """The slips among all revisions of a game's events."""
    corrections = {row.number: row.body for row in rows if isinstance(row.body, ev.Correction)}
    by_scorer = {number for number in corrections if _is_by_scorer(number, corrections)}
    by_scorer |= _undone(rows, corrections)
    taken = {(row.number, row.revision) for row in rows if row.taken_by in by_scorer}
    return Slips(frozenset(by_scorer), frozenset(taken))


def taken_back(rows: Sequence[Row]) -> Slips:
    """The slips that took an entry away and put nothing in its place, and what they took."""
    bodies = {row.number: row.body for row in rows if isinstance(row.body, ev.Correction)}
    corrections = {
        number
        for number in slips(rows).corrections
        if isinstance(body := bodies[number], ev.Nullify)
        or (isinstance(body, ev.Overturn) and body.reason.startswith(TAKES_BACK))
    }
    taken = {(row.number, row.revision) for row in rows if row.taken_by in corrections}
    return Slips(frozenset(corrections), frozenset(taken))


def _is_by_scorer(number: int, corrections: dict[int, ev.Correction]) -> bool:
    """Whether it corrects credit or a slip, or is a nullify that follows one with its reason."""
    body = corrections[number]
    if isinstance(body, ev.StatCorrection):
        return True
    if isinstance(body, ev.Overturn):
        return body.by_scorer
    if body.reason.endswith(BY_SCORER):
        return True
    before = corrections.get(number - 1)
    return (
        before is not None
        and before.reason == body.reason
        and _is_by_scorer(number - 1, corrections)
    )


def _undone(rows: Iterable[Row], corrections: dict[int, ev.Correction]) -> set[int]:
    """Corrections entered by mistake, whose ruling the scorer took back."""
    undone = set()
    for row in rows:
        back = corrections.get(row.taken_by or 0)
        if (
            row.revision
            and isinstance(back, ev.Overturn)
            and back.by_scorer
            and back.reason.startswith(TAKES_BACK)
        ):
            undone.add(row.revision)
    return undone

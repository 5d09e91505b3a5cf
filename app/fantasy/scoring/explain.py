"""Why a footballer has these points: each one opened down to its play, event and message (PRODUCT G1).

Lives here: reading the ledger of one player in one game, and putting it into words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import aliased

from app.core.db import db
from app.fantasy.amounts import decimal_points
from app.fantasy.scoring.rules import ScoringRules, credit_points
from app.fantasy.scoring.statistics import counted
from app.record import events as ev
from app.record.models import Footballer, LedgerEntry, RecordedEvent
from app.record.queries import GameRow
from app.record.queries import names as names_of
from app.record.words import clock_words, down_and_distance, period_words, sentence


@dataclass(frozen=True)
class Earned:
    """What one revision of an event is worth. `taken_by`: in words, the correction that took it away, else None.

    `held`: it counts, but its play is under review.
    """

    play_number: int
    situation: str
    words: str
    parts: tuple[str, ...]
    points: str
    source: str
    taken_by: str | None
    held: bool


@dataclass(frozen=True)
class Explanation:
    name: str
    game: GameRow
    rules: str
    total: str
    rows: tuple[Earned, ...]


def explanation(game: GameRow, player_id: str, rules: ScoringRules) -> Explanation | None:
    """Newest play first; None for an unknown footballer. The rows that were not taken away add up to the total."""
    name = db.session.scalar(select(Footballer.name).where(Footballer.id == player_id))
    if name is None:
        return None
    entries = _entries(game.id, player_id)
    worth = [(entry, credit_points(entry.stat, entry.amount, rules)) for entry in entries]
    snaps = _snaps(game.id, {entry.play_number for entry in entries})
    names = _names(entries)
    rows = []
    for _, group in groupby(sorted((e for e, points in worth if points), key=_place), key=_place):
        row = _row(list(group), rules, snaps, names)
        under_review = row.play_number in game.state.get("under_review", ())
        rows.append(replace(row, held=under_review and row.taken_by is None))
    return Explanation(
        name=name,
        game=game,
        rules=rules.title,
        total=decimal_points(sum(points for entry, points in worth if not entry.closed)),
        rows=tuple(reversed(rows)),
    )


@dataclass(frozen=True)
class _Entry:
    event_number: int
    revision: int
    play_number: int
    stat: str
    amount: int
    partition: int | None
    offset: int | None
    closed: bool
    closed_by: int | None
    body: dict[str, Any]
    cause: dict[str, Any] | None


def _place(entry: _Entry) -> tuple[int, int, int, int]:
    """By play, event and revision; of one revision, what still stands last."""
    return entry.play_number, entry.event_number, entry.revision, entry.closed_by or 1_000_001


def _entries(game_id: str, player_id: str) -> list[_Entry]:
    event, cause = aliased(RecordedEvent), aliased(RecordedEvent)
    found = db.session.execute(
        select(
            LedgerEntry.event_number,
            LedgerEntry.revision,
            LedgerEntry.play_number,
            LedgerEntry.stat,
            LedgerEntry.amount,
            LedgerEntry.partition,
            LedgerEntry.offset,
            LedgerEntry.closed_at.is_not(None),
            LedgerEntry.closed_by,
            event.body,
            cause.body,
        )
        .join(
            event,
            (event.game_id == LedgerEntry.game_id)
            & (event.event_number == LedgerEntry.event_number)
            & (event.revision == LedgerEntry.revision),
        )
        .outerjoin(
            cause,
            (cause.game_id == LedgerEntry.game_id)
            & (cause.event_number == LedgerEntry.closed_by)
            & (cause.revision == 0),
        )
        .where(LedgerEntry.game_id == game_id, LedgerEntry.player_id == player_id)
        .order_by(LedgerEntry.id)
    )
    return [_Entry(*row) for row in found]


def _snaps(game_id: str, plays: set[int]) -> dict[int, ev.Snap]:
    found = db.session.execute(
        select(RecordedEvent.play_number, RecordedEvent.body).where(
            RecordedEvent.game_id == game_id,
            RecordedEvent.play_number.in_(plays),
            RecordedEvent.type == "snap",
            RecordedEvent.valid,
        )
    )
    bodies = {play: ev.body_from(body) for play, body in found}
    return {play: body for play, body in bodies.items() if isinstance(body, ev.Snap)}


def _names(entries: Iterable[_Entry]) -> Mapping[str, str]:
    """Names of all footballers whom these entries' events, and the corrections that closed them, name."""
    bodies = [ev.body_from(body) for entry in entries for body in (entry.body, entry.cause) if body is not None]
    return names_of({player for body in bodies for player in ev.players_of(body)})


def _row(entries: list[_Entry], rules: ScoringRules, snaps: Mapping[int, ev.Snap], names: Mapping[str, str]) -> Earned:
    first = entries[0]
    snap = snaps.get(first.play_number)
    taken_by = None
    if first.closed:
        taken_by = sentence(ev.body_from(first.cause), names) if first.cause else "A correction."
    return Earned(
        play_number=first.play_number,
        situation=f"{period_words(snap.period)} {clock_words(snap.clock)}, {down_and_distance(snap)}" if snap else "",
        words=sentence(ev.body_from(first.body), names),
        parts=tuple(_part(entry, rules) for entry in entries),
        points=decimal_points(sum(credit_points(entry.stat, entry.amount, rules) for entry in entries)),
        source=f"event {first.event_number}, partition {first.partition}, offset {first.offset}",
        taken_by=taken_by,
        held=False,
    )


def _part(entry: _Entry, rules: ScoringRules) -> str:
    """`40 receiving yards 4.00`, `receiving touchdown 6.00`."""
    points = decimal_points(credit_points(entry.stat, entry.amount, rules))
    return f"{counted(entry.stat, entry.amount)} {points}"
